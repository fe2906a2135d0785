# SPDX-License-Identifier: Apache-2.0
"""Equivalence of mutants: differences that operands within the contract show, and those that nothing shows."""

from __future__ import annotations

import re
from random import Random

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring

from modwright.contract import Conditional, Field, Payload
from modwright.contract.operands import PAYLOAD, Unpromised, residues_of
from modwright.contract.request import Request
from modwright.functions.cases import random_cases
from modwright.mutate import equivalence as eq
from modwright.mutate.mutations import Mutation, Replace, Split
from modwright.mutate.netlist import Netlist
from modwright.mutate.schemata import schemata
from modwright.mutate.sites import mutations
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl.streams import core_members

from ..tools import needs
from .mutation_cases import OUT, one_that
from .mutation_cases import netlist as netlist
from .mutation_cases import prepared as prepared
from .mutation_cases import short as short

pytestmark = needs("compiled-simulator", why="mutants run on it alone")


BOUNDED = Payload((Field("x", 4, bound=12),))
FOUR = Payload((Field("x", 2),))


class Increment(wiring.Component):
    """z = x + 1, and an error where the sum has a carry, which it has for no x below 12."""

    def __init__(self) -> None:
        super().__init__(core_members(BOUNDED, OUT))

    def elaborate(self, platform):
        m = Module()
        valid, total = Signal(name="busy"), Signal(5, name="total")
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(valid), self.o.p.z.eq(total)]
        m.d.comb += self.o.p.error.eq(total[4])
        m.d.sync += [valid.eq(self.i.valid), total.eq(self.i.p.x + 1)]
        return m


@pytest.fixture(scope="module")
def increment():
    return Netlist.of(Increment(), "increment")


def decided(netlist, mutation, i=BOUNDED):
    return eq.Pair(netlist.top, schemata(netlist, [mutation]).model, i, OUT).decide(1)


def test_what_only_operands_out_of_bounds_show_is_equivalent(increment):
    carry = next(m for m in mutations(increment) if m.edit == Split(4))
    assert decided(increment, carry).status == eq.EQUIVALENT
    without = decided(increment, carry, Payload((Field("x", 4),)))
    assert without.status == eq.DIFFERENT and without.detail.endswith("x = 15")


def test_a_difference_comes_with_its_operands(increment):
    carry = next(m for m in mutations(increment) if m.edit == Split(3))
    found = decided(increment, carry)
    assert found.status == eq.DIFFERENT and "offered until then, the last one first: x = 7" in found.detail


def test_operands_that_the_contract_excludes_are_said_to_be_so(increment):
    carry = next(m for m in mutations(increment) if m.edit == Split(3))
    model = schemata(increment, [carry]).model
    found = eq.Pair("increment", model, BOUNDED, OUT, promised=lambda payload: payload["x"] != 7).decide(1)
    assert found.status == eq.DIFFERENT and "for operands that the contract excludes" in found.detail


def test_a_result_that_is_not_valid_does_not_count(increment):
    """The reset value of a payload register is seen by nobody."""
    value = next(m for m in mutations(increment) if m.kind == "reset" and "total" in increment.place(m.cell))
    assert "0" * 5 in value.original or value.mutated == "none"
    assert decided(increment, value).status == eq.EQUIVALENT


def test_a_reset_that_counts_is_told(increment):
    """Without its reset, `valid` stays after one in the middle of an operation."""
    reset = one_that([m for m in mutations(increment) if increment.place(m.cell) == "busy"], mutated="none")
    assert decided(increment, reset).status == eq.DIFFERENT


class Choice(wiring.Component):
    """z by a choice among three values of x, all that there are, and a default."""

    def __init__(self) -> None:
        super().__init__(core_members(FOUR, OUT))

    def elaborate(self, platform):
        m = Module()
        valid, value = Signal(), Signal(4)
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(valid), self.o.p.z.eq(value)]
        m.d.sync += valid.eq(self.i.valid)
        x = self.i.p.x
        with m.Switch(Cat(x[0] | ~x[1], x[1])):  # not 0
            for case, result in enumerate((9, 7, 14, 5)):
                with m.Case(case):
                    m.d.sync += value.eq(result)
        return m


def test_of_two_selects_the_lower_one_counts_as_in_the_verilog():
    """So the highest one makes no difference where it is always set and the default is never taken."""
    netlist = Netlist.of(Choice(), "choice")
    stuck = [m for m in mutations(netlist) if m.kind == "select" and m.mutated == "stuck at 1"]
    verdicts = {m.original: decided(netlist, m, FOUR).status for m in stuck}
    assert verdicts.pop(max(verdicts)) == eq.EQUIVALENT
    assert set(verdicts.values()) == {eq.DIFFERENT}


def test_what_leads_to_no_output_is_equivalent(increment):
    netlist = increment.copy()
    netlist.binary("$add", netlist.ports["i__payload"]["bits"], ["1"], 4)
    name = list(netlist.cells)[-1]
    assert name not in netlist.fan_in(["o__payload", "o__valid", "i__ready"])
    assert increment.fan_in(["o__payload"]) < set(increment.cells)
    dead = Mutation(name, name, "operator", "add", "sub", Replace("$sub"))
    assert decided(netlist, dead).status == eq.EQUIVALENT


def test_equivalence_is_undecided_without_an_answer(increment, monkeypatch):
    monkeypatch.setattr(eq.abc, "run_abc", lambda folder, commands, seconds=None: "")
    found = decided(increment, next(m for m in mutations(increment) if m.edit == Split(3)))
    assert found.status == eq.UNDECIDED and "not decided" in found.detail


PAIR = Payload((Field("x", 3, count=2),))
BELOW_TEN = residues_of("x", (5, 7), 10)


class Unreachable(wiring.Component):
    """An error for the residues of 14, which is 4 modulo 5 and 0 modulo 7."""

    def __init__(self) -> None:
        super().__init__(core_members(PAIR, OUT))

    def elaborate(self, platform):
        m = Module()
        valid, z, error = Signal(name="busy"), Signal(4, name="z"), Signal(name="error")
        x = self.i.p.x
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(valid), self.o.p.z.eq(z), self.o.p.error.eq(error)]
        m.d.sync += [valid.eq(self.i.valid), z.eq(x[0] ^ x[1]), error.eq((x[0] == 4) & ((x[1] == 0) | (x[1] == 7)))]
        return m


def test_what_only_other_integers_show_is_equivalent():
    netlist = Netlist.of(Unreachable(), "unreachable")
    fault = one_that([m for m in mutations(netlist) if netlist.place(m.cell) == "error"], mutated="stuck at 0")
    model = schemata(netlist, [fault]).model
    assert eq.Pair(netlist.top, model, PAIR, OUT, [BELOW_TEN]).decide(1).status == eq.EQUIVALENT
    found = eq.Pair(netlist.top, model, PAIR, OUT, [residues_of("x", (5, 7), 15)]).decide(1)
    assert found.status == eq.DIFFERENT and found.detail.endswith("first: x = 14")
    assert eq.Pair(netlist.top, model, PAIR, OUT).decide(1).status == eq.DIFFERENT


RESIDUAL = {
    "modmul/sor-1m-p": ("61", {"width": 8, "latency": 2}),
    "modmul/sor-lean": ("61", {"width": 8, "latency": 2}),
    "modmul/rns-kbe": ("1009", {"width": 9}),
    "basext/hbe": ("1009", {"width": 9}),
    "modinv/rns-bmi": ("1009", {"width": 10}),
}


@pytest.mark.parametrize("core", RESIDUAL)
def test_a_codec_reads_what_it_says_of_residues(core, store):
    """Any representatives of any integer of the range are read; of the next one outside, the codec promises nothing."""
    modulus, options = RESIDUAL[core]
    found = find(core)
    prepared = prepare(found, Request.make(found, modulus=modulus, target="generic", options=options), store)
    groups, i, rng = prepared.codec.residues(), prepared.parameters.i, Random(core)
    assert {place[0] for group in groups for place in group.places} == {f.name for f in i.fields}

    def payload(integers):
        values = {f.name: [0] * f.count for f in i.fields}
        for group, x in zip(groups, integers, strict=True):
            for name, element, m, factor in group.places:
                residue = x * factor % m
                values[name][element] = residue + m * rng.randrange(1 + ((1 << i[name].width) - 1 - residue) // m)
        return {name: tuple(v) for name, v in values.items()}

    for _ in range(50):
        assert prepared.codec.read(payload([rng.randrange(g.least, g.limit) for g in groups])) is not None
    assert prepared.codec.read(payload([g.least for g in groups])) is not None
    assert prepared.codec.read(payload([g.limit - 1 for g in groups])) is not None
    assert prepared.codec.read(payload([groups[0].limit, *(g.least for g in groups[1:])])) is None


class Late(wiring.Component):
    """z = x, taken in one cycle, given in the next but one, and held in `kept` between them."""

    def __init__(self) -> None:
        super().__init__(core_members(BOUNDED, OUT))

    def elaborate(self, platform):
        m = Module()
        state, first, kept = Signal(2, name="state"), Signal(4, name="first"), Signal(4, name="kept")
        m.d.comb += [self.i.ready.eq(state == 0), self.o.valid.eq(state == 2), self.o.p.z.eq(kept)]
        with m.Switch(state):
            with m.Case(0):
                m.d.sync += [first.eq(self.i.p.x), state.eq(self.i.valid)]
            with m.Case(1):
                m.d.sync += [kept.eq(first), state.eq(2)]
            with m.Default(), m.If(self.o.ready):
                m.d.sync += state.eq(0)
        return m


@pytest.mark.parametrize(
    ("place", "change", "status"),
    [
        ("first", "stuck at 1", eq.EQUIVALENT),  # it takes more, in cycles in which nobody reads it
        ("first", "inverted", eq.DIFFERENT),
        ("kept", "stuck at 0", eq.DIFFERENT),
    ],
)
def test_where_a_difference_can_go_decides_whatever_the_data_are(place, change, status, monkeypatch):
    monkeypatch.setattr(eq, "_merged", lambda folder, sweep, seconds: "")
    netlist = Netlist.of(Late(), "late")
    fault = one_that([m for m in mutations(netlist) if netlist.place(m.cell) == place], kind="enable", mutated=change)
    found = decided(netlist, fault)
    assert found.status == status
    assert status == eq.DIFFERENT or "whatever the data are" in found.detail


TIMED = Payload((Field("x", 4), Field("rounds", 2)))


class Rounds(wiring.Component):
    """x after `rounds` + 1 rounds, in each of which it is doubled modulo 16, from a copy that is taken at the start."""

    def __init__(self) -> None:
        super().__init__(core_members(TIMED, OUT))

    def elaborate(self, platform):
        m = Module()
        busy, done, left = Signal(name="busy"), Signal(name="done"), Signal(2, name="left")
        copy, z = Signal(4, name="copy"), Signal(4, name="z")
        m.d.comb += [self.i.ready.eq(~busy & ~done), self.o.valid.eq(done), self.o.p.z.eq(z)]
        with m.If(busy):
            m.d.sync += [z.eq(copy << 1), copy.eq(copy << 1), left.eq(left - 1)]
            with m.If(left == 0):
                m.d.sync += [busy.eq(0), done.eq(1)]
        with m.Elif(done):
            m.d.sync += done.eq(~self.o.ready)
        with m.Else():
            m.d.sync += [copy.eq(self.i.p.x), left.eq(self.i.p.rounds), busy.eq(self.i.valid)]
        return m


@pytest.mark.parametrize(
    ("kind", "place", "status"),
    [
        ("reset", "copy", eq.EQUIVALENT),  # nobody reads it before it is taken
        ("reset", "left", eq.EQUIVALENT),
        ("carry", "rounds", eq.DIFFERENT),
    ],
)
def test_an_operand_that_says_how_long_is_control(kind, place, status, monkeypatch):
    monkeypatch.setattr(eq, "_merged", lambda folder, sweep, seconds: "")
    netlist = Netlist.of(Rounds(), "rounds")
    fault = next(m for m in mutations(netlist) if m.kind == kind and netlist.place(m.cell) == place)
    found = decided(netlist, fault, TIMED)
    assert found.status == status
    assert status == eq.DIFFERENT or "whatever the data are" in found.detail


TIED = Payload((Field("x", 4), Field("m", 3), Field("q", 3)))
TRIPLE = Unpromised(("m", "q"), lambda m, q: q == 3 * m % 8, ("x",), lambda m, q: m + 5)


class Tied(wiring.Component):
    """z = x, and an error where q is not 3·m modulo 8, or x is 12."""

    def __init__(self) -> None:
        super().__init__(core_members(TIED, OUT))

    def elaborate(self, platform):
        m = Module()
        valid, z = Signal(name="busy"), Signal(4, name="z")
        other, twelve = Signal(name="other"), Signal(name="twelve")
        p = self.i.p
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(valid), self.o.p.z.eq(z), self.o.p.error.eq(other | twelve)]
        m.d.sync += [valid.eq(self.i.valid), z.eq(p.x), other.eq(p.q != (p.m * 3)[:3]), twelve.eq(p.x == 12)]
        return m


@pytest.mark.parametrize(("limit", "status"), [(lambda m, q: 16, eq.EQUIVALENT), (lambda m, q: m + 9, eq.DIFFERENT)])
def test_what_only_other_constants_show_is_equivalent(limit, status):
    """An operand at its limit next to them is reported, and counts."""
    netlist = Netlist.of(Tied(), "tied")
    fault = one_that([m for m in mutations(netlist) if netlist.place(m.cell) == "other"], mutated="stuck at 0")
    promises = [Unpromised(TRIPLE.fields, TRIPLE.belong, ("x",), limit)]
    pair = eq.Pair(netlist.top, schemata(netlist, [fault]).model, TIED, OUT, unpromised=promises)
    assert pair.decide(1).status == status


def test_an_operand_next_to_its_constants_counts():
    netlist = Netlist.of(Tied(), "tied")
    fault = one_that([m for m in mutations(netlist) if netlist.place(m.cell) == "twelve"], mutated="stuck at 0")
    found = eq.Pair(netlist.top, schemata(netlist, [fault]).model, TIED, OUT, unpromised=[TRIPLE]).decide(1)
    assert found.status == eq.DIFFERENT
    shown = {name: int(value) for name, value in re.findall(r"(\w) = (\d+)", found.detail.rpartition("first: ")[2])}
    assert shown["x"] == 12 and not TRIPLE.excludes(shown)


CONDITIONAL = {
    "modmul/r64": ("0xe9d", {"limb": 4}),
    "modmul/limb-scan": ("0xe9d", {"limb": 4}),
    "modmul/limb-fold-karatsuba": ("61", {"limb": 4}),
    "modmul/orup-dsp": ("61", {"digit": 3, "delay": 3, "limb": 8}),
    "modexp/csa-l2r": ("61", {"exponent_bits": 6, "constants": "stream"}),
    "ecpm/ladder": ("13", {"limb": 3}),
    "ecpm/r64-ladder": ("13", {"limb": 3}),
}


@pytest.mark.parametrize("core", CONDITIONAL)
def test_a_codec_promises_nothing_of_what_it_says(core, store):
    """`read` promises nothing of excluded payloads; and of what it excludes for constants, that is said."""
    modulus, options = CONDITIONAL[core]
    found = find(core)
    prepared = prepare(found, Request.make(found, modulus=modulus, target="generic", options=options), store)
    codec, i, rng = prepared.codec, prepared.parameters.i, Random(core)
    assert isinstance(codec, Conditional)
    promises = codec.unpromised()
    excluded = unread = 0
    for drawn in (case[PAYLOAD] for case in random_cases(prepared, 2000, 1) if PAYLOAD in case):
        name = rng.choice(i.fields).name
        payload = drawn | {name: rng.choice((0, 1, rng.randrange(1 << i[name].width)))}
        here = any(one.excludes(payload) for one in promises)
        excluded += here
        unread += codec.read(payload) is None
        assert not here or codec.read(payload) is None, payload
        if not core.startswith("ecpm"):
            assert here or codec.read(payload) is not None, payload
    assert promises and excluded > 20 and excluded > unread // 4
    assert not any(one.excludes(dict.fromkeys((f.name for f in i.fields), 0)) for one in promises)

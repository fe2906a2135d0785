# SPDX-License-Identifier: Apache-2.0
"""Mutants: that they are what they say, that the evidence sees them, and that those it cannot see are told apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random

import pytest
from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring

from modwright.base.errors import ModwrightError, VerificationError
from modwright.base.store import Store
from modwright.cli import main
from modwright.contract import Conditional, Field, Payload
from modwright.contract.operands import PAYLOAD, Unpromised, residues_of
from modwright.contract.request import Request
from modwright.functions.cases import random_cases
from modwright.mutate import CHUNK, KINDS, mutate, run
from modwright.mutate import equivalence as eq
from modwright.mutate.judge import Judge, record
from modwright.mutate.mutations import Mutation, Replace, Rewire, Split, Word
from modwright.mutate.netlist import Netlist
from modwright.mutate.proofs import refuted
from modwright.mutate.schemata import schemata
from modwright.mutate.sites import chosen, mutations
from modwright.pipeline import Plan, mutation_of
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl.streams import core_members
from modwright.simulate import toolchain
from tests.toy import TOY, ToyCore

from ..tools import needs

pytestmark = needs("compiled-simulator", why="mutants run on it alone")

PLAN = Plan(random=200)
IN, OUT = Payload((Field("x", 4),)), Payload((Field("z", 4), Field("error", 1)))


class Everything(wiring.Component):
    """A core, as far as a netlist goes, with a cell of every sort; results are x and more, two cycles later."""

    def __init__(self) -> None:
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.table = table = memory.Memory(shape=4, depth=16, init=[n * 7 % 16 for n in range(16)])
        read = table.read_port()
        m.submodules.kept = kept = memory.Memory(shape=4, depth=2, init=[])
        write, again = kept.write_port(), kept.read_port(domain="comb")
        x, total, valid = Signal(4), Signal(5, init=3), Signal(2)
        m.d.comb += [
            self.i.ready.eq(1),
            read.addr.eq(self.i.p.x),
            write.addr.eq(x[0]),
            write.data.eq(x),
            write.en.eq(valid[0]),
            again.addr.eq(x[1]),
        ]
        m.d.sync += valid.eq(Cat(self.i.valid, valid[0]))
        with m.If(self.i.valid):
            m.d.sync += x.eq(self.i.p.x)
        with m.Switch(x):
            for case in range(5):
                with m.Case(case):
                    m.d.sync += total.eq(x * (case + 3) + read.data)
            with m.Default():
                m.d.sync += total.eq(Mux(x < read.data, x - read.data, (x ^ again.data) | 1))
        m.d.comb += [self.o.valid.eq(valid[1]), self.o.p.z.eq(total), self.o.p.error.eq(total[4])]
        return m


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Few seconds for a solver: what these tests expect of one takes it less than one."""
    monkeypatch.setattr(eq, "SECONDS", dict.fromkeys(eq.SECONDS, 3))


@pytest.fixture(scope="module")
def everything():
    return Netlist.of(Everything(), "everything")


def toy(store, modulus=3, **options):
    return prepare(TOY, Request.make(TOY, modulus=modulus, target="generic", options=options), store)


@pytest.fixture(scope="module")
def prepared(store):
    return toy(store)


@pytest.fixture(scope="module")
def netlist(prepared):
    return Netlist.of(ToyCore(prepared.parameters, prepared.schedule), prepared.top)


def one_that(found, **fields):
    """The first mutation whose attributes start with the given texts."""
    return next(m for m in found if all(str(getattr(m, name)).startswith(text) for name, text in fields.items()))


# --- sites


def test_every_kind_is_reached(everything):
    found = mutations(everything)
    assert {m.kind for m in found} == set(KINDS)
    assert {type(m.edit) for m in found} == {Rewire, Replace, Split, Word}


def test_no_two_mutations_are_the_same_and_none_changes_nothing(everything):
    found = mutations(everything)
    assert len(set(found)) == len(found)
    for m in found:
        if isinstance(m.edit, Rewire):
            assert any(k != entry for k, entry in m.edit.entries), m
        if isinstance(m.edit, Replace):
            cell = everything.cells[m.cell]
            same_ports = all(a == b for a, b in m.edit.ports)
            assert m.edit.kind != cell["type"] or not same_ports or m.edit.parameters, m


def test_the_choice_follows_from_the_seed_and_has_every_kind(everything):
    found = mutations(everything)
    first = chosen(found, 60, 7)
    assert first == chosen(found, 60, 7) and len(set(first)) == 60
    assert first != chosen(found, 60, 8)
    assert chosen(found, 25, 7) == first[:25]
    assert {m.kind for m in first[: len(KINDS)]} == set(KINDS)


def test_all_are_chosen_where_more_are_asked_for(everything):
    found = mutations(everything)
    assert Counter(chosen(found, len(found) + 5, 1)) == Counter(found)


def test_sites_are_chosen_alike(everything):
    """A wide adder has more mutations than a register of one bit, and no more places."""
    found = mutations(everything)
    counts = Counter(m.site for m in chosen(found, 2 * len({m.site for m in found}), 3))
    assert max(counts.values()) <= 12


def test_places_are_names_of_the_source(netlist):
    found = {netlist.place(m.cell) for m in mutations(netlist)}
    assert "admission.held" in found and "queue.filled" in found
    sources = {netlist.source(m.cell) for m in mutations(netlist)}
    assert any(s.startswith("rtl/streams.py:") for s in sources)


# --- one design that holds them all


@pytest.fixture(scope="module")
def plays(prepared):
    return record(prepared, PLAN)


@pytest.fixture(scope="module")
def judged(prepared, netlist, plays):
    """40 mutants of the toy, with the first difference of each."""
    selected = chosen(mutations(netlist), 40, 1)
    design = schemata(netlist, selected)
    judge = Judge(prepared, design.verilog, plays)
    return selected, design, judge, [judge.difference(n) for n in range(1, 41)]


def test_without_a_mutant_the_design_is_the_core(judged):
    assert judged[2].difference(0) is None


def test_a_mutant_is_seen_again_and_alone(judged):
    """The order in which mutants are tried changes nothing: each starts from reset."""
    _, _, judge, first = judged
    assert [judge.difference(n) for n in range(40, 0, -1)] == first[::-1]
    assert sum(d is not None for d in first) >= 20


def test_a_design_that_is_not_the_core_is_a_defect(prepared, plays, netlist):
    other = netlist.copy()
    cell = next(c for c in other.cells.values() if c["type"] == "$mul")
    cell["type"] = "$add"
    with pytest.raises(ModwrightError, match="without a mutation differs"):
        Judge(prepared, schemata(other, []).verilog, plays)


def test_a_core_that_fails_is_not_mutated(store):
    with pytest.raises(VerificationError):
        record(toy(store, 7, faulty=True), PLAN)


def test_planted_faults_are_killed(prepared, netlist, plays):
    """Admission one too early, a result queue that keeps nothing, and one that mixes up its places."""
    found = mutations(netlist)
    in_admission = [m for m in found if netlist.place(m.cell).startswith("admission")]
    in_queue = [m for m in found if m.cell == "queue.memory"]
    faults = [
        one_that(in_admission, kind="select", mutated="stuck at 1"),
        one_that(in_queue, kind="enable", mutated="stuck at 0"),
        one_that(in_queue, kind="memory", original="WR_ADDR"),
    ]
    judge = Judge(prepared, schemata(netlist, faults).verilog, plays)
    assert all(judge.difference(number) is not None for number in (1, 2, 3))
    assert "result" in str(judge.difference(3))


# --- equivalence


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


def test_no_mutant_that_was_killed_is_equivalent_without_data(prepared, judged, tmp_path):
    """The abstraction alone, which has to let every difference through that a simulation saw."""
    _, design, _, first = judged
    p = prepared.parameters
    pair = eq.Pair(prepared.top, design.model, p.i, p.o)
    killed = [number for number, difference in enumerate(first, 1) if difference is not None]
    for number in (0, *killed[:4]):
        (tmp_path / "abstract.aig").write_bytes(pair._abstraction.written(pair._selected(number)))
        assert eq._unreachable(tmp_path, "abstract.aig", eq._WITHOUT_DATA, 3) == (number == 0)


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
    "modmul/limb-l1": ("0xe9d", {"limb": 4}),
    "modmul/limb-l3": ("61", {"limb": 4}),
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


# --- proofs


def test_a_proof_of_the_handshakes_kills(prepared, netlist):
    """One place too many: a queue that overruns needs a reader that waits long enough."""
    here = [m for m in mutations(netlist) if netlist.source(m.cell) == "rtl/streams.py:70"]
    fault = one_that(here, original="lt", mutated="le")
    assert (refuted(prepared, schemata(netlist, [fault]).model, 1) or "").startswith("latency under any stalls")


def test_no_proof_fails_on_the_core(prepared, netlist):
    harmless = one_that(mutations(netlist), kind="bit")
    assert refuted(prepared, schemata(netlist, [harmless]).model, 0) is None


# --- a run


def test_a_run_counts_and_lists(prepared):
    found = mutate(prepared, 12, 1, PLAN, workers=1)
    record = found.to_json()
    assert record["mutants"] == 12 == record["killed"] + record["equivalent"] + len(record["survived"])
    assert record["killed"] >= 6
    assert set(record) >= {"core", "request", "digest", "seed", "mutants", "killed", "equivalent", "survived", "kinds"}
    assert sum(sum(counts.values()) for counts in record["kinds"].values()) == 12
    for survivor in record["survived"]:
        assert set(survivor) == {"place", "source", "cell", "kind", "original", "mutated", "detail"}
    assert mutation_of(prepared.digest, prepared.store) == json.loads(json.dumps(record))
    assert mutation_of("another digest", prepared.store) is None


def test_a_weak_judge_lets_mutants_live(prepared, monkeypatch):
    """With nothing but 0 · 0 simulated, faults of the arithmetic survive; each comes with operands that show it."""
    strong = mutate(prepared, 12, 1, PLAN, workers=1).to_json()
    monkeypatch.setattr("modwright.pipeline.edge_cases", lambda prepared, products: [{"x": 0, "y": 0}])
    weak = mutate(prepared, 12, 1, Plan(random=0), workers=1).to_json()
    assert weak["killed"] < strong["killed"] and len(weak["survived"]) > len(strong["survived"])
    assert any("differs in cycle" in one["detail"] and "x = " in one["detail"] for one in weak["survived"])


def test_an_interrupted_run_goes_on(store, monkeypatch):
    prepared = toy(store, latency=4)
    seen = []

    def judged(work, chunk):
        seen.append(chunk.number)
        return [{"verdict": "killed", "kind": "bit"}] * chunk.size

    def interrupted(work, chunk):
        if seen:
            raise KeyboardInterrupt
        return judged(work, chunk)

    monkeypatch.setattr(run._Work, "judged", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mutate(prepared, CHUNK + 5, 1, PLAN, workers=1)
    assert seen == [0]
    monkeypatch.setattr(run._Work, "judged", judged)
    done = []
    record = mutate(prepared, CHUNK + 5, 1, PLAN, workers=1, progress=done.append).to_json()
    assert seen == [0, 1] and done == [CHUNK, CHUNK + 5] and record["mutants"] == CHUNK + 5


def test_nothing_is_judged_twice(prepared, monkeypatch):
    first = mutate(prepared, 12, 1, PLAN, workers=1).to_json()
    monkeypatch.setattr(run._Work, "judged", lambda work, chunk: pytest.fail("judged again"))
    assert mutate(prepared, 12, 1, PLAN, workers=1).to_json() == first


def test_no_more_than_there_are(netlist, tmp_path, monkeypatch):
    """In a store of its own, as the record with most mutants is the one that counts for the core."""
    monkeypatch.setattr(run._Work, "judged", lambda work, chunk: [{"verdict": "killed", "kind": "bit"}] * chunk.size)
    found = mutate(toy(Store(tmp_path)), 100_000, 99, PLAN, workers=1)
    assert len(found.found) == len(mutations(netlist))
    assert found.share == 100.0


# --- the command


@pytest.fixture
def command(prepared, monkeypatch):
    """The command on the toy, with the store of these tests."""
    monkeypatch.setattr("modwright.prepared.registry.all_cores", lambda: {TOY.name: TOY})
    monkeypatch.setenv("MODWRIGHT_CACHE", str(prepared.store.root))
    words = ["mutate", "modmul/toy", "-m", "3", "-t", "generic", "--random", "200", "--workers", "1", "--mutants", "12"]
    return lambda *more: main([*words, *more])


def test_the_command_prints_the_record(command, prepared, capsys):
    assert command("--json") == 0
    assert json.loads(capsys.readouterr().out) == mutate(prepared, 12, 1, PLAN, workers=1).to_json()


def test_the_command_lists_survivors_and_misses_its_target(command, monkeypatch, capsys):
    survivor = {"place": "queue.filled", "source": "rtl/streams.py:133", "cell": "$add", "kind": "carry"}
    survivor |= {"original": "carry into bit 1", "mutated": "0", "verdict": "survived", "detail": "differs in cycle 9"}
    monkeypatch.setattr(run._Work, "judged", lambda work, chunk: [survivor] * chunk.size)
    assert command("--seed", "77", "--least", "98") == 5
    out = capsys.readouterr().out
    assert "queue.filled" in out and "carry into bit 1 -> 0" in out and "differs in cycle 9" in out
    assert "12 mutants, 0 killed, 0 equivalent, 12 survived: 0.00 % of those not equivalent killed" in out


@pytest.mark.parametrize(
    "words", [["--mutants", "0"], ["--least", "101"], ["--scheduler", "nowhere"], ["-O", "latency=0"]]
)
def test_bad_input_is_refused(command, words, capsys):
    assert command("--seed", "78", *words) == 2
    assert "internal error" not in capsys.readouterr().err


def test_without_a_compiler_the_tool_is_missing(command, monkeypatch, capsys):
    monkeypatch.setattr(toolchain, "find_compiler", lambda: None)
    assert command("--seed", "79") == 3
    assert "pip install" in capsys.readouterr().err

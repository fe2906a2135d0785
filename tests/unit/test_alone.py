# SPDX-License-Identifier: Apache-2.0
"""Mutants of cores with one operation at a time: all payloads decide, and none that differs is called equal."""

from __future__ import annotations

import random
from itertools import islice, takewhile

import pytest
from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modwright.contract import Covered, Field, Payload
from modwright.contract.operands import PAYLOAD, Bits, Unpromised, residues_of
from modwright.contract.request import Request
from modwright.functions.cases import random_cases
from modwright.mutate import lockstep, offers
from modwright.mutate.alone import Alone, _least
from modwright.mutate.circuit import FALSE, TRUE, Circuit
from modwright.mutate.lockstep import DifferentError
from modwright.mutate.netlist import Netlist
from modwright.mutate.offers import Offers
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.ternary import Ternary
from modwright.mutate.twins import graph_of, once
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.rtl.streams import Admission, ResultQueue, core_members

from ..tools import needs
from .test_operation import LITERAL, differs

IN, OUT = Payload((Field("x", 4, bound=12),)), Payload((Field("z", 6),))
PAIR = Payload((Field("x", 2), Field("y", 2)))


class Serial(wiring.Component):
    """Adds x to itself x % 4 times, in one of two registers that take turns; whichever, the result is the same.

    Parameters
    ----------
    stays : bool
        Whether a result waits for its reader.
    seed : int or None
        Of some random logic that is put on top.
    """

    def __init__(self, stays=True, seed=None):
        self.stays, self.seed = stays, seed
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m, rng = Module(), random.Random(self.seed)
        busy, left, x = Signal(name="busy"), Signal(3, name="left"), Signal(4, name="x")
        turn, sums = Signal(name="turn"), [Signal(6, name=f"sum_{k}") for k in range(2)]
        held, strange = Signal(name="held"), Signal(name="strange")  # left is never 7
        m.d.comb += [strange.eq(left == 7), self.o.valid.eq(held & ~(self.o.ready & strange))]
        start = self.i.valid & ~busy
        m.d.comb += self.i.ready.eq(~busy)
        with m.If(start):
            m.d.sync += [busy.eq(1), left.eq(self.i.p.x[:2] + 1), x.eq(self.i.p.x), turn.eq(~turn)]
            m.d.sync += Array(sums)[turn].eq(0 if self.seed is None else rng.choice((0, 1, self.i.p.x, x)))
        with m.If(busy & (left != 0)):
            m.d.sync += left.eq(left - 1)
            total = Array(sums)[~turn]
            other = Mux(total > 20, total ^ left, total + x) if self.seed is None else self._random(rng, total, x, left)
            m.d.sync += total.eq(other)
        with m.If(busy & (left == 1)):
            m.d.sync += [held.eq(1), self.o.p.z.eq(Array(sums)[~turn])]
        with m.Elif(held & (self.o.ready if self.stays else 1)):
            m.d.sync += [held.eq(0), busy.eq(0)]
        return m

    @staticmethod
    def _random(rng, total, x, left):
        a, b = rng.choice((total, x, left)), rng.choice((total, x << 1))
        return rng.choice((a + b, a - b, (a & b) + total, Mux(a < b, total, x), total ^ (b >> 1)))


class Piped(wiring.Component):
    """x a cycle later, one operation after the other."""

    def __init__(self):
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.admission = admission = Admission(1, 2)
        m.submodules.queue = results = ResultQueue(OUT, 2)
        accept = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(admission.ready), admission.admit.eq(accept), results.push.eq(accept)]
        m.d.comb += [admission.release.eq(results.taken), results.data.z.eq(self.i.p.x)]
        wiring.connect(m, results.o, wiring.flipped(self.o))
        return m


class Checked(wiring.Component):
    """x * y after some cycles, or 0 where x is 3."""

    def __init__(self):
        super().__init__(core_members(PAIR, OUT))

    def elaborate(self, platform):
        m = Module()
        busy, left, x, y = Signal(name="busy"), Signal(2, name="left"), Signal(2, name="x"), Signal(2, name="y")
        total = Signal(4, name="total")
        m.d.comb += [self.i.ready.eq(~busy), self.o.valid.eq(busy & (left == 0))]
        m.d.comb += self.o.p.z.eq(Mux(x == 3, 0, total))
        with m.If(self.i.valid & ~busy):
            m.d.sync += [busy.eq(1), left.eq(2), x.eq(self.i.p.x), y.eq(self.i.p.y), total.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), x.eq(Mux(x == 3, 3, x)), total.eq(total + Mux(x[0], y, 0) + x[1] * y)]
        with m.Elif(self.o.ready):
            m.d.sync += busy.eq(0)
        return m


class Program(wiring.Component):
    """A program of random sums on four words, whose operands are chosen by a table; the last word is the result."""

    STEPS = 6

    def __init__(self, seed):
        self.seed = seed
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m, rng = Module(), random.Random(self.seed)
        left, words = Signal(3, name="left"), Array(Signal(6, name=f"word_{k}") for k in range(4))
        into, first, second, minus = (Signal(2, name=name) for name in ("into", "first", "second", "minus"))
        with m.Switch(left):
            for step in range(1, self.STEPS + 1):
                with m.Case(step):
                    m.d.comb += [one.eq(rng.randrange(4)) for one in (into, first, second, minus)]
        a, b = words[first], words[second]
        m.d.comb += self.i.ready.eq((left == 0) & ~self.o.valid)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [left.eq(self.STEPS), *(word.eq(self.i.p.x >> k) for k, word in enumerate(words))]
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), words[into].eq(Mux(minus[0], a - b, a + b)), self.o.valid.eq(left == 1)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        m.d.comb += self.o.p.z.eq(words[3])
        return m


def decided(store, netlist, *found, i=IN, lanes=None, choosing=()):
    alone = Alone(once(merged(netlist, found)[0]), lanes or Offers.of(offers.payloads(i), i.width), store, choosing)
    verdicts = []
    for number in range(1, len(found) + 1):
        try:
            verdicts.append(alone.decide(number))
        except DifferentError as error:
            verdicts.append(error)
    return verdicts


def equal_to(verdict):
    """Whether a mutant was proved equivalent."""
    return isinstance(verdict, str) and verdict != ""


def at(netlist, place, **said):
    return next(
        m
        for m in mutations(netlist)
        if netlist.place(m.cell) == place and all(str(getattr(m, name)).startswith(text) for name, text in said.items())
    )


@pytest.fixture(scope="module")
def serial():
    return Netlist.of(Serial(), "serial")


# --- lanes


@needs("compiled-simulator", why="the lanes are evaluated by compiled code")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    gates=st.lists(st.tuples(LITERAL, LITERAL), min_size=1, max_size=30),
    lanes=st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=3),
)
def test_a_known_bit_has_that_value_whatever_is_unknown(gates, lanes, store):
    """In each lane, for all values of what is unknown there; the last four literals are what follows a state of two."""
    circuit = Circuit()
    inputs = circuit.several(4)
    literals = [FALSE, TRUE, *inputs]
    for a, b in gates:
        a, b = a % (2 * len(literals)), b % (2 * len(literals))
        literals.append(circuit.both(literals[a >> 1] ^ a & 1, literals[b >> 1] ^ b & 1))
    bits = [
        tuple(sum((unknown >> k & 1 | (values >> k & 1) ^ off) << n for n, (unknown, values) in enumerate(lanes))
              for off in (0, 1))
        for k in range(4)
    ]  # fmt: skip
    machine = Ternary(circuit, inputs[:2], literals[-2:], literals, store)
    seen, after = machine.cycle(bits[:2], dict(zip(inputs[2:], bits[2:], strict=True)), len(lanes))
    columns = {one: sum((value >> k & 1) << value for value in range(16)) for k, one in enumerate(inputs)}
    evaluated = circuit.evaluated(literals, columns, 16)
    for found, column in zip([*(seen[one] for one in literals), *after], [*evaluated, *evaluated[-2:]], strict=True):
        for n, (unknown, values) in enumerate(lanes):
            agree = {column >> value & 1 for value in range(16) if not (value ^ values) & ~unknown & 15}
            assert agree <= {k for k in (0, 1) if found[1 - k] >> n & 1}


# --- payloads


def test_every_payload_of_a_contract_once(monkeypatch):
    i = Payload((Field("a", 3, count=2), Field("m", 2, bound=3)))
    group = residues_of("a", (5, 7), 20, least=2)
    found = list(offers.payloads(i, [group]))
    expected = [
        i.pack({"a": (a, b), "m": m})
        for m in range(3) for v in range(2, 20) for a in range(v % 5, 8, 5) for b in range(v % 7, 8, 7)
    ]  # fmt: skip
    assert sorted(found) == sorted(expected)
    odd = Unpromised(("m",), lambda m: m == 1)
    assert sorted(offers.payloads(i, [group], [odd])) == sorted(one for one in expected if i.unpack(one)["m"] == 1)
    monkeypatch.setattr(offers, "MOST_PAYLOADS", len(expected) - 1)
    assert offers.payloads(i, [group]) is None
    monkeypatch.setattr(offers, "MOST_PAYLOADS", 2)
    assert offers.payloads(i, [group]) is None


@pytest.mark.parametrize("count", [1, 3])
def test_lanes_hold_what_agrees_with_a_cover(count):
    i = Payload((Field("a", 3), Field("b", 2)))
    covers = [{"a": 5}, {"a": Bits(2, 6), "b": 1}, {"b": Bits(0, 0)}][:count]
    found = Offers.covering(covers, i)
    held = [{word for word in range(32) if holds(found.part(k, 1), word)} for k in range(count)]
    expected = [
        {word for word in range(32) if word & 7 == 5},
        {word for word in range(32) if word & 6 == 2 and word >> 3 == 1},
        set(range(32)),
    ]
    assert held == expected[:count] and found.lanes == count
    assert [holds(found.repeated(2).part(count + k, 1), 5) for k in range(count)] == [5 in some for some in held]
    assert {found.word(k) for k in range(count)} == {min(some) for some in held}


def test_a_wide_payload_has_no_lanes(monkeypatch):
    i = Payload((Field("a", 3),))
    covers = [{"a": 1}, {"a": 2}]
    assert offers.covering(i, lambda: iter(covers)).lanes == 2
    monkeypatch.setattr(offers, "MOST_PAYLOADS", 1)
    assert offers.covering(i, lambda: iter(covers)) is None
    monkeypatch.setattr(offers, "WIDEST", 2)
    assert offers.covering(i, covers.clear) is None and covers, "not listed at all"


def holds(found, word):
    """Whether a payload is in a lane."""
    lanes = (1 << found.lanes) - 1
    for k, (one, zero) in enumerate(found.bits):
        lanes &= one if word >> k & 1 else zero
    return lanes != 0


COVERED = [(name, n) for name, core in all_cores().items() for n, _ in enumerate(core.trials) if name in (
    "ecpm/ladder", "ecpm/r64-ladder", "xmul/montgomery-ladder", "edmul/double-add"
)]  # fmt: skip


@pytest.mark.parametrize(("core", "trial"), COVERED)
def test_covers_hold_every_promised_payload(core, trial, store):
    """Of the smallest field for the longest list, and of each sort of error."""
    found = find(core)
    prepared = prepare(found, Request.from_mapping(found, {"core": core, **found.trials[trial].document}), store)
    codec, i, rng = prepared.codec, prepared.parameters.i, random.Random(core)
    assert isinstance(codec, Covered)
    largest = 5 if core.startswith("ecpm") else 15

    def small(cover):
        return not isinstance(cover.get("m", 0), int) or cover.get("m", 0) <= largest

    lanes = Offers.covering(takewhile(small, codec.covers()), i)
    drawn = [case[PAYLOAD] for case in random_cases(prepared, 600, 1) if PAYLOAD in case]
    drawn += [one | {"m": rng.choice((2, 3, 5, largest))} for one in drawn]
    drawn += [i.unpack(rng.getrandbits(i.width)) for _ in range(200)]
    promised = [one for one in drawn if one["m"] <= largest and codec.read(one) is not None]
    assert not [one for one in promised if not holds(lanes, i.pack(one))]
    readings = {codec.read(one).error for one in promised}
    assert {None, *prepared.parameters.o["error"].role.codes.values()} == readings


# --- the smallest part that is enough


@given(st.sets(st.integers(0, 12), max_size=4), st.integers(1, 13))
def test_the_least_part_is_found(needed, size):
    needed &= set(range(size))
    assert set(_least(range(size), needed.issubset)) == (needed if needed else set()) or not needed


# --- mutants


def test_what_no_operation_reads_is_equivalent(store, serial):
    """What registers hold before they are set; which of the two sums is used; and 12 and more, which no operand is."""
    found = decided(
        store,
        serial,
        at(serial, "x", kind="reset", mutated="none"),
        at(serial, "left", kind="reset", original="reset to"),
        at(serial, "turn", kind="reset", original="reset to"),
        at(serial, "turn", kind="reset", mutated="none"),
    )
    assert [str(one)[:20] for one in found[:3]] == ["no result differs fo"] * 3
    assert found[3] == "", "a bit by which idle states are told apart is not known"


@pytest.mark.parametrize(
    "said",
    [
        {"place": "x", "kind": "enable", "mutated": "stuck at 0"},
        {"place": "left", "kind": "width"},
        {"place": "busy", "kind": "reset", "mutated": "none"},
        {"place": "turn", "kind": "bit", "mutated": "stuck at 1"},
        {"place": "sum_0", "kind": "bit", "mutated": "inverted"},
    ],
)
def test_what_shows_is_never_equivalent(store, serial, said):
    (found,) = decided(store, serial, at(serial, said.pop("place"), **said))
    assert not isinstance(found, str) or found == ""


def test_an_operand_that_tells_two_apart_is_named(store, serial):
    (found,) = decided(store, serial, at(serial, "x", kind="bit", original="Q[3]", mutated="stuck at 0"))
    assert isinstance(found, DifferentError) and 8 <= found.payload < 12 and found.cycle


def test_a_result_counts_in_the_cycle_in_which_it_is_taken_too(store, serial):
    """`o.valid` that falls when the reader is ready: as long as the reader waits, nothing is wrong."""
    fault = at(serial, "strange", kind="bit", mutated="stuck at 1")
    same = at(serial, "x", kind="reset", mutated="none")
    found = decided(store, serial, fault, same)
    assert found[0] == "" and found[1]


def test_covers_decide_as_all_their_payloads_do(store):
    """Where y is unknown next to an x of 3; with y unknown everywhere, only what changes nothing in its cycle."""
    netlist = Netlist.of(Checked(), "checked")
    found = chosen(mutations(netlist), 30, 1)
    every = [equal_to(one) for one in decided(store, netlist, *found, i=PAIR)]
    covers = [{"x": 3}, *({"x": x, "y": y} for x in range(3) for y in range(4))]
    some = decided(store, netlist, *found, lanes=Offers.covering(covers, PAIR))
    assert every == [equal_to(one) for one in some]
    unknown = Offers.covering([{"x": x} for x in range(4)], PAIR)
    few = [equal_to(one) for one in decided(store, netlist, *found, lanes=unknown)]
    assert all(all_known or not one for one, all_known in zip(few, every, strict=True))
    assert any(few)


def test_cores_of_another_kind_are_left_to_other_methods(store, monkeypatch):
    for core in (Piped(), Serial(stays=False)):
        netlist = Netlist.of(core, "other")
        assert decided(store, netlist, next(iter(mutations(netlist)))) == [""]
    netlist = Netlist.of(Serial(), "serial")
    reset = at(netlist, "x", kind="reset", mutated="none")
    assert Alone(once(merged(netlist, [reset])[0]), None, store).decide(1) == ""
    monkeypatch.setattr(lockstep, "MOST_WORK", 10)
    assert decided(store, netlist, reset) == [""]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(2, 12))])
def test_what_random_runs_tell_apart_is_never_equivalent(store, seed):
    netlist = Netlist.of(Serial(seed=seed), "random")
    selected = chosen(mutations(netlist), 40, seed)
    verdicts = decided(store, netlist, *selected)
    equal = [number for number, verdict in enumerate(verdicts, 1) if isinstance(verdict, str) and verdict]
    names = [number for number, verdict in enumerate(verdicts, 1) if not isinstance(verdict, str)]
    design = graph_of(merged(netlist, selected)[0])[:2]
    bounded = {number for number in equal if differs(*design, number, limit=12)}
    assert equal and not bounded
    assert names and all(differs(*design, number, limit=12) for number in islice(names, 5))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(2, 12))])
def test_what_is_decided_without_operands_does_not_differ(store, seed):
    """Of a random program, with everything unknown at the operands; words and operands that nothing reads are many."""
    netlist = Netlist.of(Program(seed), "program")
    selected = chosen(mutations(netlist), 60, seed)
    verdicts = decided(store, netlist, *selected, lanes=Offers.unknown(IN.width))
    equal = [number for number, verdict in enumerate(verdicts, 1) if equal_to(verdict)]
    design = graph_of(merged(netlist, selected)[0])[:2]
    assert len(equal) > 2 and not [number for number in equal if differs(*design, number, limit=16)]

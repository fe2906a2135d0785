# SPDX-License-Identifier: Apache-2.0
"""Ranges of a netlist's words: that no value lies out of them, and that they decide mutants."""

from __future__ import annotations

import operator

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from modwright.contract import Field, Payload
from modwright.contract.operands import residues_of
from modwright.mutate import equivalence as eq
from modwright.mutate import intervals
from modwright.mutate.intervals import Interval, fit, full, holds, join, of_cell, part, signed, unsigned, widened
from modwright.mutate.mutations import Mutation, Rewire, Split
from modwright.mutate.netlist import Netlist
from modwright.mutate.ranges import Ranges
from modwright.mutate.schemata import schemata
from modwright.mutate.sites import mutations
from modwright.rtl.streams import core_members

IN, OUT = Payload((Field("x", 4, bound=10), Field("y", 4))), Payload((Field("z", 7), Field("error", 1)))

ONE = {"$pos": operator.pos, "$neg": operator.neg, "$not": operator.invert}
TWO = {
    "$add": operator.add,
    "$sub": operator.sub,
    "$mul": operator.mul,
    "$and": operator.and_,
    "$or": operator.or_,
    "$xor": operator.xor,
    "$lt": operator.lt,
    "$le": operator.le,
    "$gt": operator.gt,
    "$ge": operator.ge,
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$shr": operator.rshift,
    "$shl": operator.lshift,
    "$logic_and": lambda a, b: bool(a) and bool(b),
}


def inside(value: int, interval: Interval, width: int) -> bool:
    """Whether a word that holds this integer is one of an interval."""
    return any(interval.low <= value % (1 << width) - k <= interval.high for k in (0, 1 << width))


@st.composite
def words(draw, width=5):
    """A word's interval, and a value in it."""
    low, high = sorted(draw(st.tuples(*[st.integers(-40, 40)] * 2)))
    return fit(low, high, width), draw(st.integers(low, high)) % (1 << width)


def check(kind, a, b, minus, width):
    """The result for two values lies in the interval for theirs."""
    (one, x), (two, y) = a, b
    read = signed if minus else unsigned
    x, y = (v - 32 if minus and v >= 16 else v for v in (x, y))
    operands = [read(one, 5), read(two, 5)]
    if kind in ONE:
        assert inside(ONE[kind](x), of_cell(kind, operands[:1], width), width)
    elif kind not in ("$shr", "$shl") or (x >= 0 and y >= 0):
        assert inside(int(TWO[kind](x, y)), of_cell(kind, operands, width), width)


@pytest.mark.parametrize("kind", [*ONE, *TWO])
@given(words(), words(), st.booleans(), st.integers(1, 11))
@settings(max_examples=60, deadline=None)
def test_a_result_lies_in_its_interval(kind, a, b, minus, width):
    check(kind, a, b, minus, width)


@given(words(), words(), st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_what_is_made_of_intervals_holds_their_values(a, b, low):
    (one, x), (two, y) = a, b
    both = join(one, two, 5)
    assert inside(x, both, 5) and inside(y, both, 5) and holds(both, one, 5) and holds(both, two, 5)
    assert holds(widened(one, 5), one, 5) and inside(x >> low, part(one, low, 5 - low), 5 - low)
    assert holds(full(5), one, 5)


def test_a_wrong_transfer_function_is_seen(monkeypatch):
    """A product of the ends in order: not so for negative factors."""

    def wrong(a, b):
        return Interval(a.low * b.low, a.high * b.high)

    a, b = (Interval(-3, 2), 29), (Interval(-1, 4), 4)
    check("$mul", a, b, True, 10)
    monkeypatch.setitem(intervals._TWO, "$mul", wrong)
    with pytest.raises(AssertionError):
        check("$mul", a, b, True, 10)


class Bounded(wiring.Component):
    """Sums of an operand below 10, a difference that may be negative, and a word that counts up without end."""

    def __init__(self) -> None:
        super().__init__(core_members(IN, OUT))
        self.x, self.total, self.less = Signal(4, name="x"), Signal(5, name="total"), Signal(7, name="less")
        self.count, self.y = Signal(3, name="count"), Signal(4, name="y")

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(1), self.o.p.z.eq(self.total ^ self.less ^ self.count)]
        m.d.comb += self.o.p.error.eq(self.y.xor())
        m.d.sync += [self.x.eq(self.i.p.x), self.y.eq(self.i.p.y), self.total.eq(self.x + 3)]
        m.d.sync += [
            self.count.eq(self.count + self.i.valid),
            self.less.eq(Mux(self.y[1], self.total - 15, self.total)),
        ]
        return m


@pytest.fixture(scope="module")
def netlist():
    return Netlist.of(Bounded(), "bounded")


def by_name(netlist, ranges):
    """Ranges of registers by the name of the signal."""
    return {netlist.place(cell): value for (cell, port, _), value in ranges.intervals.items() if port == "Q"}


def test_ranges_are_those_of_the_operands(netlist):
    found = by_name(netlist, Ranges(netlist, IN))
    assert found["x"] == Interval(0, 9) and found["total"] == Interval(0, 12)
    assert found["less"] == Interval(-15, 12) and found["count"] == full(3)


def test_bounds_of_representatives_do_not_count(netlist):
    found = by_name(netlist, Ranges(netlist, IN, [residues_of("x", [5], 5)]))
    assert found["x"] == full(4) and found["total"] == Interval(0, 18)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 15), st.booleans()), min_size=1, max_size=20))
@settings(max_examples=20, deadline=None)
def test_no_value_in_a_simulation_lies_out_of_its_range(netlist, operands):
    core = Bounded()
    found = by_name(netlist, Ranges(netlist, IN))
    signals = [s for s in (core.x, core.total, core.less, core.count, core.y) if s.name in found]
    assert len(signals) >= 4

    async def run(ctx):
        for x, y, valid in operands:
            ctx.set(core.i.p.x, x)
            ctx.set(core.i.p.y, y)
            ctx.set(core.i.valid, valid)
            await ctx.tick()
            for signal in signals:
                width = len(signal)
                assert inside(ctx.get(signal), found[signal.name], width)

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(run)
    simulator.run()


def register(netlist, name, edit):
    cell = next(c for c, v in netlist.cells.items() if "Q" in v["connections"] and netlist.place(c) == name)
    return Mutation(cell, cell, "bit", "", "", edit)


@pytest.mark.parametrize(("bit", "expected"), [(3, False), (4, True)])
def test_a_bit_that_no_reachable_value_sets(netlist, bit, expected):
    stuck = register(netlist, "total", Rewire("Q", ((bit, "0"),)))
    assert Ranges(netlist, IN).unchanged(stuck) is expected
    pair = eq.Pair("bounded", schemata(netlist, [stuck]).model, IN, OUT)
    assert (pair.decide(1).status == eq.EQUIVALENT) is expected


def test_a_cell_that_is_the_same_for_all_values_it_gets(netlist):
    ranges, free = Ranges(netlist, IN), Ranges(netlist, Payload((Field("x", 4), Field("y", 4))))
    sums = [m for m in mutations(netlist) if isinstance(m.edit, Split) and netlist.cells[m.cell]["type"] == "$add"]
    decided = {
        m.edit.at: (ranges.unchanged(m), free.unchanged(m))
        for m in sums
        if m.edit.at in (3, 4) and _reads(netlist, m, "x")
    }
    assert decided == {4: (True, False), 3: (False, False)}


def _reads(netlist, mutation, name):
    bits = netlist.cells[mutation.cell]["connections"]["A"]
    return any(
        c["connections"].get("Q", [])[:1] == bits[:1] for n, c in netlist.cells.items() if netlist.place(n) == name
    )


def test_a_reset_is_left_to_other_methods(netlist):
    reset = next(m for m in mutations(netlist) if m.kind == "reset")
    assert not Ranges(netlist, IN).unchanged(reset)

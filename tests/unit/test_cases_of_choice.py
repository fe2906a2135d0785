# SPDX-License-Identifier: Apache-2.0
"""Operations told apart by the registers that choose words: more is decided, and nothing that differs."""

from __future__ import annotations

import pytest
from amaranth.hdl import Array, Module, Signal
from amaranth.lib import memory, wiring

from modwright.mutate.cases import choosing
from modwright.mutate.lanes import cases
from modwright.mutate.netlist import Netlist
from modwright.mutate.offers import Offers
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.twins import graph_of
from modwright.rtl.streams import core_members

from .test_alone import IN, OUT, at, decided, equal_to
from .test_operation import differs

ZERO, ONE, ANY, SAME = (0, 1), (1, 0), (1, 1), (0, 1)


class Exchanged(wiring.Component):
    """x and 3 in two words of a memory, exchanged by the lowest bit of x; their difference is the result."""

    def __init__(self):
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = memory.Memory(shape=4, depth=2, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        busy, step = Signal(name="busy"), Signal(3, name="step")
        x, which, first = Signal(4, name="x"), Signal(name="which"), Signal(4, name="first")
        m.d.comb += [self.i.ready.eq(~busy), self.o.valid.eq(busy & (step == 5))]
        m.d.comb += [write.en.eq((step == 1) | (step == 2)), write.addr.eq(which ^ (step == 2))]
        m.d.comb += [write.data.eq(x), read.addr.eq(which ^ (step == 4))]
        with m.If(self.i.valid & ~busy):
            m.d.sync += [busy.eq(1), step.eq(1), x.eq(self.i.p.x), which.eq(self.i.p.x[0])]
        with m.Elif(busy & (step != 5)):
            m.d.sync += [step.eq(step + 1), x.eq(3)]
        with m.Elif(self.o.ready):
            m.d.sync += busy.eq(0)
        with m.If(step == 3):
            m.d.sync += first.eq(read.data)
        with m.If(step == 4):
            m.d.sync += self.o.p.z.eq(first - read.data)
        return m


class Turning(wiring.Component):
    """x two cycles later, from one of two words that take turns in every cycle; while it waits, `turns` of it go on.

    What is added is a register without a reset, which is 5 at any time.
    """

    def __init__(self):
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        busy, left, slot = Signal(name="busy"), Signal(2, name="left"), Signal(name="slot")
        words = Array(Signal(4, name=f"word_{k}") for k in range(2))
        turns, never, added = (
            Signal(5, name="turns"),
            Signal(name="never"),
            Signal(4, name="added", init=5, reset_less=True),
        )
        m.d.comb += [self.i.ready.eq(~busy), self.o.valid.eq(busy & (left == 0))]
        m.d.sync += [slot.eq(~slot), turns.eq(turns + 1)]
        with m.If(self.i.valid & ~busy):
            m.d.sync += [busy.eq(1), left.eq(2), turns.eq(0), words[slot].eq(self.i.p.x)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 1):
                m.d.sync += self.o.p.z.eq(words[slot] + added + turns)
        with m.Elif(self.o.ready):
            m.d.sync += busy.eq(0)
        with m.If(left == 3):
            m.d.sync += never.eq(1)
        with m.If(never):
            m.d.sync += added.eq(self.i.p.x ^ left)
        return m


@pytest.fixture(scope="module")
def exchanged():
    return Netlist.of(Exchanged(), "exchanged")


def test_what_chooses_is_before_an_address_or_an_enable(exchanged):
    names = choosing(exchanged)
    assert {"which[0]", "step[0]", "step[1]", "step[2]"} <= names
    assert not {name for name in names if name.startswith(("x[", "first[", "busy["))}


def test_more_is_decided_and_nothing_that_differs(store, exchanged):
    selected = chosen(mutations(exchanged), 80, 1)
    anything = Offers.unknown(IN.width)
    before, now = (
        list(map(equal_to, decided(store, exchanged, *selected, lanes=anything, choosing=names)))
        for names in ((), choosing(exchanged))
    )
    assert sum(now) > sum(before) and all(later for later, known in zip(now, before, strict=True) if known)
    graph = graph_of(merged(exchanged, selected)[0])[:2]
    assert not [number for number, equal in enumerate(now, 1) if equal and differs(*graph, number, limit=16)]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        # the bit of the core, that of the mutant, its mark, another one
        ([ANY, ANY, SAME, ANY], {(ZERO, ZERO, SAME, ANY), (ONE, ONE, SAME, ANY)}),
        ([ANY, ZERO, ANY, ONE], {(ZERO, ZERO, SAME, ONE), (ONE, ZERO, ANY, ONE)}),
        ([ZERO, ONE, ANY, ANY], {(ZERO, ONE, ANY, ANY)}),
    ],
)
def test_an_unknown_bit_counts_as_both(state, expected):
    """In core and mutant alike, unless its mark says that it may differ."""
    assert set(map(tuple, cases(state, 1, [(0, 1, 2)]))) == expected


def test_lanes_that_agree_are_joined():
    lanes = [(0b01, 0b10), (0b11, 0b01), (0b10, 0b01)]  # lane 0: 1, ?, 0; lane 1: 0, 1, 1
    assert set(map(tuple, cases(lanes, 2, [(0, None, None)]))) == {(ONE, ANY, ZERO), (ZERO, ONE, ONE)}
    assert list(cases(lanes, 2, [])) == [[ANY, ANY, ANY]]


def test_what_turns_between_operations_tells_idle_states_apart(store):
    """Which word is written is known then; and what turns while a result waits need not come to rest."""
    netlist = Netlist.of(Turning(), "turning")
    same = at(netlist, "word_0", kind="reset", mutated="none")
    other = at(netlist, "word_1", kind="bit", mutated="stuck")
    assert list(map(equal_to, decided(store, netlist, same, other, lanes=Offers.unknown(IN.width)))) == [True, False]


def test_resets_come_in_states_that_operations_reach(store):
    """Of any state, a register without a reset could differ; it never takes what the mutation changes."""
    netlist = Netlist.of(Turning(), "turning")
    fault = next(m for m in mutations(netlist) if m.kind == "operator" and m.original == "xor")
    assert all(map(equal_to, decided(store, netlist, fault, lanes=Offers.unknown(IN.width))))

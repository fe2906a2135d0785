# SPDX-License-Identifier: Apache-2.0
"""Player of control words that operations in flight read in turn, by the cycle modulo the interval I.

Registers, counted from the cycle of `start`; f is the cycle of the first word of an operation:

    cycle    register that holds the value from this cycle on
    1        `at`: f modulo I, the number of the word that is issued f - 1 cycles later
    f - 2    `fetched`: the word of cycle f; `alive[A]`, `context_A`: whether an operation has age A, and its context
"""

from __future__ import annotations

from itertools import pairwise

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ....schedule import ControlWord
from ..schedule import CONTEXT, END, FIELDS, IN_LOGIC, PARITY, Ring

AHEAD = 2
"""Cycles from the fields of a word to its own cycle: places of limbs, and the limbs, lie between."""


class RingPlayer(wiring.Component):
    """Player of a ring.

    Parameters
    ----------
    ring : Ring
    first : int
        Cycle f of the first word.
    contexts : int
        Number P of contexts, which operations take in turn.

    Attributes
    ----------
    start : in
        An operation starts, at a multiple of the interval from those in flight.
    context, parity : out
        Context of the operation that started last, and whether it took that context an odd number of times; from the
        cycle after `start` on.
    fresh : out
        Context of the next operation.
    word : out
        Fields of the word of the next cycle but one, with context and parity of its operation.
    """

    def __init__(self, ring: Ring, first: int, contexts: int) -> None:
        self.ring, self.first, self.contexts = ring, first, contexts
        self.control = ControlWord.of(ring.words)
        number = range(max(2, contexts))
        fields = {name: width for name, width in self.control.widths.items() if name not in ("age", END)}
        self.layout = data.StructLayout(fields | {CONTEXT: (self.contexts - 1).bit_length() or 1, PARITY: 1})
        super().__init__(
            {"start": In(1), "context": Out(number), "parity": Out(1), "fresh": Out(number), "word": Out(self.layout)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        interval = len(self.ring.words)
        at = Signal(range(interval))
        with m.If(self.start):
            m.d.sync += at.eq(self.first % interval)
        with m.Else():
            m.d.sync += at.eq(Mux(at == interval - 1, 0, at + 1))
        m.d.comb += self.fresh.eq(Mux(self.context == self.contexts - 1, 0, self.context + 1))
        with m.If(self.start):
            m.d.sync += [self.context.eq(self.fresh), self.parity.eq(self.parity ^ (self.fresh == 0))]
        fetched, wraps = self._fetched(m, at)
        begins: Value = self.start
        for cycle in range(1, self.first - AHEAD):
            register = Signal(name=f"begins_{cycle}")
            m.d.sync += register.eq(begins)
            begins = register
        alive, of = self._ages(m, begins, wraps, fetched)
        own = {CONTEXT: of[:-1], PARITY: of[-1]}
        for name in self.layout.members:
            value = own[name] if name in own else fetched[name]
            m.d.comb += self.word[name].eq(value & alive.replicate(len(value)) if name in FIELDS else value)
        return m

    def _fetched(self, m: Module, at: Signal) -> tuple[data.View, Value]:
        """Register of the word, and the strobe of the cycle before it is that of cycle 0."""
        words = [self.control.pack(word) for word in self.ring.words]
        fetched = Signal(data.StructLayout(self.control.widths))
        wraps: Value = at == 0
        if len(words) <= IN_LOGIC:
            m.d.sync += fetched.as_value().eq(Array(Const(word, self.control.bits) for word in words)[at])
            return fetched, wraps
        m.submodules.memory = store = memory.Memory(shape=self.control.bits, depth=len(words), init=words)
        port, later = store.read_port(), Signal()
        m.d.comb += [port.addr.eq(at), port.en.eq(1)]
        m.d.sync += [fetched.as_value().eq(port.data), later.eq(wraps)]
        return fetched, later

    def _ages(self, m: Module, begins: Value, wraps: Value, fetched: data.View) -> tuple[Value, Value]:
        """Whether an operation has the age of the word, and its context and parity."""
        ages, own = self.ring.ages, Cat(self.context, self.parity)
        alive = Signal(ages)
        contexts = [Signal(len(own), name=f"context_{age}") for age in range(ages)]
        with m.If(wraps):
            m.d.sync += alive.eq(alive << 1)
            m.d.sync += [after.eq(before) for before, after in pairwise(contexts)]
        with m.Elif(fetched[END]):  # the next start need not be aligned, and no word may be that of this operation then
            m.d.sync += alive[-1].eq(0)
        with m.If(begins):
            m.d.sync += [alive[0].eq(1), contexts[0].eq(own)]
        if "age" not in self.control.widths:
            return alive[0], contexts[0]
        return Array(alive[age] for age in range(ages))[fetched["age"]], Array(contexts)[fetched["age"]]

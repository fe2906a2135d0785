# SPDX-License-Identifier: Apache-2.0
"""The sequencer: plays the control words of a schedule from a ROM, once for every admitted operation."""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..schedule import Schedule


class Sequencer(wiring.Component):
    """Plays `schedule.words`: in clock t after a start, every field has the value of word t.

    Where an operation is still being played when the next one starts, lanes take turns; a field's values of
    overlapping operations are OR-ed, which the schedule makes safe: a field belongs to a resource, and no resource has
    two users in one clock.

    Parameters
    ----------
    schedule : Schedule
        Word 0 must be all zero (the operation's first step reads the input stream directly), and a field that is
        not named in a word is 0.

    Attributes
    ----------
    start : in
        An operation is admitted in this clock; at least `schedule.interval` clocks apart.
    <field> : out
        One for each control field of the schedule, registered.
    """

    def __init__(self, schedule: Schedule) -> None:
        if any(schedule.words[0].values()):
            raise ValueError("control word 0 of a schedule must be zero")
        self.schedule = schedule
        names = sorted({name for word in schedule.words for name in word})
        self.widths = {name: max(1, max(word.get(name, 0) for word in schedule.words).bit_length()) for name in names}
        super().__init__({"start": In(1)} | {name: Out(width) for name, width in self.widths.items()})

    @property
    def bits(self) -> int:
        """Width of a control word."""
        return sum(self.widths.values())

    @property
    def lanes(self) -> int:
        """Operations that can be in play at once."""
        return -(-self.schedule.span // self.schedule.interval)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        turn = Signal(range(self.lanes))  # the lane that takes the next operation
        with m.If(self.start):
            m.d.sync += turn.eq(Mux(turn == self.lanes - 1, 0, turn + 1))
        played: Value = Const(0, self.bits)
        for lane in range(self.lanes):
            played = played | self._lane(m, lane, self.start & (turn == lane))
        low = 0
        for name, width in self.widths.items():
            m.d.comb += getattr(self, name).eq(played[low : low + width])
            low += width
        return m

    def _lane(self, m: Module, lane: int, chosen: Value) -> Signal:
        """A counter and its ROM; the word read ahead is registered.

        A start reaches the word behind the ROM, not through it, as it comes late in its clock.
        """
        span = self.schedule.span
        step = Signal(range(1, max(span, 2) + 1), init=span, name=f"step_{lane}")  # next word to play; span: none
        word = Signal(self.bits, name=f"word_{lane}")
        rom = self._rom()
        m.d.sync += word.eq(Mux(chosen, rom[1], rom[step]))
        with m.If(chosen):
            m.d.sync += step.eq(min(2, span))
        with m.Elif(step < span):
            m.d.sync += step.eq(step + 1)
        return word

    def _rom(self) -> Array[Value]:
        """Every word, and zero after the last."""
        return Array(Const(self._pack(word), self.bits) for word in (*self.schedule.words, {}))

    def _pack(self, word: dict[str, int]) -> int:
        packed = low = 0
        for name, width in self.widths.items():
            packed |= word.get(name, 0) << low
            low += width
        return packed

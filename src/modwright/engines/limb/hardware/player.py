# SPDX-License-Identifier: Apache-2.0
"""Plays the control words of one of several schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....schedule import Schedule


class Player(wiring.Component):
    """In clock t after a start, every field has the value of word t of the chosen schedule; 0 after the last.

    Unlike `rtl.sequencer.Sequencer`, it has one counter and one ROM for all schedules: their words lie in clocks 1 to
    `interval`, so that those of two operations never overlap.

    Parameters
    ----------
    schedules : sequence of Schedule
        The kinds, in the order of their numbers.
    fields : mapping of str to int
        Fields of a word and their widths in bits.

    Attributes
    ----------
    start : in
        An operation begins in the next clock; at least `interval` clocks after the start before it.
    kind : in
        Number of its schedule, with `start`.
    word : out, a field each, registered
    """

    def __init__(self, schedules: Sequence[Schedule], fields: Mapping[str, int]) -> None:
        if any(schedule.span != schedule.interval + 1 or schedule.words[0] for schedule in schedules):
            raise ValueError("the words of a schedule lie in clocks 1 to its interval")
        self.schedules, self.fields = schedules, dict(fields)
        self.layout = data.StructLayout(fields)
        super().__init__(
            {"start": In(1), "kind": In(max(1, (len(schedules) - 1).bit_length())), "word": Out(self.layout)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rom, begins, ends = self._rom()
        step = Signal(range(len(rom)), init=ends[0])  # the word that follows; an end stays where it is
        first = Signal.like(step, init=0)
        m.d.comb += first.eq(Array(Const(at, len(first)) for at in begins)[self.kind])
        m.d.sync += self.word.as_value().eq(rom[Mux(self.start, first, step)])
        with m.If(self.start):
            m.d.sync += step.eq(first + 1)
        with m.Elif(~Cat(step == end for end in ends).any()):
            m.d.sync += step.eq(step + 1)
        return m

    def _rom(self) -> tuple[Array[Value], list[int], list[int]]:
        """All words, a word of zeros behind those of each schedule; where each begins, and its zeros."""
        words: list[Value] = []
        begins, ends = [], []
        for schedule in self.schedules:
            begins.append(len(words))
            words += [Const(self._pack(word), self.layout.size) for word in schedule.words[1:]]
            ends.append(len(words))
            words.append(Const(0, self.layout.size))
        return Array(words), begins, ends

    def _pack(self, word: Mapping[str, int]) -> int:
        packed = low = 0
        for name, width in self.fields.items():
            packed |= word.get(name, 0) << low
            low += width
        return packed


def widths(schedules: Sequence[Schedule]) -> dict[str, int]:
    """The fields of several schedules, each as wide as its largest value."""
    words = [word for schedule in schedules for word in schedule.words]
    names = sorted({name for word in words for name in word})
    return {name: max(word.get(name, 0) for word in words).bit_length() for name in names}

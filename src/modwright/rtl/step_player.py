# SPDX-License-Identifier: Apache-2.0
"""A player of words of unknown length: one stays active until the data path ends it.

Registers, counted from the cycle of `start` or `next`:

    cycle    register that holds the value from this cycle on
    1        `word`: the word that follows; `fresh`; `at`: the number of the one behind it
    2        `ahead`: that one
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..schedule import JUMP, ControlWord, Word


class StepPlayer(wiring.Component):
    """Player of words that stay active until the data path ends them: each at least 2 cycles, with a jump 3.

    The word after the active one is read ahead, so that no logic lies between `next` and the words.

    Parameters
    ----------
    words : sequence of Word
        The first one is issued after a start, the others in turn. One with the field `JUMP` names another word that
        may follow instead of the next.

    Attributes
    ----------
    start : in
        The first word is active from the next cycle on; only while none is.
    next : in
        The word ends in this cycle.
    jump : in
        The word at `word.jump` follows; at least two cycles before `next`.
    stop : in
        The last word ends in this cycle, and none follows.
    word : out, a register
        The active word; all fields 0 where none is.
    fresh : out, a register
        The first cycle of a word.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.control = ControlWord.of(words)
        layout = data.StructLayout(self.control.widths)
        self._ahead = Signal(self.control.bits, name="ahead")
        strobes = {name: In(1) for name in ("start", "next", "jump", "stop")}
        super().__init__(strobes | {"word": Out(layout), "fresh": Out(1)})

    def field(self, name: str) -> Value:
        """Read a field of the active word; 0 where no word has it."""
        return self.word[name] if name in self.control.widths else Const(0, 1)

    def coming(self, name: str) -> Value:
        """Read a field of the word that is active from the next cycle on, in one with `start` or `next`."""
        if name not in self.control.widths:
            return Const(0, 1)
        first = Const(self.words[0].get(name, 0), self.control.widths[name])
        return Mux(self.start, first, data.View(data.StructLayout(self.control.widths), self._ahead)[name])

    def elaborate(self, platform: object) -> Module:
        m = Module()
        packed = [Const(self.control.pack(word), self.control.bits) for word in self.words]
        rom, after = Array([*packed, Const(0, self.control.bits)]), min(1, len(packed) - 1)
        at, ahead = Signal(range(len(packed) + 1), init=after), self._ahead
        m.d.sync += [ahead.eq(rom[at]), self.fresh.eq(self.start | self.next)]
        with m.If(self.start):
            m.d.sync += self.word.as_value().eq(packed[0])
        with m.Elif(self.stop):
            m.d.sync += [self.word.as_value().eq(0), at.eq(after)]
        with m.Elif(self.next):
            m.d.sync += [self.word.as_value().eq(ahead), at.eq(at + 1)]
        with m.Elif(self.jump):
            m.d.sync += at.eq(self.field(JUMP))
        return m

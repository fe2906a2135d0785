# SPDX-License-Identifier: Apache-2.0
"""Plays the program: set-up, so many steps, exit. Words come from a memory, which is read two clocks ahead."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..plan.program import Program


class ProgramSequencer(wiring.Component):
    """Attributes
    ----------
    start : in
        The first word is played in the next clock; not while another program is played.
    ready : out
        `start` may be set.
    word : out
        Word in play; 0 before the first and after the last, which has `end` set.
    """

    def __init__(self, program: Program, steps: int) -> None:
        self.program, self.steps = program, steps
        self.layout = data.StructLayout(program.widths)
        super().__init__({"start": In(1), "ready": Out(1), "word": Out(self.layout)})

    def elaborate(self, platform: object) -> Module:
        m, program = Module(), self.program
        m.submodules.memory = store = memory.Memory(
            shape=self.layout.size, depth=len(program.words), init=[self._pack(word) for word in program.words]
        )
        port = store.read_port()
        left = Signal(range(self.steps), init=self.steps - 1)  # steps after this one
        at = Signal(range(len(program.words)), init=1)  # word 0 is not read: at a start it would come too late
        playing = Signal()
        first = Const(self._pack(program.words[0]), self.layout.size)
        m.d.comb += [port.addr.eq(at), port.en.eq(self.start | playing), self.ready.eq(~playing)]
        m.d.sync += self.word.as_value().eq(Mux(self.start, first, Mux(playing & ~self.word.end, port.data, 0)))
        with m.If(playing & self.word.end):
            m.d.sync += [playing.eq(0), at.eq(1), left.eq(self.steps - 1)]
        with m.Elif(port.en):
            m.d.sync += [playing.eq(1), at.eq(at + 1)]
            with m.If((at == program.setup + program.step - 1) & (left != 0)):
                m.d.sync += [at.eq(program.setup), left.eq(left - 1)]
        return m

    def _pack(self, word: Mapping[str, int]) -> int:
        packed = low = 0
        for name, width in self.program.widths.items():
            packed |= word.get(name, 0) << low
            low += width
        return packed

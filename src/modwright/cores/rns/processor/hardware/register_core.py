# SPDX-License-Identifier: Apache-2.0
"""The processor with a register file: operands from the stream or from registers, results into both.

Registers, counted from the cycle of the transfer; t is 1 where rowers have copies of control, else 0. They are those of
`core`, and of operations that no rower works on:

    cycle    register that holds the value from this cycle on
    1        `into`: number of the destination
    t + 1    `z` of the output: the operand of a move, or 0 where an operand was never written; `error`, `valid`

In each cycle with `valid` and without an error, the result is written into its register: with the first one, which is
before the next operation begins.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value

from .....engines.coxrower.hardware.machine import Coxrower
from .....functions.rns import MOVE, PRODUCT
from .....rtl.pipeline import delayed
from ..plan import SOURCES, STREAM
from .core import ProcessorCore, Residues
from .file import RegisterFile


class RegisterCore(ProcessorCore):
    """Streams, registers and rowers; a result on the output stream is where registers are written from."""

    def _sources(self, m: Module, start: Value) -> tuple[Value, Residues, Residues]:
        """Rowers begin where every operand is known, but for moves."""
        p, given = self.p, self.i.p
        m.submodules.file = file = RegisterFile(p.i["x"].bits, p.registers)
        m.d.comb += [getattr(file, name).eq(getattr(given, name)) for name in SOURCES.values()]
        into, move = Signal(range(p.registers)), given.op == MOVE
        unknown = ~file.known_x | ((given.op == PRODUCT) & ~file.known_y)
        m.d.comb += [
            file.into.eq(into),
            file.word.eq(self.o.p.z),
            file.write.eq(self.o.valid & (self.o.p.error == 0) & (into != STREAM)),
        ]
        with m.If(start):
            m.d.sync += into.eq(given.into)
        self._at_once = delayed(m, start & (unknown | move), p.engine.travel, "at_once")
        self._unknown = delayed(m, unknown, p.engine.travel, "unknown")
        found = [
            self._selected(operand, getattr(given, number) == STREAM, word)
            for (operand, number), word in zip(SOURCES.items(), (file.x, file.y), strict=True)
        ]
        return start & ~unknown & ~move, found[0], found[1]

    def _selected(self, operand: str, streamed: Value, word: Value) -> Residues:
        """Residues of an operand, from the stream or a register."""
        w, stream = self.p.width, getattr(self.i.p, operand)
        return [Mux(streamed, stream[k], word.word_select(k, w)) for k in range(2 * self.p.n)]

    def _operands(self, m: Module, engine: Coxrower, start: Value, x: Residues, y: Residues) -> Residues:
        """Operands of the rowers, and results that need none of them."""
        entered = super()._operands(m, engine, start, x, y)
        with m.If(self._at_once):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(Mux(self._unknown, self.p.unwritten, 0))]
            m.d.sync += [z.eq(Mux(self._unknown, 0, value)) for z, value in zip(self.o.p.z, entered, strict=True)]
        return entered

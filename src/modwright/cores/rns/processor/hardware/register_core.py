# SPDX-License-Identifier: Apache-2.0
"""The processor with a register file: operands from the stream or from registers, results into both.

Registers, counted from the cycle of the transfer; t is 1 where rowers have copies of control, else 0. They are those of
`core`, and of operations that no rower works on:

    cycle    register that holds the value from this cycle on
    1        `into`: number of the destination
    t + 1    `z` of the output: x of a move or of a pair, or 0 where an operand was never written; `error`, `valid`
    t + 1    with kappa=2, `x_k_pair_b`, `x_k_pair_a` and those of y: the pair that is held, or 0 with a product

A pair waits where operands of sums do: residues of x and y in B in front of those of the next operation in A, which
are in front of the pair's in A. Each product of two operands moves what waits by one, and 0 comes last; so
behind a sum no pair waits.

In each cycle with `valid` and without an error, the result is written into its register: with the first one, which is
before the next operation begins.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value

from .....engines.coxrower.hardware.machine import Coxrower
from .....engines.coxrower.hardware.operands import near
from .....functions.rns import HOLD, MOVE, PAIRED, PRODUCT
from .....rtl.pipeline import delayed
from ..plan.registers import SOURCES, STREAM
from .core import ProcessorCore, Residues
from .file import RegisterFile


class RegisterCore(ProcessorCore):
    """Streams, registers and rowers; a result on the output stream is where registers are written from."""

    def _sources(self, m: Module, start: Value) -> tuple[Value, Residues, Residues]:
        """Rowers begin where every operand is known, but for moves."""
        p, given = self.p, self.i.p
        m.submodules.file = file = RegisterFile(p.i["x"].bits, p.registers)
        sources = {name: self._source(name) for name in SOURCES.values()}
        m.d.comb += [getattr(file, name).eq(number) for name, number in sources.items()]
        into, hold = Signal(range(p.registers)), given.op == HOLD
        passes = (given.op == MOVE) | hold
        paired = [number for number in sorted(PAIRED) if number < p.i["op"].limit]
        unknown = ~file.known_x | (given.op.matches(*paired) & ~file.known_y)
        m.d.comb += [
            file.into.eq(into),
            file.word.eq(self.o.p.z),
            file.write.eq(self.o.valid & (self.o.p.error == 0) & (into != STREAM)),
        ]
        with m.If(start):
            m.d.sync += into.eq(self._destination())
        self._pair = {"hold": start & ~unknown & hold, "single": start & ~unknown & (given.op == PRODUCT)}
        self._at_once = delayed(m, start & (unknown | passes), p.engine.travel, "at_once")
        self._unknown = delayed(m, unknown, p.engine.travel, "unknown")
        found = [
            self._selected(operand, sources[number] == STREAM, word)
            for (operand, number), word in zip(SOURCES.items(), (file.x, file.y), strict=True)
        ]
        return start & ~unknown & ~passes, found[0], found[1]

    def _source(self, name: str) -> Value:
        """Number of the register that an operand comes from."""
        return getattr(self.i.p, name)

    def _destination(self) -> Value:
        """Number of the register that the result goes into."""
        return self.i.p.into

    def _selected(self, operand: str, streamed: Value, word: Value) -> Residues:
        """Residues of an operand, from the stream or a register."""
        w, stream = self.p.width, getattr(self.i.p, operand)
        return [Mux(streamed, stream[k], word.word_select(k, w)) for k in range(2 * self.p.n)]

    def _operands(self, m: Module, engine: Coxrower, start: Value, x: Residues, y: Residues) -> Residues:
        """Operands of the rowers, and results that need none of them."""
        near_pair = self._pair | {"following": engine.following}
        self._near = [
            {name: near(m, self.p.engine, value, f"{name}_{k}") for name, value in near_pair.items()}
            for k in range(self.p.n if self.p.reduction.products > 1 else 0)
        ]
        entered = super()._operands(m, engine, start, x, y)
        with m.If(self._at_once):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(Mux(self._unknown, self.p.unwritten, 0))]
            m.d.sync += [z.eq(Mux(self._unknown, 0, value)) for z, value in zip(self.o.p.z, entered, strict=True)]
        return entered

    def _waiting(self, m: Module, k: int, name: str, load: Value, in_b: Value, in_a: Value) -> Value:
        """The residue that waits in front of rower k: with pairs the next of three."""
        if not self._near:
            self._own = super()._waiting(m, k, name, load, in_b, in_a)
            return self._own
        control, parts = self._near[k], ("pair_b", "a", "pair_a")
        pair_b, own, pair_a = (Signal(self.p.width, name=f"{name}_{k}_{part}") for part in parts)
        with m.If(control["hold"]):
            m.d.sync += [pair_b.eq(in_b), pair_a.eq(in_a)]
        with m.Elif(load):
            m.d.sync += own.eq(in_a)
            with m.If(control["single"]):
                m.d.sync += [pair_b.eq(0), pair_a.eq(0)]
        with m.Elif(control["following"]):
            m.d.sync += [pair_b.eq(own), own.eq(pair_a), pair_a.eq(0)]
        self._own = own
        return pair_b

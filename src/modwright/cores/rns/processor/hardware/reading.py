# SPDX-License-Identifier: Apache-2.0
"""Processors that read x in A with constants: where the stream is read again, residues in A follow those in B."""

from __future__ import annotations

from amaranth.hdl import Module, Value

from .....engines.coxrower.hardware.machine import Coxrower
from .core import ProcessorCore, Residues
from .register_core import RegisterCore


class ReadingAgain(ProcessorCore):
    """Operands of x that follow each other."""

    def _operands(self, m: Module, engine: Coxrower, start: Value, x: Residues, y: Residues) -> list[Value]:
        """Operands of the rowers: x in A wherever that in B is not loaded."""
        self._later: list[tuple[int, Value, Value]] = []
        read = super()._operands(m, engine, start, x, y)
        for k, load, in_a in self._later:
            with m.If(~load):
                m.d.comb += engine.x[k].eq(in_a)
        return read

    def _waiting(self, m: Module, k: int, name: str, load: Value, in_b: Value, in_a: Value) -> Value:
        """The residue that waits in front of rower k; that of x in A is read again."""
        rest = super()._waiting(m, k, name, load, in_b, in_a)
        if name == "x":
            self._later.append((k, load, self._own if isinstance(self, RegisterCore) else rest))
        return rest


class SteppedCore(ReadingAgain):
    """Streams and rowers that invert by divsteps."""


class SteppedRegisterCore(ReadingAgain, RegisterCore):
    """The same with registers."""

# SPDX-License-Identifier: Apache-2.0
"""Base extension: a cox-rower, and the registers around it.

Registers by cycle, with the step of the schedule; L cycles of a multiply-accumulate, F of a reduction,
E of all:

    cycle    step    register that holds the value from this cycle on
    L        x·T     `accumulator` of a rower: x·T; with fewer rowers than moduli, `x_k` has what waits, from cycle 1
                     on
    L + F    x̂      `r` of a rower: a hat
    E        push    result queue: z, which is made canonical in the cycle before
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Value
from amaranth.lib import wiring

from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered, near, waiting
from ....rtl.control import datapath_members
from ....rtl.folding import canonical
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import ExtensionParameters


class ExtensionDatapath(wiring.Component):
    """Data path: takes x with `start`, gives canonical z with `done`."""

    def __init__(self, p: ExtensionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.engine = engine = Coxrower(p.engine, self.schedule)
        m.d.comb += [
            engine.start.eq(self.start),
            self.done.eq(delayed(m, engine.take, p.engine.travel, "take")),
        ]
        operands = [entered(m, p.engine, self.x[k], f"x_{k}") for k in range(p.n)]
        for k, u in enumerate(p.B.u):
            value = canonical(m, p.width, u, engine.r[k], f"z_{k}")
            if k < p.engine.rowers:
                m.d.comb += engine.x[k].eq(operands[k])
            m.d.comb += self.z[k].eq(value)
        if p.engine.held:
            for k in range(p.engine.rowers):
                start = near(m, p.engine, self.start, f"start_{k}")
                following = near(m, p.engine, engine.following, f"following_{k}")
                held = waiting(m, self._later(operands, k), p.engine.held, start, following, f"x_{k}")
                m.d.comb += engine.held_x[k].eq(held)
        return m

    def _later(self, operands: list[Value], rower: int) -> list[Value]:
        """Residues that a rower takes after its first one; 0 where it has no channel left."""
        p = self.p
        turns = range(rower + p.engine.rowers, rower + p.engine.slots * p.engine.rowers, p.engine.rowers)
        return [operands[channel] if channel < p.n else Const(0, p.width) for channel in turns]

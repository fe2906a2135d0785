# SPDX-License-Identifier: Apache-2.0
"""A hybrid multiplier: a cox-rower, and the registers of operands next to it, which products address by number.

Registers by cycle, with the step of the schedule:

    cycle    step    register that holds the value from this cycle on
    1        x, y    `x_k_i`, `y_k_i`: residue k of coefficient i in A, scaled by 2^s, then in B
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....engines.coxrower.hardware.machine import Coxrower
from ....schedule import Schedule
from .parameters import HybridParameters


class HybridDatapath(wiring.Component):
    """Data path: takes x and y with `start`, gives z with `done`.

    Operands and result are residues of coefficients in A, of w - s bits, and in B.
    """

    def __init__(self, p: HybridParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        count = p.degree * p.n
        shapes = {"a": data.ArrayLayout(p.A.width, count), "b": data.ArrayLayout(p.width, count)}
        ports = {f"{name}_{k}": In(shape) for name in "xy" for k, shape in shapes.items()}
        super().__init__({"start": In(1), "done": Out(1)} | ports | {f"z_{k}": Out(s) for k, s in shapes.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        d, n, s = p.degree, p.n, p.spare
        m.submodules.engine = engine = Coxrower(p.engine, self.schedule)
        m.d.comb += [engine.start.eq(self.start), self.done.eq(engine.take)]
        for k in range(n):
            for name, held, number in (("x", engine.held_x, engine.pick), ("y", engine.held_y, engine.other)):
                kept = [Signal(p.width, name=f"{name}_{k}_{i}") for i in range(2 * d)]
                in_a, in_b = getattr(self, f"{name}_a"), getattr(self, f"{name}_b")
                with m.If(self.start):
                    m.d.sync += [kept[i].eq(Cat(Const(0, s), in_a[i * n + k])) for i in range(d)]
                    m.d.sync += [kept[d + i].eq(in_b[i * n + k]) for i in range(d)]
                m.d.comb += held[k].eq(Array(kept)[number])
            for i in range(d):
                m.d.comb += [
                    self.z_a[i * n + k].eq(engine.kept[k][i][s:]),
                    self.z_b[i * n + k].eq(engine.kept[k][d + i]),
                ]
        return m

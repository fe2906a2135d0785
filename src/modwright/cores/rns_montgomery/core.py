# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multipliers: a cox-rower, and the registers around it."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...rtl.folding import canonical
from ...schedule import Schedule
from ..coxrower.rower import Coxrower
from .parameters import ExtensionParameters, MultiplierParameters


class ExtensionDatapath(wiring.Component):
    """Takes x with `start`, gives canonical z with `done`."""

    def __init__(self, p: ExtensionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues = data.ArrayLayout(p.width, p.n)
        super().__init__({"start": In(1), "x": In(residues), "done": Out(1), "z": Out(residues)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.engine = engine = Coxrower(self.p.engine, self.schedule)
        m.d.comb += [engine.start.eq(self.start), self.done.eq(engine.take)]
        for k, u in enumerate(self.p.B.u):
            value = canonical(m, self.p.width, u, engine.r[k], f"z_{k}")
            m.d.comb += [engine.x[k].eq(self.x[k]), self.z[k].eq(value)]
        return m


class MultiplierDatapath(wiring.Component):
    """Takes x and y with `start`, gives z with `done`; the operands' residues in A wait for their turn."""

    def __init__(self, p: MultiplierParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues = data.ArrayLayout(p.width, 2 * p.n)
        super().__init__({"start": In(1), "x": In(residues), "y": In(residues), "done": Out(1), "z": Out(residues)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n, width = self.p.n, self.p.width
        m.submodules.engine = engine = Coxrower(self.p.engine, self.schedule)
        m.d.comb += [engine.start.eq(self.start), self.done.eq(engine.take)]
        for k in range(n):
            held_x, held_y = Signal(width, name=f"x_{k}"), Signal(width, name=f"y_{k}")
            kept = Signal(width, name=f"hat_{k}")  # <S·T_b>, any representative
            with m.If(self.start):
                m.d.sync += [held_x.eq(self.x[k]), held_y.eq(self.y[k])]
            with m.If(engine.keep):
                m.d.sync += kept.eq(engine.r[k])
            m.d.comb += [
                engine.x[k].eq(self.x[n + k]),
                engine.y[k].eq(self.y[n + k]),
                engine.held_x[k].eq(held_x),
                engine.held_y[k].eq(held_y),
                self.z[k].eq(engine.z[k]),
                self.z[n + k].eq(kept),
            ]
        return m

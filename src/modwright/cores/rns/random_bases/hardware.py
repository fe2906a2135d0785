# SPDX-License-Identifier: Apache-2.0
"""Products in drawn bases: a cox-rower whose rowers have constants for every draw, and the registers around it.

Registers by cycle, with the step of the schedule: K the cycle of `keep`, E that of the result. With copies of control,
those of operands are a cycle later:

    cycle    step         register that holds the value from this cycle on
    1        x, y in A    `x_k`, `y_k`: residues in A, which wait for those in B; `draw`, until the next product
    K + 1    ŝ kept       `hat_k`: the result in B, kept while the extension to A runs
    E        push         result queue: that, and the residues in A, which the rowers give in the cycle before
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered, near, waiting
from ....engines.coxrower.hardware.rower import Rower
from ....rtl.control import datapath_members
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import RandomBasesParameters
from .plan import DrawnEngine


class DrawnRower(Rower):
    """A rower with constants for every draw.

    Attributes
    ----------
    draw : in
        Level: the draw of the product.
    """

    def __init__(self, engine: DrawnEngine, number: int) -> None:
        self.drawn, self.members = engine.drawn, [row[number] for row in engine.members]
        self.bits = (len(self.drawn) - 1).bit_length()
        super().__init__(engine, number, {"draw": In(self.bits)})
        self.largest_h = max(e.largest_h for one in self.drawn for e in one.extensions)
        stride = 1 << len(Value.cast(self.b))
        tables = [one.constants(number) for one in self.drawn]
        self.memory = [value for table in tables for value in table + [0] * (stride - len(table))]

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        table = Array(Const(member, 1) for member in self.members)
        m.d.sync += [self._draw.eq(self.draw), self._member.eq(table[self.draw])]
        return m

    def _near(self, m: Module) -> Mapping[str, Value]:
        self._draw, self._member = Signal(self.bits, name="draw_near"), Signal(name="member")
        return super()._near(m)

    def _base(self) -> Value:
        return self.near["base"] ^ self._member

    def _address(self) -> Value:
        return Cat(self.near["b"], self._draw)

    def _addend(self, extension: int, channel: int) -> Value:
        h, entries = self.near["h"], list[int]()
        for one in self.drawn:
            own = one.corrections_of(extension, channel)
            entries += own + [0] * ((1 << len(h)) - len(own))
        return Array(Const(entry, self.engine.width) for entry in entries)[Cat(h, self._draw)]


class DrawnCoxrower(Coxrower):
    """A cox-rower for the bases of several draws.

    Attributes
    ----------
    draw : in
        Level: the draw of the product.
    """

    def __init__(self, p: RandomBasesParameters, schedule: Schedule) -> None:
        self.drawn = p.engine
        super().__init__(p.engine, schedule, {"draw": In(p.bits)})

    def _rower(self, number: int) -> Rower:
        return DrawnRower(self.drawn, number)

    def _bus(self, m: Module, issued: Mapping[str, Value], rowers: list[Rower]) -> list[Signal]:
        """The bus; the draw goes to all rowers."""
        m.d.comb += [rower.draw.eq(self.draw) for rower in rowers if isinstance(rower, DrawnRower)]
        return super()._bus(m, issued, rowers)


class RandomBasesDatapath(wiring.Component):
    """Data path: takes the draw, x and y with `start`, gives z with `done`, residues in both bases."""

    def __init__(self, p: RandomBasesParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.engine = engine = DrawnCoxrower(p, self.schedule)
        draw = Signal(p.bits, name="draw_held")
        with m.If(self.start):
            m.d.sync += draw.eq(self.draw)
        m.d.comb += [
            engine.start.eq(self.start),
            engine.draw.eq(draw),
            self.drawn.eq(draw),
            self.done.eq(delayed(m, engine.take, p.engine.travel, "take")),
        ]
        for k in range(p.n):
            load = near(m, p.engine, self.start, f"start_{k}")
            operands = (("x", engine.x, engine.held_x), ("y", engine.y, engine.held_y))
            for name, first, held in operands:
                in_b = entered(m, p.engine, getattr(self, name)[p.n + k], f"{name}_{k}_b")
                in_a = entered(m, p.engine, getattr(self, name)[k], f"{name}_{k}_a")
                rest = waiting(m, [in_a], p.engine.held, load, engine.following, f"{name}_{k}")
                m.d.comb += [first[k].eq(in_b), held[k].eq(rest)]
            kept = Signal(p.width, name=f"hat_{k}")
            with m.If(near(m, p.engine, engine.keep, f"keep_{k}")):
                m.d.sync += kept.eq(engine.r[k])
            result = engine.z[k] if p.engine.from_fold else engine.r[k]
            m.d.comb += [self.z[k].eq(result), self.z[p.n + k].eq(kept)]
        return m

# SPDX-License-Identifier: Apache-2.0
"""Comparison by mixed radix digits: rowers without a cox, and the bits that the digits on the bus decide.

Registers by cycle, with the step of the schedule; L cycles of a multiply-accumulate, F of a reduction, E of all. The
first digit is shown; the others follow each L + F + 1 cycles later:

    cycle        step     register that holds the value from this cycle on
    L + 1        x - y, product 2    `accumulator` of a rower: x + y·(a - 1)
    L + F + 1    x - y    `r` of a rower: a residue of the difference
    L + F + 2    v_1      the bus: the digit, canonical; `zero` and `high`, a cycle later: whether all digits up to it
                          are 0, and whether it is at least the limit of the last one
    E            push     result queue: the bits of the last digit
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from ....engines.coxrower.hardware.digits import digit_of
from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered, near, waiting
from ....engines.coxrower.hardware.rower import Rower
from ....rtl.control import datapath_members
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import ComparisonParameters


class ComparingRowers(Coxrower):
    """Rowers whose bus has digits.

    Attributes
    ----------
    zero : out
        Whether all digits that were on the bus are 0.
    high : out
        Whether the digit that was on the bus is at least the limit of the last one.
    """

    def __init__(self, p: ComparisonParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p.engine, schedule, {"zero": Out(1), "high": Out(1)})

    def _bus(self, m: Module, issued: Mapping[str, Value], rowers: list[Rower]) -> list[Signal]:
        """The digit on the bus: a rower's result, made canonical; and the bits that it decides."""
        p = self.p
        code = delayed(m, issued["digit"], self.engine.travel, "digit_code_timely")
        number = (code - 1)[: max(1, (p.n - 1).bit_length())]
        found = digit_of(m, self.engine, p.A, rowers, code, number)
        bus = Signal(p.width, name="bus_s")
        m.d.sync += bus.eq(found.value)
        code = delayed(m, found.code, 1, "compared_code")
        with m.If(code != 0):
            m.d.sync += [
                self.zero.eq((bus == 0) & Mux(code == 1, 1, self.zero)),
                self.high.eq(bus >= p.limit_digit),
            ]
        return [bus]


class ComparisonDatapath(wiring.Component):
    """Data path: takes x and y with `start`, gives `less` and `equal` with `done`."""

    def __init__(self, p: ComparisonParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.engine = engine = ComparingRowers(p, self.schedule)
        m.d.comb += [
            engine.start.eq(self.start),
            self.done.eq(delayed(m, engine.take, p.engine.travel, "take")),
            self.less.eq(engine.high),
            self.equal.eq(engine.zero),
        ]
        for k in range(p.n):
            x, y = (entered(m, p.engine, getattr(self, name)[k], f"{name}_{k}") for name in "xy")
            load = near(m, p.engine, self.start, f"start_{k}")
            rest = waiting(m, [y], p.engine.held, load, engine.following, f"y_{k}_held")
            m.d.comb += [engine.x[k].eq(x), engine.held_x[k].eq(rest)]
        return m

# SPDX-License-Identifier: Apache-2.0
"""Base extension by mixed radix digits: rowers without a cox, the store of digits, and the comparison with the modulus.

Registers by cycle, with the step of the schedule; L cycles of a multiply-accumulate, F of a reduction, E of all. The
first digit is shown; the others follow each L + F + 1 cycles later:

    cycle        step    register that holds the value from this cycle on
    L            x·1     `accumulator` of a rower: x
    L + F        x       `r` of a rower: a residue of what the digits before leave
    L + F + 1    v_1     the bus, and `digit_0` in front of the stored ones: the digit, canonical; `less`, a cycle
                         later: whether the digits up to it are below those of the modulus
    E            push    result queue: z, which is made canonical in the cycle before, or 0
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from ....engines.coxrower.hardware.digits import digit_of
from ....engines.coxrower.hardware.machine import Coxrower
from ....engines.coxrower.hardware.operands import entered
from ....engines.coxrower.hardware.rower import Rower
from ....rtl.control import datapath_members
from ....rtl.folding import canonical
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from .parameters import MixedRadixParameters


class MixedRadixRowers(Coxrower):
    """Rowers whose bus has digits.

    Attributes
    ----------
    less : out
        Whether the number whose digits were on the bus is below the modulus.
    """

    def __init__(self, p: MixedRadixParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p.engine, schedule, {"less": Out(1)})

    def _bus(self, m: Module, issued: Mapping[str, Value], rowers: list[Rower]) -> list[Signal]:
        """The digit on the bus: a rower's result, made canonical, or the first of the stored ones again."""
        p = self.p
        code = delayed(m, issued["digit"], self.engine.travel, "digit_code_timely")
        number = Mux(code == p.n + 1, 0, code - 1)[: max(1, (p.n - 1).bit_length())]
        found = digit_of(m, self.engine, p.A, rowers, code, number, p.limit_digits)
        code, limit = found.code, found.limit
        stored = [Signal(p.width, name=f"digit_{k}") for k in range(p.n)]
        chosen = Mux(code == p.n + 1, stored[-1], found.value)
        bus = Signal(p.width, name="bus_s")
        m.d.sync += bus.eq(chosen)
        with m.If(code != 0):
            m.d.sync += [register.eq(before) for before, register in itertools.pairwise([chosen, *stored])]
        self._compare(m, code, bus, limit)
        return [bus]

    def _compare(self, m: Module, code: Value, bus: Signal, limit: Value) -> None:
        """Compare the digits with those of the modulus, the lowest first."""
        code, limit = delayed(m, code, 1, "compared_code"), delayed(m, limit, 1, "compared_limit")
        before = Mux(code == 1, 0, self.less)
        with m.If((code != 0) & (code != self.p.n + 1)):
            m.d.sync += self.less.eq((bus < limit) | ((bus == limit) & before))


class MixedRadixDatapath(wiring.Component):
    """Data path: takes x with `start`, gives canonical z with `done`, or 0 and `error`."""

    def __init__(self, p: MixedRadixParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        m.submodules.engine = engine = MixedRadixRowers(p, self.schedule)
        m.d.comb += [
            engine.start.eq(self.start),
            self.done.eq(delayed(m, engine.take, p.engine.travel, "take")),
            self.error.eq(~engine.less),
        ]
        for k, u in enumerate(p.B.u):
            z = canonical(m, p.width, u, engine.r[k], f"z_{k}")
            m.d.comb += [
                engine.x[k].eq(entered(m, p.engine, self.x[k], f"x_{k}")),
                self.z[k].eq(Mux(engine.less, z, 0)),
            ]
        return m

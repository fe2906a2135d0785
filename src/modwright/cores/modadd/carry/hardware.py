# SPDX-License-Identifier: Apache-2.0
"""The modular adder in hardware: the sign of x + y - p chooses z.

Registers by cycle, with the step of the schedule:

    cycle    step         register that holds the value from this cycle on
    1        x + y        `total`: x + y; `error_held`: an operand is not below p
    2        x + y - p    result queue: z
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring

from ....rtl.control import datapath_members
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import AdderParameters


class AdderDatapath(wiring.Component):
    """Sum x + y modulo p without streams; see `rtl.control.StreamCore` for the ports."""

    def __init__(self, p: AdderParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.control = control = Player(self.schedule.microcode)
        total, error = Signal(p.sum_width), Signal(name="error_held")
        difference = Signal(signed(p.sum_width + 1))
        m.d.sync += total.eq(self.x + self.y)
        m.d.sync += error.eq((self.x >= p.modulus) | (self.y >= p.modulus))
        m.d.comb += [
            control.start.eq(self.start),
            difference.eq(total - p.modulus),
            self.z.eq(Mux(error, 0, Mux(difference < 0, total, difference))),
            self.error.eq(error),
            self.done.eq(control.done),
        ]
        return m

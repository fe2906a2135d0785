# SPDX-License-Identifier: Apache-2.0
"""Interleaved multiplication in hardware: three registers, one adder, and one subtractor for each multiple of p.

Register x has the remaining bits, the next one on top; y and `error` are stable; s is the sum modulo p. All
are written in cycle 0, x and s in each step, and z is s in the cycle of `done`.

By cycle, with the step of the schedule; n bits of p:

    cycle    step                    register that holds the value from this cycle on
    1        s = 0                   `x`, `y`: the operands; `error_held`: one is not below p; `s`: 0
    n + 1    s = 2s + x_0·y mod p    `s`: x·y mod p
    n + 2    z = s                   result queue
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib import wiring

from ....rtl.control import datapath_members
from ....rtl.player import Player
from ....schedule import Schedule
from .parameters import BlakleyParameters


class BlakleyDatapath(wiring.Component):
    """Product x·y mod p without streams; see `rtl.control.StreamCore` for the ports."""

    def __init__(self, p: BlakleyParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.control = control = Player(self.schedule.microcode)
        x, y, s = (Signal(p.width, name=name) for name in "xys")
        error, total = Signal(name="error_held"), Signal(p.sum_width)
        m.d.comb += [control.start.eq(self.start), total.eq((s << 1) + Mux(x[-1], y, 0))]
        with m.If(self.start):
            m.d.sync += [x.eq(self.x), y.eq(self.y), s.eq(0)]
            m.d.sync += error.eq((self.x >= p.modulus) | (self.y >= p.modulus))
        with m.Elif(control.step):
            m.d.sync += [x.eq(x << 1), s.eq(self._reduced(m, total))]
        m.d.comb += [self.z.eq(Mux(error, 0, s)), self.error.eq(error), self.done.eq(control.done)]
        return m

    def _reduced(self, m: Module, total: Signal) -> Value:
        """Reduce `total` by the largest multiple of p that leaves it non-negative, chosen by signs."""
        reduced: Value = total
        for j in range(1, self.p.subtractions + 1):
            difference = Signal(signed(self.p.sum_width + 1), name=f"less_{j}p")
            m.d.comb += difference.eq(total - j * self.p.modulus)
            reduced = Mux(difference < 0, reduced, difference)
        return reduced

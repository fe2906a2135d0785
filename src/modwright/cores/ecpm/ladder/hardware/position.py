# SPDX-License-Identifier: Apache-2.0
"""Position of the ladder (`ladder`): what the state stands for, and what a step exchanges.

Registers, counted from the cycle of the strobe:

    cycle                             register that holds the value from this cycle on
    1, after `initial` or `decide`    `fresh`, `nothing`, `mirror`: what the state stands for
    1, after `begin`                  `now`: this step exchanges; `before`: the last one did; `fresh_now`: `fresh` at
                                      its start
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class LadderPosition(wiring.Component):
    """Attributes
    ----------
    initial : in
        The ladder is at (P, 2P).
    begin : in
        A step begins in the next cycle, or the exit.
    bit : in
        Bit of that step.
    decide : in
        `g_zero`, `g0_zero`, `h_zero`, `y_zero` are those of this step.
    now, before : out
        This step, and the one before it, exchanges Q and R.
    fresh_now : out
        This step, or the exit, begins with the state of the set-up.
    fresh, nothing, mirror : out
        Flags of the meaning of the state, after `decide` of a step.
    """

    def __init__(self) -> None:
        inputs = ("initial", "begin", "bit", "decide", "g_zero", "g0_zero", "h_zero", "y_zero")
        outputs = ("now", "before", "fresh_now", "fresh", "nothing", "mirror")
        super().__init__({name: In(1) for name in inputs} | {name: Out(1) for name in outputs})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        infinite = Signal()
        m.d.comb += infinite.eq(Mux(self.fresh, self.g0_zero, self.g_zero) | self.h_zero)
        with m.If(self.initial):
            m.d.sync += [self.fresh.eq(~self.y_zero), self.nothing.eq(self.y_zero), self.mirror.eq(self.y_zero)]
        with m.Elif(self.decide & ~self.nothing):
            m.d.sync += [
                self.fresh.eq(0),
                self.nothing.eq(infinite),
                # what counts as the bit 1 is what exchanges nothing
                self.mirror.eq(self.mirror ^ (infinite & (self.h_zero ^ self.now))),
            ]
        with m.Elif(self.decide & ~self.now):
            m.d.sync += [
                self.fresh.eq(~self.y_zero),
                self.nothing.eq(self.y_zero),
                self.mirror.eq(self.mirror ^ self.y_zero),
            ]
        with m.If(self.begin):
            m.d.sync += [
                self.before.eq(self.now),
                self.now.eq(~(self.bit ^ self.mirror)),
                self.fresh_now.eq(self.fresh),
            ]
        return m

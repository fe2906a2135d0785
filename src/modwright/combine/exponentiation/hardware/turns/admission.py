# SPDX-License-Identifier: Apache-2.0
"""Admission of two operations in turn, with the windows in which registers load the operands.

The first operation is admitted when the first place was free for Δ cycles and the second one is free, two cycles after
that; the second operation Δ cycles after it, or not at all: as in `rtl.pairs`, but what leaves here for registers of
operands all over the core comes from registers, and they need no more than their own copy of the window and `valid`.
Registers, counted from the cycle of the first operation:

    cycle    register that holds the value from this cycle on
    -1       `opens`: the places were free for long enough in the cycle before; for one cycle
    0        `free`: until the cycle of the first operation
    k + 1    bit k of `opened`: an operation came in in cycle 0
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class TurnsAdmission(wiring.Component):
    """Two places.

    Parameters
    ----------
    distance : int
        Δ, at least 2.

    Attributes
    ----------
    valid : in
        An operation is offered.
    busy_0, busy_1, take_1 : in
        From the cycle after a start to that in which the result leaves; the second result leaves.
    ready, start_0, start_1 : out
        The same as those of `rtl.pairs.PairAdmission`, but for the first operation a cycle later.
    opens : out
        The first operation may come in from the next cycle on, and not in this one.
    again, closes : out
        The second operation may come in in the next cycle; in this one alone.
    """

    def __init__(self, distance: int) -> None:
        self.distance = distance
        inputs = ("valid", "busy_0", "busy_1", "take_1")
        outputs = ("ready", "start_0", "start_1", "opens", "again", "closes")
        super().__init__({name: In(1) for name in inputs} | {name: Out(1) for name in outputs})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        opened, free = Signal(self.distance), Signal(init=1)
        left, rests = Signal(range(self.distance + 1)), Signal()
        m.d.comb += [
            rests.eq(~self.busy_0 & (left <= 1) & (~self.busy_1 | self.take_1)),
            self.again.eq(opened[-2]),
            self.closes.eq(opened[-1]),
            self.ready.eq(free | opened[-1]),
            self.start_0.eq(self.valid & free),
            self.start_1.eq(self.valid & opened[-1]),
        ]
        m.d.sync += [
            opened.eq(Cat(self.start_0, opened)),
            self.opens.eq(rests & ~free & ~self.opens),
            free.eq(self.opens | (free & ~self.valid)),
            left.eq(Mux(self.busy_0, self.distance, Mux(left == 0, 0, left - 1))),
        ]
        return m

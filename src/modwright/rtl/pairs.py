# SPDX-License-Identifier: Apache-2.0
"""Admission to a data path that carries two operations, at a distance that never changes.

Registers:

    cycle    register that holds the value from this cycle on
    k + 1    bit k of `before` and of `opened`: in cycle 0 the first place was busy, and took an operation
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class PairAdmission(wiring.Component):
    """The first operation is admitted when both places are free, the second `distance` cycles after it or not at all.

    A place whose result has left is free that much earlier than the other one; the pair waits for these cycles even
    where there was no second operation, so that no operation's cycles depend on its neighbour.

    Parameters
    ----------
    distance : int
        At least 1.

    Attributes
    ----------
    valid : in
        An operation is offered.
    busy_0, busy_1 : in
        From the cycle after a start to that in which the result leaves.
    ready : out
        An operation would be admitted in this cycle; depends on registers only.
    start_0, start_1 : out
        An operation is admitted, to this place.
    """

    def __init__(self, distance: int = 1) -> None:
        self.distance = distance
        places = {name: In(1) for name in ("busy_0", "busy_1")} | {name: Out(1) for name in ("start_0", "start_1")}
        super().__init__({"valid": In(1), "ready": Out(1)} | places)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        before, opened = Signal(self.distance), Signal(self.distance)  # bit k: of k + 1 cycles ago
        free = Signal()
        m.d.sync += [before.eq(Cat(self.busy_0, before)), opened.eq(Cat(self.start_0, opened))]
        m.d.comb += [
            free.eq(~self.busy_0 & ~self.busy_1 & ~before.any() & ~opened[:-1].any()),
            self.ready.eq(free | opened[-1]),
            self.start_0.eq(self.valid & free),
            self.start_1.eq(self.valid & opened[-1]),
        ]
        return m

# SPDX-License-Identifier: Apache-2.0
"""Admission to a data path that carries two operations, a cycle apart."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class PairAdmission(wiring.Component):
    """The first operation is admitted when both places are free, the second one in the cycle after it or not at all.

    A place whose result has left is free a cycle earlier than the other one; the pair waits for that cycle even where
    there was no second operation, so that no operation's cycles depend on its neighbour.

    Attributes
    ----------
    valid : in
        An operation is offered.
    busy_0, busy_1 : in
        From the cycle after a start to that in which the result leaves.
    ready : out
        It would be admitted in this cycle; depends on registers only.
    start_0, start_1 : out
        It is, and goes to this place.
    """

    def __init__(self) -> None:
        places = {name: In(1) for name in ("busy_0", "busy_1")} | {name: Out(1) for name in ("start_0", "start_1")}
        super().__init__({"valid": In(1), "ready": Out(1)} | places)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        before, opened = Signal(), Signal()  # of the cycle before: the first place was busy; it was taken
        free = Signal()
        m.d.sync += [before.eq(self.busy_0), opened.eq(self.start_0)]
        m.d.comb += [
            free.eq(~self.busy_0 & ~self.busy_1 & ~before),
            self.ready.eq(free | opened),
            self.start_0.eq(self.valid & free),
            self.start_1.eq(self.valid & opened),
        ]
        return m

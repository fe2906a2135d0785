# SPDX-License-Identifier: Apache-2.0
"""Two exponentiations in turn with their streams: lanes, common registers, admission.

The second operation of a pair comes in Δ cycles after the first, or not at all; the next pair when both results have
left. The result of the first is in register Y, that of the second in the register of M. Registers:

    cycle                    register that holds the value from this cycle on
    of the first operation   X, Y, m, M: its operands, which they load while the core is empty
    Δ + 1                    the same: those of the second
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring

from .....rtl.streams import core_members
from ...parameters import ModexpParameters
from ...plan.turns import Turns
from .admission import TurnsAdmission
from .lane import Lane
from .row import Row, either


class TurnsCore(wiring.Component):
    """Streams `i` (base, exponent, m, square, unit) and `o` (z, error)."""

    def __init__(self, p: ModexpParameters, turns: Turns) -> None:
        self.p, self.turns = p, turns
        self.sequencers = [Lane(p, turns) for _ in range(p.lanes)]
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.lane_0, m.submodules.lane_1 = first, second = self.sequencers
        m.submodules.row = row = Row(self.p, self.turns)
        m.submodules.admission = admission = TurnsAdmission(self.turns.apart)
        m.d.comb += [
            admission.valid.eq(self.i.valid),
            admission.busy_0.eq(first.busy),
            admission.busy_1.eq(second.busy),
            admission.take_1.eq(second.take),
            self.i.ready.eq(admission.ready),
            first.start.eq(admission.start_0),
            second.start.eq(admission.start_1),
        ]
        m.d.comb += [
            row.valid.eq(self.i.valid),
            row.opens.eq(admission.opens),
            row.again.eq(admission.again),
            row.closes.eq(admission.closes),
            first.opens.eq(admission.opens),
            first.closes.eq(self.i.valid),
            second.opens.eq(admission.again),
            second.closes.eq(admission.closes),
        ]
        self._connect(m, row, first, second)
        self._release(m, row, first, second)
        return m

    def _connect(self, m: Module, row: Row, first: Lane, second: Lane) -> None:
        """Operands, strobes and limbs between lanes and row: strobes that reach all of it come from registers."""
        given = self.i.p
        m.d.comb += [row.base.eq(given.base), row.square.eq(given.square), row.unit.eq(given.unit), row.m.eq(given.m)]
        both = self.sequencers
        m.d.comb += [getattr(row, name).eq(either(both, name)) for name in ("compared", "from_y", "moves_m")]
        ahead = ("issue", "enters", "first", "same", "one", "holds", "lands", "starts_m")
        m.d.sync += [getattr(row, name).eq(either(both, name)) for name in ahead]
        m.d.sync += [
            row.y_moves.eq(either(both, "y_moves") | first.leaves),
            row.y_stops.eq(either(both, "y_stops") | first.ends),
            row.m_moves.eq(either(both, "goes_m") | second.leaves),
            row.m_stops.eq(either(both, "ends_m") | second.ends),
        ]
        m.d.comb += [
            row.limb.eq(first.limb | second.limb),
        ]
        for lane in both:
            m.d.comb += [
                lane.exponent.eq(given.exponent),
                lane.limb_m.eq(row.limb_m),
                lane.word.eq(row.word),
                lane.error_found.eq(row.error),
            ]

    def _release(self, m: Module, row: Row, first: Lane, second: Lane) -> None:
        """Results in the order of the operands."""
        n, turn = self.p.n, first.busy
        m.d.comb += [
            self.o.valid.eq(Mux(turn, first.finished, second.finished)),
            self.o.p.z.eq(Mux(turn, row.y[:n], row.held_m[:n])),
            self.o.p.error.eq(Mux(turn, first.error, second.error)),
            first.take.eq(turn & first.finished & self.o.ready),
            second.take.eq(~turn & second.finished & self.o.ready),
        ]

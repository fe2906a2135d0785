# SPDX-License-Identifier: Apache-2.0
"""A point multiplier over a row multiplier, with its streams, as the control words say.

Registers by cycle, with the step of the schedule; F the cycle in which the operands are in words, X cycles that are
alone for bits of the scalar; B words of the set-up, S of a step, E of the exit, R before the batches of the inverse, V
of one of C of these, Z of the end and Y of the last part; N bits of order; the end begins in cycle
P = F + X + B + S·N + E + R + V·C:

    cycle                     step                            register that holds it from this cycle on
    1                         operands                        `held_*`: the payload but for k and order
    F                         to words                        words 23 to 31
    F + X + B - 6             k' = k + j·q', with bit N       the memory of `scalar`; `bit` some cycles later
    F + X + B + S·N           step                            words 0 to 5: XQ, XR, YQ, YR, G, M
    P - V·C                   prepare                         words 7 and 9: f and g
    P                         batch                           words 7 and 9, and in some cycles more words 5 and 25:
                                                              d and e
    P + Z                     end                             words 10 and 11: x and y, times 2^K
    P + Z + Y                 last                            `x_result`, `y_result`

The control word of cycle t is word t - 2 of the microcode. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ......engines.row.divsteps import MATRIX, RESET, STEPS, TAKEN_F, TAKEN_G
from ......engines.row.hardware.arithmetic import RowArithmetic
from ......engines.row.hardware.divsteps import DivstepUnit
from ......engines.row.hardware.incoming import Incoming
from ......engines.row.hardware.words import Words
from ......rtl.copies import pulse_copy
from ......rtl.player import Player
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import GIVEN
from ...plan.row.microcode import FLIPS, WORDS
from ..position import LadderPosition
from .decisions import RowDecisions
from .pairs import PairedScalar
from .path import RowPath


class RowLadderCore(RowDecisions, RowPath):
    """A point multiplier over a row multiplier."""

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        code = self.schedule.microcode
        self.player = Player(code, overlap=False, fetch=True, ahead=True, shared=True, target=p.row.target)
        m.submodules.sequencer = self.player
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = PairedScalar(p)
        m.submodules.arithmetic = self.arithmetic = RowArithmetic(p.row)
        m.submodules.words = self.words = Words(p.word_bits, WORDS, p.row.target)
        m.submodules.incoming = self.incoming = Incoming(p.word_bits, len(GIVEN), p.row.target)
        m.submodules.divsteps = self.divsteps = DivstepUnit(p.row.K, p.word_bits, p.divsteps, p.row.target)
        start = self.handshake(m)
        self.hold(m, p, start)
        self.offer_to_words(m, [self.divsteps.matrix[k] for k in range(len(MATRIX))])
        self.make_flags(m, self.divsteps.negative)
        self._leave(m)
        self._addresses(m)
        self._arithmetic(m)
        self._control(m, start)
        self.release(m)
        return m

    def handshake(self, m: Module) -> Signal:
        """Start the player in the cycle after the input transfer; the cycle of that."""
        start, free = Signal(), Signal(init=1)  # no operation is in the core
        with m.If(start):
            m.d.sync += free.eq(0)
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += free.eq(1)
        m.d.comb += [self.i.ready.eq(free), start.eq(self.i.valid & free)]
        m.d.sync += self.player.start.eq(start)
        return start

    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        return self.bad_parts(self.held["m"][0], self.scalar.zero)

    def _leave(self, m: Module) -> None:
        """The coordinates, which stand above K bits, or 0 where there is no point; and whether they were below M."""
        for name in "xy":
            less = pulse_copy(m, self.field(f"{name}_over"), f"{name}_compares")
            with m.If(less):
                m.d.sync += self.over[f"{name}_over"].eq(~self.words.found[-1])
            result = self.coordinate(m, name, self.field(f"{name}_out"), self.nothing)
            m.d.comb += getattr(self.o.p, name).eq(result)

    def _addresses(self, m: Module) -> None:
        """Addresses of the words, exchanged by flags; those of reads a cycle ahead, with what the position is then."""
        field, words, coming = self.field, self.words, self.player.coming
        exchange, fresh = Signal(reset_less=True), Signal(reset_less=True)
        exchanges, freshens = self.exchanged(m, self.divsteps.signs, coming("flip"), coming("fresh"))
        m.d.sync += [exchange.eq(exchanges), fresh.eq(freshens)]
        m.d.comb += [
            words.read.eq(field("read") ^ exchange ^ Mux(fresh, FRESH, 0)),
            words.into.eq(field("into") ^ self.flipped(FLIPS)),
            words.write.eq(field("write") & ~(field("tail") & self.first)),
        ]

    def _arithmetic(self, m: Module) -> None:
        """Products and sums."""
        field = self.field
        self.drive_arithmetic(m, self.held["mk"])
        m.d.comb += [
            self.divsteps.found.eq(self.words.found),
            self.divsteps.reset.eq(field(RESET)),
            self.divsteps.take_f.eq(field(TAKEN_F)),
            self.divsteps.take_g.eq(field(TAKEN_G)),
            self.divsteps.step.eq(field(STEPS)),
        ]

    # --- control

    def _control(self, m: Module, start: Value) -> None:
        idle = [self.taking(m, f"idle_scalar_{number}", start) for number in range(PairedScalar.slices(self.p))]
        self.drive_ladder(m, Cat(idle))
        self.follow(m, start, self.arithmetic.zero, self.arithmetic.negative)

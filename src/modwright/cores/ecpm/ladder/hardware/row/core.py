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

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ......engines.row.divsteps import MATRIX, RESET, STEPS, TAKEN_F, TAKEN_G
from ......engines.row.hardware.arithmetic import RowArithmetic
from ......engines.row.hardware.divsteps import DivstepUnit
from ......engines.row.hardware.incoming import PARTS, Incoming
from ......engines.row.hardware.words import Words
from ......rtl.copies import copied, pulse_copy
from ......rtl.player import Player
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import GIVEN, OFFERED
from ...plan.row.microcode import FLIPS, WORDS
from ..common import PointCore
from ..position import LadderPosition
from .decisions import RowDecisions
from .pairs import PairedScalar

RESULT_SLICE = 64
"""Bits of a result behind one copy of a control signal."""


class RowLadderCore(RowDecisions, PointCore):
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
        self._operands(m)
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

    def _operands(self, m: Module) -> None:
        """Operands, and the matrix of divsteps, to the words."""
        p = self.p
        words = {**self.held, "mK": Cat(Const(0, p.row.K), self.held["mk"])}
        words |= {"one": Const(1, 1), "shift": Const(1 << p.row.K, p.row.K + 1)}
        given = [words[name] for name in OFFERED] + [self.divsteps.matrix[k] for k in range(len(MATRIX))]
        for number, value in enumerate(given):
            m.d.comb += getattr(self.incoming, f"given_{number}").eq(value)
        m.d.comb += self.incoming.load.eq(self.field("load"))

    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        return self.bad_parts(self.held["m"][0], self.scalar.zero)

    def _leave(self, m: Module) -> None:
        """The coordinates, which stand above K bits, or 0 where there is no point; and whether they were below M."""
        p, field, target, found = self.p, self.field, self.p.row.target, self.words.found
        for name in "xy":
            less = pulse_copy(m, field(f"{name}_over"), f"{name}_compares")
            with m.If(less):
                m.d.sync += self.over[f"{name}_over"].eq(~found[-1])
            result = Signal(p.n, name=f"{name}_result", reset_less=True)
            for number, low in enumerate(range(0, p.n, RESULT_SLICE)):
                part = slice(low, min(low + RESULT_SLICE, p.n))
                leaves = copied(m, field(f"{name}_out"), target, f"{name}_leaves_{number}")
                with m.If(copied(m, field(f"{name}_out") & self.nothing, target, f"{name}_none_{number}")):
                    m.d.sync += result[part].eq(0)
                with m.Elif(leaves):
                    m.d.sync += result[part].eq(found[p.row.K :][part])
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
        unit, field = self.arithmetic, self.field
        m.d.comb += [
            unit.found.eq(self.words.found),
            unit.terms.eq(self.words.terms),
            unit.m.eq(self.held["mk"]),
            unit.start.eq(field("start")),
            unit.integer.eq(field("integer")),
            unit.minus.eq(field("minus")),
            unit.sum.eq(field("sum")),
            unit.load.eq(field("load_tilde")),
            unit.clear.eq(field("unlift")),
            unit.given.eq(field("operand")),
            *(getattr(unit, f"part_{k}").eq(getattr(self.incoming, f"part_{k}")) for k in range(PARTS)),
            self.words.z.eq(unit.z),
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

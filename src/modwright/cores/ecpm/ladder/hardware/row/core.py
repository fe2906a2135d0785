# SPDX-License-Identifier: Apache-2.0
"""A point multiplier over a row multiplier, with its streams, as the control words say.

Registers by cycle, with the step of the schedule; F the cycle of the first bit of the scalar, C cycles of each; B words
of begin and set-up, S of a step, E of the exit, V of a digit of the inverse, Z of the end; N bits of order, n of M:

    cycle                                  step                            register that holds it from this cycle on
    1                                      operands                        `held_*`: the payload but for k and order
    F                                      to words                        words 23 to 31
    F + C·N                                k' = 2^N + ((k - 2^N) mod q)    r of `scalar`: k' below its first bit
    F + C·N + B + S·N                      step                            words 0 to 5: XQ, XR, YQ, YR, G, M
    F + C·N + B + S·N + E + V·n            power                           word 24: A, in a few cycles more
    F + C·N + B + S·N + E + V·n + Z + n    division by t                   `quotient` of both divisions

The control word of cycle t is word t - 1 of the microcode. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ......engines.row.hardware.arithmetic import RowArithmetic
from ......engines.row.hardware.division import Division
from ......engines.row.hardware.words import Words
from ......rtl.copies import level_copy
from ......rtl.player import Player
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import EXTERNAL
from ...plan.row.microcode import CURVE_RANGE, FLIPS, POINT_RANGE, WORDS, ZEROS
from ..common import PointCore
from ..position import LadderPosition
from .scalar import SegmentedScalar


class RowLadderCore(PointCore):
    """A point multiplier over a row multiplier."""

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.sequencer = self.player = Player(self.schedule.microcode, overlap=False, fetch=True)
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = SegmentedScalar(p)
        m.submodules.arithmetic = self.arithmetic = RowArithmetic(p.row)
        m.submodules.words = self.words = Words(p.word_bits, WORDS, len(EXTERNAL), p.row.target)
        start = self.handshake(m)
        self._hold(m, start)
        self._flags(m)
        self._addresses(m)
        self._arithmetic(m, start)
        self._control(m, start)
        self.release(m)
        return m

    def _idle(self, m: Module, name: str, start: Value) -> Signal:
        """A copy of what says that no operation is in the core: registers take what is at the input until one is."""
        return level_copy(m, self.field("end"), start, name, init=1)

    def _hold(self, m: Module, start: Value) -> None:
        """Registers of the operands, but for scalar and order; that of the modulus gives M - 2 from the right."""
        p, given = self.p, {}
        for field in p.i.fields:
            if field.name not in ("k", "order"):
                given[field.name] = getattr(self.i.p, field.name)
        self.held = {name: Signal(len(value), name=f"held_{name}") for name, value in given.items()}
        self.digit = Signal()
        borrow, second = Signal(), Signal()  # of the 2 that is subtracted: its bit 1 is the second one
        modulus = self.held["m"]
        m.d.comb += self.digit.eq(modulus[0] ^ borrow)
        for name, value in given.items():
            if name != "m":
                with m.If(self._idle(m, f"idle_{name}", start)):
                    m.d.sync += self.held[name].eq(value)
        with m.If(self._idle(m, "idle_m", start)):
            m.d.sync += [modulus.eq(given["m"]), borrow.eq(0), second.eq(1)]
        with m.Elif(self.field("digit")):
            m.d.sync += [modulus.eq(modulus >> 1), second.eq(0), borrow.eq(second | (borrow & ~modulus[0]))]
        words = {**self.held, "mK": Cat(Const(0, p.row.K), self.held["mk"]), "one": Const(1, 1)}
        for number, name in enumerate(EXTERNAL):
            m.d.comb += getattr(self.words, f"given_{number}").eq(words[name])

    def _addresses(self, m: Module) -> None:
        """Addresses of the words, exchanged by flags."""
        field, words = self.field, self.words
        exchange = self.exchanges(FLIPS, e_bit=self.digit)
        fresh = Mux(field("fresh") & self.position.fresh_now, FRESH, 0)
        m.d.comb += [
            words.read.eq(field("read") ^ exchange.bit_select(field("flip"), 1) ^ fresh),
            words.into.eq(field("into") ^ self.flipped(FLIPS)),
            words.write.eq(field("write") & ~(field("tail") & self.first)),
            words.load.eq(field("load")),
            words.operand.eq(field("operand")),
        ]

    def _arithmetic(self, m: Module, start: Value) -> None:
        """Products, sums, and the division of both results."""
        unit, field, found = self.arithmetic, self.field, self.words.found
        m.d.comb += [
            unit.found.eq(found),
            unit.m.eq(self.held["mk"]),
            unit.start.eq(field("start")),
            unit.minus.eq(field("minus")),
            unit.sum.eq(field("sum")),
            unit.load.eq(field("load_tilde")),
            unit.clear.eq(self._idle(m, "idle_lift", start)),
            self.words.z.eq(unit.z),
        ]
        for name in "xy":
            m.submodules[f"division_{name}"] = division = Division(self.p.n, self.p.row.K)
            leaves, none = Signal(name=f"{name}_leaves"), Signal(name=f"{name}_is_none")
            m.d.sync += [leaves.eq(field(f"{name}_out")), none.eq(self.flags[f"{name}_none"] | self.nothing)]
            m.d.comb += [
                division.load.eq(leaves),
                division.none.eq(none),
                division.z.eq(found[: self.p.n]),
                division.t.eq(self.held["t"]),
                division.step.eq(field("divide")),
                getattr(self.o.p, name).eq(division.quotient),
            ]

    # --- flags

    def _flags(self, m: Module) -> None:
        """Flags that are known of the operands and of the ladder."""
        self.first = Signal()  # the first round of a loop: there is none before it
        self.flags = {name: Signal(name=name) for name in ZEROS[1:]}
        self.out_of_range, self.bad = Signal(), Signal()
        self.direct, self.negate, self.nothing, self.error = Signal(), Signal(), Signal(), Signal(2)
        with m.If(self.field("initial")):
            m.d.sync += self.bad.eq(self.bad_operands())
        for name, value in self.decisions(self.bad, self.out_of_range).items():
            m.d.sync += getattr(self, name).eq(value)

    def _control(self, m: Module, start: Value) -> None:
        self.drive_ladder(m, self._idle(m, "idle_scalar", start))
        with m.If(self.field("round")):
            m.d.sync += self.first.eq(self.field("first_round"))
        self.set_flags(m, ZEROS, self.arithmetic.zero)
        self.compare(m, start, POINT_RANGE, CURVE_RANGE, self.arithmetic.negative)

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

The control word of cycle t is word t - 1 as it is played. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from ......engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from ......engines.row.hardware.arithmetic import RowArithmetic
from ......engines.row.hardware.division import Division
from ......engines.row.hardware.words import Words
from ......rtl.copies import level_copy
from ......rtl.player import Player
from ......rtl.streams import core_members
from ......schedule import Schedule
from ...parameters.operands import OFF_CURVE
from ...parameters.row import RowLadderParameters
from ...plan.homes import FRESH
from ...plan.row.formulas import EXTERNAL
from ...plan.row.microcode import CURVE_RANGE, FLIPS, POINT_RANGE, WORDS, ZEROS
from ..position import LadderPosition
from .scalar import SegmentedScalar


class RowLadderCore(wiring.Component):
    """Streams `i` (curve, point, scalar) and `o` (point). One operation at a time."""

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.sequencer = self.player = sequencer = Player(self.schedule.microcode, overlap=False, fetch=True)
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = SegmentedScalar(p)
        m.submodules.arithmetic = self.arithmetic = RowArithmetic(p.row)
        m.submodules.words = self.words = Words(p.word_bits, WORDS, len(EXTERNAL), p.row.target)
        start = Signal()
        m.d.comb += [
            self.i.ready.eq(sequencer.ready & ~self.o.valid),
            start.eq(self.i.valid & self.i.ready),
            sequencer.start.eq(start),
        ]
        self._hold(m, start)
        self._flags(m)
        self._addresses(m)
        self._arithmetic(m, start)
        self._control(m, start)
        self._release(m)
        return m

    def _field(self, name: str) -> Value:
        """A field of the control word, 0 where no word has it."""
        return self.player.field(name)

    def _idle(self, m: Module, name: str, start: Value) -> Signal:
        """A copy of what says that no operation is in the core: registers take what is at the input until one is."""
        return level_copy(m, self._field("end"), start, name, init=1)

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
        with m.Elif(self._field("digit")):
            m.d.sync += [modulus.eq(modulus >> 1), second.eq(0), borrow.eq(second | (borrow & ~modulus[0]))]
        words = {**self.held, "mK": Cat(Const(0, p.row.K), self.held["mk"]), "one": Const(1, 1)}
        for number, name in enumerate(EXTERNAL):
            m.d.comb += getattr(self.words, f"given_{number}").eq(words[name])

    def _addresses(self, m: Module) -> None:
        """Addresses of the words, exchanged by flags."""
        field, position, words = self._field, self.position, self.words
        flags = (Const(0, 1), position.now, position.before, self.flags["x_zero"], position.mirror, self.digit)
        exchange = Cat(*flags, self.direct, self.negate)
        assert len(exchange) == len(FLIPS)
        fresh = Mux(field("fresh") & position.fresh_now, FRESH, 0)
        into_flip = field("into_flip")
        flip = Mux(into_flip == FLIPS.index("now"), position.now, position.before)
        m.d.comb += [
            words.read.eq(field("read") ^ exchange.bit_select(field("flip"), 1) ^ fresh),
            words.into.eq(field("into") ^ ((into_flip != 0) & flip)),
            words.write.eq(field("write") & ~(field("tail") & self.first)),
            words.load.eq(field("load")),
            words.operand.eq(field("operand")),
        ]

    def _arithmetic(self, m: Module, start: Value) -> None:
        """Products, sums, and the division of both results."""
        unit, field, found = self.arithmetic, self._field, self.words.found
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
        held, position, flags = self.held, self.position, self.flags
        off = ~flags["on_curve"] & ~held["infinity"]
        with m.If(self._field("initial")):
            m.d.sync += self.bad.eq(~held["m"][0] | ~held["m"][2:].any() | self.scalar.zero)
        m.d.sync += [
            self.direct.eq(position.nothing | (position.fresh & flags["x_zero"] & flags["a_zero"])),
            self.negate.eq(position.nothing & position.mirror),
            self.error.eq(Mux(self.bad, BAD_MODULUS, Mux(self.out_of_range, OUT_OF_RANGE, Mux(off, OFF_CURVE, 0)))),
            self.nothing.eq((self.error != 0) | held["infinity"] | (position.nothing & ~position.mirror)),
        ]

    def _control(self, m: Module, start: Value) -> None:
        field, position, scalar = self._field, self.position, self.scalar
        m.d.comb += [
            scalar.idle.eq(self._idle(m, "idle_scalar", start)),
            scalar.k.eq(self.i.p.k),
            scalar.order.eq(self.i.p.order),
            scalar.reduce.eq(field("reduce")),
            scalar.begin.eq(field("begin")),
            position.initial.eq(field("initial")),
            position.begin.eq(field("begin")),
            position.bit.eq(scalar.bit),
            position.decide.eq(field("decide")),
        ]
        for name in ("g_zero", "g0_zero", "h_zero", "y_zero"):
            m.d.comb += getattr(position, name).eq(self.flags[name])
        with m.If(field("round")):
            m.d.sync += self.first.eq(field("first_round"))
        counts = ~(field("tail_flag") & self.first)
        with m.Switch(field("zero")):
            for number, name in enumerate(ZEROS):
                if name:
                    with m.Case(number), m.If(counts):
                        m.d.sync += self.flags[name].eq(self.arithmetic.zero)
        point = (field("range") == POINT_RANGE) & ~self.held["infinity"]
        with m.If(start):
            m.d.sync += self.out_of_range.eq(0)
        with m.Elif((point | (field("range") == CURVE_RANGE)) & ~self.arithmetic.negative):
            m.d.sync += self.out_of_range.eq(1)

    def _release(self, m: Module) -> None:
        """The result stays in the registers of the divisions until it is taken."""
        with m.If(self._field("end")):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.p.infinity.eq(self.nothing & (self.error == 0)),
                self.o.p.error.eq(self.error),
            ]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)

# SPDX-License-Identifier: Apache-2.0
"""A point multiplier in residues, with its streams, as the control words say.

Registers by cycle, with the step of the schedule; B words of the set-up, S of a step, E of the exit, V of a digit of
the inverse, Z of the end and Y of the last part, C of a conversion; N bits of order, n of P;
T = B + 3 + S·N + E + V·n the cycle of the end:

    cycle                step                    register that holds it from this cycle on
    1                    operands                `held_*`: the payload but for k and order
    B + 3                set-up                  words of the set-up; the memory of `scalar`
    B + 3 + S·N          step                    words XQ, D, YQ, YR, G of all rowers, in some cycles more
    T                    power                   word A, in some cycles more
    T + Z + C            end: to binary          `x_out`, a cycle before
    T + Z + Y + 2C       last: to binary         `y_out`, a cycle before

The control word of cycle t is word t - 1 of the microcode. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value

from ......engines.residue.hardware.converters import FromResiduesDatapath
from ......engines.rowers.control import TRAVEL
from ......engines.rowers.hardware.field import ResidueFieldUnit, fields
from ......rns.conversion import split
from ......rtl.pipeline import delayed
from ......rtl.player import Player
from ......schedule import Schedule
from ...parameters.residues import ResidueLadderParameters
from ...plan.formulas import CURVE, POINT
from ...plan.residues.microcode import CURVE_RANGE, FLIPS, FRESH, OUT_Y, POINT_RANGE, WORDS, ZEROS
from ...schedule.residues import OUT
from ..common import HELD_SLICE, PointCore
from ..position import LadderPosition
from ..row.scalar import SerialScalar

OPERANDS = (*POINT, *CURVE, "unit")
"""Numbers that come in, in the order of the field `operand`; the last one is 1."""


class ResidueLadderCore(PointCore):
    """A point multiplier in residues."""

    def __init__(self, p: ResidueLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        self.player = Player(self.schedule.microcode, overlap=False, fetch=True, target=p.target)
        m.submodules.sequencer = self.player
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = SerialScalar(p)
        m.submodules.field = self.unit = ResidueFieldUnit(p.rowers, WORDS)
        m.submodules.out = self.out = FromResiduesDatapath(p.rowers.conversion, self.schedule.parts[OUT], p.target)
        start = self.handshake(m)
        self._hold(m, start)
        self._flags(m)
        self._digits(m)
        self._power(m)
        self._rowers(m)
        self._leave(m)
        self._control(m, start)
        self.release(m)
        return m

    def bad_operands(self) -> Value:
        """Whether the order is one that is reported."""
        return self.scalar.zero

    # --- operands

    def _hold(self, m: Module, start: Value) -> None:
        """Registers of the operands, but for scalar and order; their lowest digits leave one after the other."""
        p, moved = self.p, self.p.rowers.width * self.p.rowers.lanes
        self.number = delayed(m, self.field("operand"), TRAVEL - 1, "operand_number")
        self.held = {}
        for field in p.i.fields:
            if field.name in ("k", "order"):
                continue
            value: Value = getattr(self.i.p, field.name)
            register = self.held[field.name] = Signal(field.width, name=f"held_{field.name}")
            moves: Value = Const(0, 1)
            if field.name in OPERANDS:
                moves = self.number == OPERANDS.index(field.name) + 1
            after = Cat(register[moved:], Const(0, moved))[: field.width]
            for count, low in enumerate(range(0, field.width, HELD_SLICE)):
                part = slice(low, min(low + HELD_SLICE, field.width))
                idle = self.taking(m, f"idle_{field.name}_{count}", start)
                with m.If(idle | moves):
                    m.d.sync += register[part].eq(Mux(idle, value[part], after[part]))

    def _digits(self, m: Module) -> None:
        """Digits of a number for the rowers; whether it is 0, and whether it is below P, from the lowest digits on."""
        field, bits = self.p.rowers, len(Value.cast(self.unit.digits))
        first = delayed(m, self.field("first_digits"), TRAVEL, "first_digits_late")
        row = delayed(m, self.field("digits_at"), TRAVEL - 1, "digits_at_late")
        unit = self.field("first_digits") & (self.field("operand") == len(OPERANDS))
        known = Cat(delayed(m, unit, TRAVEL - 1, "unit_late"), Const(0, bits - 1))
        sources = [Cat(self.held[name], Const(0, bits))[:bits] for name in OPERANDS[:-1]]
        limits = Array(Const(part, bits) for part in split(field.modulus, bits, field.digit_rows))
        digits, limit = Signal(bits), Signal(bits)
        m.d.sync += [digits.eq(Array([Const(0, bits), *sources, known])[self.number]), limit.eq(limits[row])]
        m.d.comb += Value.cast(self.unit.digits).eq(digits)
        self.below, self.none = Signal(name="below"), Signal(name="none")
        difference = digits - limit - Mux(first, 0, self.below)
        m.d.sync += [self.below.eq(difference[-1]), self.none.eq((first | self.none) & ~digits.any())]

    def _power(self, m: Module) -> None:
        """Digits of P - 2, which go round once an operation."""
        bits = self.p.modulus.bit_length()
        exponent = Signal(bits, init=self.p.modulus - 2)
        with m.If(self.field("shift")):
            m.d.sync += exponent.eq(Cat(exponent[1:], exponent[0]))
        self.digit = exponent[0]

    # --- rowers

    def _rowers(self, m: Module) -> None:
        """Addresses, exchanged by flags, and all other fields as they are."""
        unit, exchange = self.unit, self._exchange(m)
        for name in fields(self.p.rowers, WORDS):
            side, port = name[:2], name[2:]
            value = self.field(name)
            if port in ("x", "y"):
                fresh = Mux(self.field(f"{name}_fresh") & self.position.fresh_now, FRESH, 0)
                value = value ^ exchange.bit_select(self.field(f"{name}_flip"), 1) ^ fresh
            elif side == "a_" and port.startswith(("write", "into")):
                value = self.field(f"a_{port[:-2]}")  # both memories of A have the same residue
            m.d.comb += getattr(unit, name).eq(value)

    def _exchange(self, m: Module) -> Value:
        """Bits that may exchange bit 0 of an address, in the order of `FLIPS`."""
        position, turned = self.position, Signal(name="turned")
        against = position.before & ~position.fresh_now
        turn = position.now ^ against
        with m.If(self.field("begin")):
            m.d.sync += turned.eq(turn)
        known = {"turn": turn, "turned": turned, "own": position.mirror ^ against, "digit": self.digit}
        known |= {"x_zero": self.flags["x_zero"], "direct": self.direct, "negate": self.negate}
        return Cat(Const(0, 1), *(known[name] for name in FLIPS[1:]))

    def _leave(self, m: Module) -> None:
        """Both coordinates, one after the other to binary."""
        out, code = self.out, self.field("out")
        second = Signal()
        m.d.comb += [out.start.eq(code != 0), out.xi.eq(self.unit.hats)]
        with m.If(code != 0):
            m.d.sync += second.eq(code == OUT_Y)
        for number, name in enumerate("xy"):
            leaves = Signal(self.p.n, name=f"{name}_out")
            with m.If(out.done & (second == number)):
                m.d.sync += leaves.eq(Mux(self.nothing, 0, out.z))
            m.d.comb += getattr(self.o.p, name).eq(leaves)

    # --- flags

    def _flags(self, m: Module) -> None:
        """Flags that are known of the operands and of the ladder."""
        self.first = Signal()  # stays 0: a step leaves no flag to the next one that counts in the first
        self.flags = {name: Signal(name=name) for name in ZEROS[1:]}
        self.out_of_range = Signal()
        self.direct, self.negate, self.nothing, self.error = Signal(), Signal(), Signal(), Signal(2)
        for name, value in self.decisions(self.bad_operands(), self.out_of_range).items():
            m.d.sync += getattr(self, name).eq(value)

    def _control(self, m: Module, start: Value) -> None:
        idle = [self.taking(m, f"idle_scalar_{number}", start) for number in range(SerialScalar.slices(self.p))]
        self.drive_ladder(m, Cat(idle))
        self.set_flags(m, ZEROS, Mux(self.field("of_digits"), self.none, self.unit.zero))
        self.compare(m, start, POINT_RANGE, CURVE_RANGE, self.below)

# SPDX-License-Identifier: Apache-2.0
"""Parts that the cores of a point multiplication share: handshake, decisions of the ladder, errors, the result.

Registers, counted from the cycle of the control field:

    cycle              register that holds the value from this cycle on
    1, after `zero`    the flag of that number: the value read is 0
    1, after `end`     `o.valid`, `infinity`, `error`
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....rtl.copies import level_copy
from .....rtl.player import Player
from .....rtl.streams import core_members
from .....rtl.turns import TurnPlayer
from .....schedule import Schedule
from ..parameters.operands import OFF_CURVE, EcpmOperands
from .position import LadderPosition

HELD_SLICE = 128
"""Bits of an operand behind one copy of a control signal."""


class Scalar(wiring.Component):
    """Ports of a unit that reduces the scalar, (k - 2^N) mod q: Horner's rule, r <- 2r + bit.

    Attributes
    ----------
    start or idle : in
        `k` and `order` may be valid in this cycle; the values in the last such cycle count. `taking` is this port, with
        as many copies as the unit needs.
    k, order : in
    reduce : in
        A bit of k; N times. A unit may have more kinds of steps.
    begin : in
        The next bit of the result.
    bit : out
        The first bit that has not been taken.
    zero : out
        The order is 0.
    """

    def __init__(
        self, p: EcpmOperands, taking: str = "start", copies: int = 1, reduce_bits: int = 1, enabled: bool = False
    ) -> None:
        self._taking = taking
        members = {taking: In(copies), "k": In(p.n + 1), "order": In(p.order_bits), "reduce": In(reduce_bits)}
        members |= {name: In(1) for name in ("begin", *(["enable"] if enabled else []))}
        super().__init__(members | {"bit": Out(1), "zero": Out(1)})

    @property
    def taking(self) -> Signal:
        """Port with which the operands are taken."""
        return getattr(self, self._taking)

    def first(self, p: EcpmOperands) -> Value:
        """r before the first bit: -1, or 0 where k has a bit N."""
        negative = ~self.k[p.order_bits] if len(self.k) > p.order_bits else Const(1, 1)
        return negative.replicate(p.scalar_bits)


class PointDecisions:
    """Decisions of one operation, from its flags and fields of its control words."""

    schedule: Schedule
    position: LadderPosition
    first: Signal
    """No step, or round of a loop, came before this one."""
    flags: Mapping[str, Signal]
    """Registers that a comparison with 0 sets, by name."""
    held: Mapping[str, Signal]
    """Operands."""
    direct: Signal
    negate: Signal
    nothing: Signal
    error: Signal
    out_of_range: Signal

    @abstractmethod
    def field(self, name: str) -> Value:
        """Read a field of the control word; 0 where no word has it."""
        ...

    def taking(self, m: Module, name: str, start: Value, end: str = "end") -> Signal:
        """A copy of what says that registers take what is at the input: from the field `end` on until an operation
        starts."""
        return level_copy(m, self.field(end), start, name, init=1)

    def decisions(self, bad: Value, wrong: Value) -> dict[str, Value]:
        """Values of `direct`, `negate`, `error` and `nothing`, which choose what leaves."""
        held, position, flags = self.held, self.position, self.flags
        off = ~flags["on_curve"] & ~held["infinity"]
        return {
            "direct": position.nothing | (position.fresh & flags["x_zero"] & flags["a_zero"]),
            "negate": position.nothing & position.mirror,
            "error": Mux(bad, BAD_MODULUS, Mux(wrong, OUT_OF_RANGE, Mux(off, OFF_CURVE, 0))),
            "nothing": (self.error != 0) | held["infinity"] | (position.nothing & ~position.mirror),
        }

    def exchanges(self, flips: Sequence[str], **more: Value) -> Value:
        """Bits that may exchange bit 0 of an address, in the order of `flips`, whose first is none."""
        position = self.position
        known = {"now": position.now, "before": position.before, "mirror": position.mirror, **more}
        known |= {"x_zero": self.flags["x_zero"], "direct": self.direct, "negate": self.negate}
        return Cat(Const(0, 1), *(known[name] for name in flips[1:]))

    def flipped(self, flips: Sequence[str]) -> Value:
        """Whether the address of a write has bit 0 exchanged."""
        flip, position = self.field("into_flip"), self.position
        return (flip != 0) & Mux(flip == flips.index("now"), position.now, position.before)

    def drive_position(self, m: Module, bit: Value) -> None:
        """Connect the position with the scalar and with the control word."""
        position = self.position
        m.d.comb += [
            position.initial.eq(self.field("initial")),
            position.begin.eq(self.field("begin")),
            position.bit.eq(bit),
            position.decide.eq(self.field("decide")),
        ]
        for name in ("g_zero", "g0_zero", "h_zero", "y_zero"):
            m.d.comb += getattr(position, name).eq(self.flags[name])

    def set_flags(self, m: Module, names: Sequence[str], zero: Value) -> None:
        """Set the flag that the control word names to `zero`; those of the step before not in the first one."""
        counts = ~(self.field("tail_flag") & self.first)
        used = {row.get("zero", 0) for row in self.schedule.microcode.words}
        with m.Switch(self.field("zero")):
            for number, name in enumerate(names):
                if name and number in used:
                    with m.Case(number), m.If(counts):
                        m.d.sync += self.flags[name].eq(zero)

    def compare(self, m: Module, start: Value, point: int, curve: int, negative: Value) -> None:
        """Note an operand that is not below the modulus: of the point, which is free at infinity, or another one."""
        of_point = (self.field("range") == point) & ~self.held["infinity"]
        with m.If(start):
            m.d.sync += self.out_of_range.eq(0)
        with m.Elif((of_point | (self.field("range") == curve)) & ~negative):
            m.d.sync += self.out_of_range.eq(1)


class PointCore(PointDecisions, wiring.Component):
    """Streams `i` (curve, point, scalar) and `o` (point), and the decisions; one operation at a time.

    A subclass has the player, the scalar, and the words that the control words read and write.
    """

    player: Player | TurnPlayer
    scalar: Scalar

    def __init__(self, p: EcpmOperands, schedule: Schedule) -> None:
        self.schedule = schedule
        super().__init__(core_members(p.i, p.o))

    def field(self, name: str) -> Value:
        """Read a field of the control word; 0 where no word has it."""
        return self.player.field(name)

    def handshake(self, m: Module) -> Signal:
        """Start the player with the input transfer; the cycle of it."""
        start = Signal()
        m.d.comb += [
            self.i.ready.eq(self.player.ready & ~self.o.valid),
            start.eq(self.i.valid & self.i.ready),
            self.player.start.eq(start),
        ]
        return start

    def hold(self, m: Module, p: EcpmOperands, start: Value, end: str = "end") -> None:
        """Registers of the operands, but for scalar and order, until the field `end`."""
        names = [field.name for field in p.i.fields if field.name not in ("k", "order")]
        given = {name: getattr(self.i.p, name) for name in names}
        self.held = {name: Signal(len(value), name=f"held_{name}") for name, value in given.items()}
        for name, value in given.items():
            for number, low in enumerate(range(0, len(value), HELD_SLICE)):
                part = slice(low, min(low + HELD_SLICE, len(value)))
                with m.If(self.taking(m, f"idle_{name}_{number}", start, end)):
                    m.d.sync += self.held[name][part].eq(value[part])

    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        modulus = self.held["m"]
        return ~modulus[0] | ~modulus[2:].any() | self.scalar.zero

    def drive_ladder(self, m: Module, taking: Value) -> None:
        """Connect scalar and position with each other and with the control word."""
        scalar = self.scalar
        m.d.comb += [
            scalar.taking.eq(taking),
            scalar.k.eq(self.i.p.k),
            scalar.order.eq(self.i.p.order),
            scalar.reduce.eq(self.field("reduce")),
            scalar.begin.eq(self.field("begin")),
        ]
        self.drive_position(m, scalar.bit)

    def release(self, m: Module) -> None:
        """Offer the result of the one operation."""
        self.offer(m, self.nothing & (self.error == 0), self.error)

    def offer(self, m: Module, infinity: Value, error: Value) -> None:
        """Offer the result, which stays in its registers, until it is taken."""
        with m.If(self.field("end")):
            m.d.sync += [self.o.valid.eq(1), self.o.p.infinity.eq(infinity), self.o.p.error.eq(error)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)

# SPDX-License-Identifier: Apache-2.0
"""Position and flags of one of the operations that take the cycles of a data path in turn.

All registers are enabled in the cycles of this operation alone, so that it is as if there were no other (`rtl.turns`).
Registers, counted in these cycles from `start`, or from the one in which `word` has the field:

    cycle                  register that holds the value from this cycle on
    1                      `held_odd`, `held_infinity`
    2, of a range          `over`: the coordinate is not below M, behind a copy of the field
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ......engines.row.divsteps import SIGNS
from ......rtl.copies import pulse_copy
from ......schedule import Schedule
from ...parameters.row import RowLadderParameters
from ...plan.row.microcode import FLIPS, OVER
from ..position import LadderPosition
from .decisions import RowDecisions
from .pairs import PairedScalar


class RowContext(RowDecisions, wiring.Component):
    """Attributes
    ----------
    word : in
        Control word.
    flip, fresh : in
        Fields of the next one.
    start : in
        An operation comes in.
    odd, no_point : in
        With `start`: the lowest bit of its modulus, and whether its point is that at infinity.
    bit, no_order : in
        Outputs of the scalar.
    zero, negative, low : in
        The comparison with 0, the sign of a difference, and the complement of the top bit of an operand.
    signs, f_negative : in
        Outputs of divsteps.
    idle : out, a bit for each slice of the scalar
        Registers of the scalar take what is at the input.
    exchange, freshen : out
        Bit 0 of the address that the next control word reads is exchanged, or it is of the state of the set-up.
    into_exchange, unwritten : out
        Bit 0 of the address that this one writes is exchanged, or that is of a round before the first.
    none, infinite, failure : out
        The result is without coordinates, or the point at infinity; the error.
    """

    def __init__(self, p: RowLadderParameters, schedule: Schedule, layout: data.StructLayout) -> None:
        self.p, self.schedule, self.layout = p, schedule, layout
        single = ("start", "odd", "no_point", "bit", "no_order", "zero", "negative", "low", "f_negative", "fresh")
        outputs = ("exchange", "freshen", "into_exchange", "unwritten", "none", "infinite")
        super().__init__(
            {name: In(1) for name in single}
            | {"word": In(layout), "flip": In(range(len(FLIPS))), "signs": In(len(SIGNS))}
            | {name: Out(1) for name in outputs}
            | {"idle": Out(PairedScalar.slices(p)), "failure": Out(2)}
        )

    def field(self, name: str) -> Value:
        """Read a field of the control word; 0 where no word has it."""
        return self.word[name] if name in self.layout.members else Const(0, 1)

    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        return self.bad_parts(self.held["odd"], self.no_order)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.position = self.position = LadderPosition()
        self.held = {"infinity": Signal(name="held_infinity"), "odd": Signal(name="held_odd")}
        with m.If(self.start):
            m.d.sync += [self.held["infinity"].eq(self.no_point), self.held["odd"].eq(self.odd)]
        self.make_flags(m, self.f_negative)
        for name in OVER:
            with m.If(pulse_copy(m, self.field(name), f"{name}_compares")):
                m.d.sync += self.over[name].eq(self.low)
        self.drive_position(m, self.bit)
        self.follow(m, self.start, self.zero, self.negative)
        exchange, freshen = self.exchanged(m, self.signs, self.flip, self.fresh)
        taking = [self.taking(m, f"idle_{number}", self.start) for number in range(len(self.idle))]
        m.d.comb += [
            self.idle.eq(Cat(taking)),
            self.exchange.eq(exchange),
            self.freshen.eq(freshen),
            self.into_exchange.eq(self.flipped(FLIPS)),
            self.unwritten.eq(self.field("tail") & self.first),
            self.none.eq(self.nothing),
            self.infinite.eq(self.nothing & (self.error == 0)),
            self.failure.eq(self.error),
        ]
        return m

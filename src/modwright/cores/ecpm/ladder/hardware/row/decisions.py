# SPDX-License-Identifier: Apache-2.0
"""Flags and decisions of one operation over a row multiplier, and what they exchange."""

from __future__ import annotations

from abc import abstractmethod

from amaranth.hdl import Module, Mux, Signal, Value

from ......engines.row.divsteps import SIGNS
from ...plan.row.microcode import CURVE_RANGE, FLIPS, OVER, POINT_RANGE, ZEROS
from ..common import PointDecisions


class RowDecisions(PointDecisions):
    """Flags of one operation.

    Attributes
    ----------
    over : dict
        Flags: a coordinate before its last subtraction is not below M.
    turned : Signal
        y leaves negative.
    """

    @abstractmethod
    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        ...

    def bad_parts(self, odd: Value, no_order: Value) -> Value:
        """The same, of the lowest bit of the modulus, and of whether the order is 0."""
        return ~odd | self.flags["m_one"] | self.flags["m_three"] | no_order

    def make_flags(self, m: Module, f_negative: Value) -> None:
        """Flags that are known of the operands and of the ladder."""
        self.first = Signal()  # the first round of a loop: there is none before it
        self.flags = {name: Signal(name=name) for name in ZEROS[1:]}
        self.over = {name: Signal(name=name) for name in OVER}  # what becomes a coordinate is not below M
        self.turned = Signal()  # y leaves negative
        self.out_of_range, self.bad = Signal(), Signal()
        self.direct, self.negate, self.nothing, self.error = Signal(), Signal(), Signal(), Signal(2)
        m.d.sync += self.bad.eq(self.bad_operands())
        m.d.sync += self.turned.eq(Mux(self.direct, self.negate, f_negative))
        for name, value in self.decisions(self.bad, self.out_of_range).items():
            m.d.sync += getattr(self, name).eq(value)

    def follow(self, m: Module, start: Value, zero: Value, negative: Value) -> None:
        """Set flags as the control word says, by the comparison of an operand, and by the sign of a difference."""
        with m.If(self.field("round")):
            m.d.sync += self.first.eq(self.field("first_round"))
        self.set_flags(m, ZEROS, zero)
        self.compare(m, start, POINT_RANGE, CURVE_RANGE, negative)

    def exchanged(self, m: Module, signs: Value, flip: Value, fresh: Value) -> tuple[Value, Value]:
        """Whether what the next control word reads has bit 0 of its address exchanged, and whether it is of the state
        of the set-up."""
        position, begin = self.position, self.field("begin")
        near = Signal(len(SIGNS), reset_less=True)  # the matrix is far away from the addresses
        m.d.sync += near.eq(signs)
        ladder = {
            "now": Mux(begin, ~(position.bit ^ position.mirror), position.now),
            "before": Mux(begin, position.now, position.before),
        }
        of_signs = {name: near[k] for k, name in enumerate(SIGNS)}
        exchanges = self.exchanges(FLIPS, **of_signs, **ladder, **self.over, turned=self.turned)
        return exchanges.bit_select(flip, 1), fresh & Mux(begin, position.fresh, position.fresh_now)

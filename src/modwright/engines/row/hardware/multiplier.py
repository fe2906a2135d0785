# SPDX-License-Identifier: Apache-2.0
"""The row multiplier of a program: both operands of a product come through one port, the second a cycle later.

Cycles are those of `engines.orup.cycles`, with the first operand at the port in cycle 0; N digits of X, P slots:

    cycle       register that holds the value from this cycle on
    0           `load`, `entering`: the operation comes in
    1           `moving`: X, two digits less in each cycle; `put`: the slot whose digits are written, until cycle N/2
    1           `digit`: number of the pair of digits that is written
    2           `operands`: Y of the slot
    finished    behind `last`, outside: the last S

Where contexts take turns, the second operand is a cycle late for each further one, and so is the ring with all that
follows; X moves in the cycles of its own context, whose registers are in a row with those of the others.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import strobe_copy
from ....rtl.pipeline import delayed
from ....rtl.turns import turns
from ...orup.hardware.operands import WIDE_SLICE, SlotOperands
from ...orup.hardware.ring import drive_steps
from ..machine import PAIR
from ..parameters import RowParameters
from .loop import RowLoop


class RowMultiplier(wiring.Component):
    """Attributes
    ----------
    start : in
        The first operand is at `found` in the next cycle; the second one in that behind it. The program keeps the
        distances.
    integer : in
        With `start`: the product is that of integers, whose quotient digits are 0; its first operand has K bits.
    found : in, operand_bits
    m : in
        2^-K modulo the modulus; constant, or that of each context in turn.
    last : out
        Chunks of the last S of a product with their carries, in the cycle before `finished`.
    """

    def __init__(self, p: RowParameters) -> None:
        self.p, self.later = p, p.contexts - 1
        super().__init__(
            {"start": In(1), "integer": In(1), "found": In(p.operand_bits), "m": In(p.n)}
            | {"last": Out(data.ArrayLayout(p.w + p.carry_width, p.chunks))}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        entering, entered = self._copy(m, "entering"), Signal()
        begins = delayed(m, entering, self.later, "begins")
        m.d.sync += entered.eq(begins)
        loop = RowLoop(p)
        m.submodules.operands = operands = SlotOperands(
            p, one_modulus=True, every_place=True, target=p.target, at_once=PAIR, copies=loop.copies
        )
        m.submodules.loop = loop
        moving = self._moving(m)
        pairs = -(-p.N // PAIR)
        digit, put = Signal(range(pairs)), Signal(p.slots)
        slot = turns(m, p.slots, -self.later, "slot")
        digits, puts = (delayed(m, value, self.later, f"{value.name}_before") for value in (digit, put))
        m.d.sync += digit.eq(digits + 1)
        if self.later:
            m.d.sync += put.eq(puts)
        with m.If(entering):
            m.d.sync += [digit.eq(0), put.eq(1 << slot)]
        with m.Elif(digits == pairs - 1):
            m.d.sync += put.eq(0)
        m.d.comb += [
            operands.start.eq(begins),
            operands.y.eq(self.found),
            operands.m.eq(self.m),
            operands.put.eq(put),
            operands.put_place.eq(digit),
            operands.x_digit.eq(moving[: PAIR * p.k]),
            Cat(self.last).eq(Cat(loop.next)),
        ]
        whole = Signal()  # in the cycle of `entering`
        m.d.sync += whole.eq(self.integer)
        drive_steps(m, p, begins, entered, operands, loop, delayed(m, whole, self.later, "whole"))
        return m

    def _copy(self, m: Module, name: str) -> Signal:
        return strobe_copy(m, self.start, self.p.target, name, alone=not self.later)

    def _moving(self, m: Module) -> Signal:
        """Register of X, which gives two digits a cycle."""
        p = self.p
        moving = Signal(p.operand_bits, reset_less=True)
        moved = delayed(m, moving, self.later, "moved", reset=False) >> PAIR * p.k
        for number, low in enumerate(range(0, p.operand_bits, WIDE_SLICE)):
            part = slice(low, min(low + WIDE_SLICE, p.operand_bits))
            load = self._copy(m, f"load_{number}")
            m.d.sync += moving[part].eq(Mux(load, self.found[part], moved[part]))
        return moving

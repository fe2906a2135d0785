# SPDX-License-Identifier: Apache-2.0
"""The row multiplier of a program: both operands of a product come through one port, the second a cycle later.

Cycles are those of `engines.orup.cycles`, with the first operand at the port in cycle 0; N digits of X, P slots:

    cycle       register that holds the value from this cycle on
    1           `x_register`: X, a digit less in each cycle; `put`: the slot whose digits are written, until cycle N
    1           `digit`: number of the digit that is written
    2           `operands`: Y of the slot
    finished    `loop`: the last S
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...orup.hardware.loop import InterleavedLoop
from ...orup.hardware.operands import OperandRegister, SlotOperands, turns
from ...orup.hardware.ring import drive_steps
from ...orup.interleaved import InterleavedParameters


class RowMultiplier(wiring.Component):
    """Attributes
    ----------
    start : in
        The first operand is at `found`; the second one in the next cycle. The program keeps the distances.
    found : in, operand_bits
    m : in
        2^-K modulo the modulus, constant.
    word, carries : out
        The last S of a product, in cycle `finished`; see `InterleavedLoop`.
    """

    def __init__(self, p: InterleavedParameters) -> None:
        self.p = p
        super().__init__(
            {"start": In(1), "found": In(p.operand_bits), "m": In(p.n)}
            | {"word": Out(p.w * p.chunks), "carries": Out(data.ArrayLayout(p.carry_width, p.chunks - 1))}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        entered = Signal()
        m.d.sync += entered.eq(self.start)
        m.submodules.x_register = x = OperandRegister(p.operand_bits, p.k, p.N)
        m.submodules.operands = operands = SlotOperands(p, one_modulus=True, every_place=True)
        m.submodules.loop = loop = InterleavedLoop(p)
        digit, put = Signal(range(p.N)), Signal(p.slots)
        slot = turns(m, p.slots, 0, "slot")
        m.d.sync += digit.eq(digit + 1)
        with m.If(self.start):
            m.d.sync += [digit.eq(0), put.eq(1 << slot)]
        with m.Elif(digit == p.N - 1):
            m.d.sync += put.eq(0)
        m.d.comb += [
            x.start.eq(self.start),
            x.entered.eq(entered),
            x.i.eq(self.found),
            operands.start.eq(self.start),
            operands.y.eq(self.found),
            operands.m.eq(self.m),
            operands.put.eq(put),
            operands.put_place.eq(digit),
            operands.x_digit.eq(x.o[: p.k]),
            self.word.eq(loop.word),
            self.carries.eq(loop.carries),
        ]
        drive_steps(m, p, self.start, entered, operands, loop)
        return m

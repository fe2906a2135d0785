# SPDX-License-Identifier: Apache-2.0
"""The accumulator of the column units: a column at a time, its limbs, and the squares of Karatsuba's method.

A word is active in the cycle of its step's start; its product leaves d cycles later, and the registers have it in the
cycle after that. `limb-scan` with two limbs and d = 1:

    cycle    step         register that holds the value from this cycle on
    3        x_0·y_0      `accumulator`: column 0 above its lowest limb, which is `t_0`
    4        x_0·y_1      `accumulator`: column 1 so far
    5        t_0·q        `t_0`: the quotient of column 0; `nonzero`: its limb was not 0
    6        x_1·y_0      `accumulator`
    7        t_0·m_1      `accumulator`
    8        t_0·m_0      `accumulator`: column 1 with the upper limb and the carry, above its lowest limb, `t_1`
    9        x_1·y_1      `accumulator`: column 2 so far
    10       t_1·q        `t_1`: the quotient of column 1
    11       t_1·m_1      `accumulator`
    12       t_1·m_0      z: `t_0`, the limb of column 2, below `accumulator`, column 3

`accumulator` is below 2^p.accumulator; with Karatsuba's method it and U and V, in `chain` and `kept`, are signed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..operands import field_of
from ..parameters import UnitParameters


class ColumnAccumulator(wiring.Component):
    """Accumulator of a column unit, controlled by the words of `schedule.column_control`.

    Attributes
    ----------
    product, product_1, .. : in, 2w bits
        Products that leave the multipliers in this cycle.
    negative, negative_1, .. : in
        Flags of products that are subtracted.
    action : in
        Control word of the products.
    quotient : in
        Strobe: in this cycle the multiplier receives a limb to compute its quotient.
    limb : in, w bits
        The limb for `quotient`.
    t : out, s limbs of w bits
        Limbs t_c, each until limb c of the result replaces it.
    leaving : out, w bits
        Lowest limb of the first product.
    z : out
        Result, in the cycle after the last product.
    """

    def __init__(self, p: UnitParameters, layout: data.StructLayout) -> None:
        self.p = p
        self.t = [Signal(p.w, name=f"t_{k}") for k in range(p.s)]
        self.accumulator = Signal(p.accumulator)  # sum of a column, with the carry from below
        self.nonzero = Signal()  # the limb of the column of t_c is not 0
        self.chain = Signal(p.column_bits)  # U, V of Karatsuba's method; 0 between operations
        self.kept = [Signal(p.column_bits, name=f"kept_{k}") for k in range(p.s - 1)]  # V_0 .. V_(s-2), the next first
        super().__init__(
            {"product": In(2 * p.w), "negative": In(1), "action": In(layout), "quotient": In(1), "limb": In(p.w)}
            | {"leaving": Out(p.w), "z": Out(p.result_bits)}
            | {field_of("product", lane): In(2 * p.w) for lane in range(1, p.macs)}
            | {field_of("negative", lane): In(1) for lane in range(1, p.macs)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p, w = Module(), self.p, self.p.w
        if p.macs > 1:
            total = self._total_of_several(m)
        else:
            total = self._total_karatsuba(m) if p.unit.karatsuba else self._total(m)
        with m.If(self.quotient):
            m.d.sync += self.nonzero.eq(self.limb.any())
        closed = total.as_signed() >> w if p.signed else total >> w
        m.d.sync += self.accumulator.eq(Mux(self.action.close != 0, closed, total))
        for k, limb in enumerate(self.t):
            with m.If(self.action.quotient == k + 1):
                m.d.sync += limb.eq(self.product[:w])
            with m.If(self.action.close == k + 1):
                m.d.sync += limb.eq(total[:w])
        m.d.comb += [self.leaving.eq(self.product[:w]), self.z.eq(Cat(*self.t[: p.s - 1], self.accumulator))]
        return m

    def _counted(self, m: Module) -> Value:
        """Bits of the product that are added."""
        counted = Signal(2 * self.p.w + ("double" in self.action.shape().members))
        with m.If(self.action.high):
            m.d.comb += counted.eq(self.product[self.p.w :])
        if "double" in self.action.shape().members:
            with m.Elif(self.action.double):
                m.d.comb += counted.eq(self.product << 1)
        with m.Elif(self.action.add):
            m.d.comb += counted.eq(self.product)
        return counted

    def _total(self, m: Module) -> Value:
        """Sum accumulator + product."""
        base = Mux(self.action.first, 0, self.accumulator)
        return _sum(m, "total", self.p.accumulator, base, self._counted(m), self.action.high & self.nonzero)

    # --- several multipliers

    def _total_of_several(self, m: Module) -> Value:
        """Sum accumulator ± each product, times 2^w for the next column, and with Karatsuba's method + U - V."""
        A, action = self.p.accumulator, self.action
        base = Signal(A)
        m.d.comb += base.eq(Mux(action.first, 0, self.accumulator))
        addends: list[Value] = [base]
        carries: list[Value] = [action.high & self.nonzero]
        for lane in range(self.p.macs):
            counted, subtracted = self._counted_of(m, lane)
            addends.append(counted)
            carries += [subtracted] if self.p.unit.karatsuba else []
        if self.p.unit.karatsuba:
            self._chain(m)
            plus, minus = Signal(A), Signal(A)
            with m.If(action.plus):
                m.d.comb += plus.eq(self.chain)
            with m.If(action.minus):
                m.d.comb += minus.eq(~Cat(self.kept[0], Const(0, A - self.p.column_bits)))
            addends += [plus, minus]
            carries.append(action.minus)
        carries += [Const(0, 1)] * (len(addends) - 1 - len(carries))
        a, b = _two(m, addends, carries[1:], A)
        return _sum(m, "total", A, a, b, carries[0])

    def _counted_of(self, m: Module, lane: int) -> tuple[Value, Value]:
        """Bits of a product that are added, complemented where it is subtracted, and whether it is."""
        A = self.p.accumulator
        product, negative = (getattr(self, field_of(name, lane)) for name in ("product", "negative"))
        add, double, ahead = (self._flag(field_of(name, lane)) for name in ("add", "double", "ahead"))
        weighted = Mux(double, product << 1, product)
        counted = Signal(A, name=field_of("counted", lane))
        high = self.action.high if lane == 0 else Const(0, 1)
        with m.If(high):
            m.d.comb += counted.eq(product[self.p.w :])
        with m.Elif(add):
            m.d.comb += counted.eq(Mux(ahead, weighted << self.p.w, weighted))
        if not self.p.unit.karatsuba:
            return counted, Const(0, 1)
        subtracted = negative & add
        return counted ^ subtracted.replicate(A), subtracted

    def _flag(self, name: str) -> Value:
        """A field of the control word, 0 where no word has it."""
        return self.action[name] if name in self.action.shape().members else Const(0, 1)

    # --- Karatsuba's method

    def _total_karatsuba(self, m: Module) -> Value:
        """Sum accumulator ± product + U, or - V."""
        A, action = self.p.accumulator, self.action
        self._chain(m)
        subtracted = self.negative & action.add
        counted, square = Signal(A), Signal(A)
        m.d.comb += counted.eq(self._counted(m) ^ subtracted.replicate(A))
        with m.If(action.plus):
            m.d.comb += square.eq(self.chain)
        with m.Elif(action.minus):
            m.d.comb += square.eq(~self.kept[0])
        base = Signal(A)
        m.d.comb += base.eq(Mux(action.first, 0, self.accumulator))
        half, majority = Signal(A), Signal(A)
        m.d.comb += [
            half.eq(base ^ counted ^ square),
            majority.eq((base & counted) | ((base ^ counted) & square)),
        ]
        # - product and - V are complements and a carry each; no product with a sign is `high`
        return _sum(
            m, "total", A, half, Cat(action.minus, majority[: A - 1]), subtracted | (action.high & self.nonzero)
        )

    def _chain(self, m: Module) -> None:
        """Registers of U, to which a square is added, and of the V that remain to be subtracted."""
        action = self.action
        after = Signal(self.p.column_bits)
        m.d.comb += after.eq(self.chain + self.product)
        with m.If(action.done):
            m.d.sync += self.chain.eq(0)
        with m.Elif(action.chain):
            m.d.sync += self.chain.eq(after)
        with m.If(action.keep | action.minus):
            m.d.sync += [kept.eq(next_one) for kept, next_one in pairwise(self.kept)]
        with m.If(action.keep):
            m.d.sync += self.kept[-1].eq(after)


def _two(m: Module, addends: Sequence[Value], carries: Sequence[Value], width: int) -> tuple[Value, Value]:
    """Two numbers with the sum of all addends and carries modulo 2^width; the carries are two fewer than the
    addends."""
    left, into = list(addends), list(carries)
    for number, carry in enumerate(into):
        a, b, c = left[:3]
        half = Signal(width, name=f"half_{number}")
        total, majority = Signal(width, name=f"row_{number}"), Signal(width, name=f"majority_{number}")
        m.d.comb += [half.eq(a ^ b), total.eq(half ^ c), majority.eq((a & b) | (half & c))]
        left = [*left[3:], total, Cat(carry, majority[: width - 1])]
    a, b = left
    return a, b


def _sum(m: Module, name: str, width: int, a: Value, b: Value, carry: Value) -> Signal:
    """Sum a + b + carry modulo 2^width, on one carry chain."""
    longer, total = Signal(width + 2, name=f"{name}_longer"), Signal(width, name=name)
    m.d.comb += [longer.eq(Cat(Const(1, 1), a) + Cat(carry, b)), total.eq(longer[1:])]
    return total

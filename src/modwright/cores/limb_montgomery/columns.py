# SPDX-License-Identifier: Apache-2.0
"""The accumulator of L1, L2 and L3: a column at a time, its limbs, and the squares of Karatsuba's method."""

from __future__ import annotations

from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .parameters import LimbParameters


class ColumnAccumulator(wiring.Component):
    """What a product does when it leaves the multiplier (`schedule.column_control`).

    Attributes
    ----------
    product : in, 2w bits
        Leaves the multiplier in this clock.
    negative : in
        It is subtracted.
    action : in
        Its control word.
    quotient : in
        In this clock a limb is given to the multiplier, whose quotient it is multiplied for.
    limb : in, w bits
        That limb.
    t : out, s limbs of w bits
        t_c, until limb c of the result replaces it.
    leaving : out, w bits
        Lowest limb of the product.
    z : out
        Result, in the clock after the last product.
    """

    def __init__(self, p: LimbParameters, layout: data.StructLayout) -> None:
        self.p = p
        self.t = [Signal(p.w, name=f"t_{k}") for k in range(p.s)]
        self.accumulator = Signal(p.accumulator)  # sum of a column, with the carry from below
        self.nonzero = Signal()  # the limb that t_c was made for is not 0
        self.chain = Signal(p.accumulator)  # U, V of L3; 0 between operations
        self.kept = [Signal(p.accumulator, name=f"kept_{k}") for k in range(p.s - 1)]  # V_0 .. V_(s-2), the next first
        super().__init__(
            {"product": In(2 * p.w), "negative": In(1), "action": In(layout), "quotient": In(1), "limb": In(p.w)}
            | {"leaving": Out(p.w), "z": Out(p.result_bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p, w = Module(), self.p, self.p.w
        total = self._total_karatsuba(m) if p.unit.karatsuba else self._total(m)
        with m.If(self.quotient):
            m.d.sync += self.nonzero.eq(self.limb.any())
        m.d.sync += self.accumulator.eq(Mux(self.action.close != 0, total >> w, total))
        for k, limb in enumerate(self.t):
            with m.If(self.action.quotient == k + 1):
                m.d.sync += limb.eq(self.product[:w])
            with m.If(self.action.close == k + 1):
                m.d.sync += limb.eq(total[:w])
        m.d.comb += [self.leaving.eq(self.product[:w]), self.z.eq(Cat(*self.t[: p.s - 1], self.accumulator))]
        return m

    def _counted(self, m: Module) -> Value:
        """What counts of the product."""
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
        """accumulator + product."""
        base = Mux(self.action.first, 0, self.accumulator)
        return _sum(m, "total", self.p.accumulator, base, self._counted(m), self.action.high & self.nonzero)

    # --- L3

    def _total_karatsuba(self, m: Module) -> Value:
        """accumulator ± product + U, or - V."""
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
        """U, to which a square is added, and the V that are still to be subtracted."""
        action = self.action
        after = Signal(self.p.accumulator)
        m.d.comb += after.eq(self.chain + self.product)
        with m.If(action.done):
            m.d.sync += self.chain.eq(0)
        with m.Elif(action.chain):
            m.d.sync += self.chain.eq(after)
        with m.If(action.keep | action.minus):
            m.d.sync += [kept.eq(next_one) for kept, next_one in pairwise(self.kept)]
        with m.If(action.keep):
            m.d.sync += self.kept[-1].eq(after)


def _sum(m: Module, name: str, width: int, a: Value, b: Value, carry: Value) -> Signal:
    """a + b + carry modulo 2^width, on one carry chain."""
    longer, total = Signal(width + 2, name=f"{name}_longer"), Signal(width, name=name)
    m.d.comb += [longer.eq(Cat(Const(1, 1), a) + Cat(carry, b)), total.eq(longer[1:])]
    return total

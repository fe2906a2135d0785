# SPDX-License-Identifier: Apache-2.0
"""The scalar: (k - 2^N) mod q, a bit of k a cycle, then its bits from the left.

Horner's rule: r <- 2r + bit, and q is subtracted where that leaves it positive. It begins with r = -1, which stands
for -2^N before the N bits of k below that one, or with 0 where N = n and k has its bit n; q is added to what is
negative. That is at most the first sum, but for q = 1.

    cycle    step                             register that holds the value from this cycle on
    N + 1    k' = 2^N + ((k - 2^N) mod q)     r, from -1 to q - 1; from cycle 1 on with one more bit of k each cycle
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters.operands import EcpmOperands


class Scalar(wiring.Component):
    """Attributes
    ----------
    start : in
        Strobe: `k` and `order` are valid in this cycle.
    k, order : in
    reduce : in
        A bit of k; N times.
    begin : in
        The next bit of the result.
    bit : out
        The first bit that has not been taken.
    zero : out
        The order is 0.
    """

    def __init__(self, p: EcpmOperands) -> None:
        self.p = p
        members = {"start": In(1), "k": In(p.n + 1), "order": In(p.order_bits), "reduce": In(1), "begin": In(1)}
        super().__init__(members | {"bit": Out(1), "zero": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, N = Module(), self.p.order_bits
        k, q = Signal(N), Signal(N)
        r = Signal(self.p.scalar_bits)  # signed, from -1 to q - 1
        doubled, total, longer = Signal(N + 2), Signal(N + 2), Signal(N + 3)
        subtract = Signal()
        m.d.comb += [
            doubled.eq(Cat(k[-1], r)),
            subtract.eq(~r[-1]),
            longer.eq(Cat(Const(1, 1), doubled) + Cat(subtract, Cat(q, Const(0, 2)) ^ subtract.replicate(N + 2))),
            total.eq(longer[1:]),
            self.bit.eq(r[N - 1]),
            self.zero.eq(~q.any()),
        ]
        first = ~self.k[N] if len(self.k) > N else Const(1, 1)
        with m.If(self.start):
            m.d.sync += [k.eq(self.k[:N]), q.eq(self.order), r.eq(first.replicate(self.p.scalar_bits))]
        with m.Elif(self.reduce):
            m.d.sync += [k.eq(k << 1), r.eq(Mux(subtract & total[-1], doubled, total))]
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

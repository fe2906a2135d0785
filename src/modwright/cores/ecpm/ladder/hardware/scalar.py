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

from ..parameters.operands import EcpmOperands
from .common import Scalar


class SerialScalar(Scalar):
    """The sum with q or -q in one cycle."""

    def __init__(self, p: EcpmOperands) -> None:
        self.p = p
        super().__init__(p)

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
        with m.If(self.start):
            m.d.sync += [k.eq(self.k[:N]), q.eq(self.order), r.eq(self.first(self.p))]
        with m.Elif(self.reduce):
            m.d.sync += [k.eq(k << 1), r.eq(Mux(subtract & total[-1], doubled, total))]
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

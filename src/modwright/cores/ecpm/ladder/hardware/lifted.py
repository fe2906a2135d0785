# SPDX-License-Identifier: Apache-2.0
"""The scalar in two registers: k' = k, k + q' or k + 2q', the first with a bit N, where q' = q·2^s has N bits.

Both go round, a bit a cycle: the sum of the lowest ones enters k, and q comes back as it was (`plan.ladder`).

    field `reduce`   what it does
    COUNT, N times   q goes round; s: the zeros at its upper end
    ADD, N times     k takes the sum; q waits in the first s cycles, in which q' has zeros, and comes round as q'
    CARRY            what is carried out is bit N
    ADD, CARRY       once more; an addend is 0 where bit N is 1 already, so all operands take the same cycles

Registers by cycle, the first field in cycle 1:

    cycle        step                           register that holds the value from this cycle on
    N + 1        k' = k + j·q', with bit N      `zeros`: s; `zero`: whether q is 0; from cycle 2 on of fewer bits of q
    2N + 1       k' = k + j·q', with bit N      k, q': the first sum, or k as it was, below bit N; q'
    3N + 3       k' = k + j·q', with bit N      k: k' below its first bit
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal

from ..parameters.operands import EcpmOperands
from ..plan.ladder import ADD, CARRY, COUNT
from .common import Scalar


class LiftedScalar(Scalar):
    """The sums bit by bit, in the places of k."""

    def __init__(self, p: EcpmOperands) -> None:
        self.p = p
        super().__init__(p, reduce_bits=2)

    def elaborate(self, platform: object) -> Module:
        m, N = Module(), self.p.order_bits
        k, q, top, carry = Signal(N), Signal(N), Signal(), Signal()
        zeros, waits, total = Signal(range(N + 1)), Signal(), Signal(2)
        m.d.comb += [
            waits.eq(zeros.any()),
            total.eq(k[0] + (q[0] & ~waits & ~top) + carry),
            self.bit.eq(k[-1]),
        ]
        around = q.eq(Cat(q[1:], q[0]))
        with m.If(self.start):
            m.d.sync += [Cat(k, top).eq(self.k), q.eq(self.order), carry.eq(0), zeros.eq(0), self.zero.eq(1)]
        with m.Elif(self.reduce == COUNT):
            m.d.sync += [around, zeros.eq(Mux(q[0], 0, zeros + 1)), self.zero.eq(self.zero & ~q[0])]
        with m.Elif(self.reduce == ADD):
            m.d.sync += [k.eq(Cat(k[1:], total[0])), carry.eq(total[1])]
            with m.If(waits):
                m.d.sync += zeros.eq(zeros - 1)
            with m.Else():
                m.d.sync += around
        with m.Elif(self.reduce == CARRY):
            m.d.sync += [top.eq(top | carry), carry.eq(0)]
        with m.Elif(self.begin):
            m.d.sync += k.eq(k << 1)
        return m

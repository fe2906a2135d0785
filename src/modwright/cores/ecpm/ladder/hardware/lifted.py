# SPDX-License-Identifier: Apache-2.0
"""The scalar in two registers: k' = k, k + q' or k + 2q', the first with a bit N, where q' = q·2^s has N bits.

Both go round, two bits a cycle, in M = N or N + 1 places, an even number: the sum of the lowest bits enters k, and q
comes back as it was (`plan.ladder`).

    field `reduce`     what it does
    COUNT, M/2 times   q goes round; s: the zeros above its first bit
    ADD, M/2 times     k takes the sum; q waits while both bits of q' are zeros, and comes round as q·2^s, or as half of
                       it if s is odd, whose bits count a place later
    CARRY              what is carried out is bit N
    ADD, CARRY         once more; an addend is 0 where bit N is 1 already, so all operands take the same cycles

Registers by cycle, the first field in cycle 1; `zeros`, which is s, and `zero`, whether q is 0, are known from cycle
M/2 + 1 on, and `top`, the bit N of k or k + q', from M + 2 on:

    cycle       step                          register that holds the value from this cycle on
    3M/2 + 3    k' = k + j·q', with bit N     k: k' below its first bit
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ..parameters.operands import EcpmOperands
from ..plan.ladder import ADD, CARRY, COUNT, PAIR, places_of
from .common import Scalar


class LiftedScalar(Scalar):
    """The sums two bits at a time, in the places of k."""

    def __init__(self, p: EcpmOperands) -> None:
        self.p = p
        super().__init__(p, reduce_bits=2)

    def elaborate(self, platform: object) -> Module:
        m, N = Module(), self.p.order_bits
        places = places_of(N)
        k, q = Signal(places, reset_less=True), Signal(places, reset_less=True)
        top, carry = Signal(), Signal()
        zeros, late = Signal(range(places + PAIR)), Signal()  # `late`: the upper bit of q in the cycle before
        waits, total = Signal(), Signal(PAIR + 1)
        addend = Mux(zeros[0], Cat(late, q[0]), q[:PAIR])
        m.d.comb += [
            waits.eq(zeros[1:].any()),
            total.eq(k[:PAIR] + Mux(waits | top, 0, addend) + carry),
            self.bit.eq(k[N - 1]),
        ]
        around = q.eq(Cat(q[PAIR:], q[:PAIR]))
        with m.If(self.start):
            m.d.sync += [k.eq(self.k), top.eq(self.k >> N), q.eq(self.order), self.zero.eq(1)]
            m.d.sync += [carry.eq(0), late.eq(0), zeros.eq(0)]
        with m.Elif(self.reduce == COUNT):
            m.d.sync += [around, zeros.eq(self._counted(q, zeros)), self.zero.eq(self.zero & ~q[:PAIR].any())]
        with m.Elif(self.reduce == ADD):
            m.d.sync += [k.eq(Cat(k[PAIR:], total[:PAIR])), carry.eq(total[PAIR])]
            with m.If(waits):
                m.d.sync += zeros[1:].eq(zeros[1:] - 1)
            with m.Else():
                m.d.sync += [around, late.eq(q[1])]
        with m.Elif(self.reduce == CARRY):
            # bit N is behind the places of k, or the last one of them; `late` is a zero above q' here
            m.d.sync += [top.eq(top | carry if places == N else k[N]), carry.eq(0)]
        with m.Elif(self.begin):
            m.d.sync += k.eq(k << 1)
        return m

    def _counted(self, q: Signal, zeros: Signal) -> Value:
        """Zeros above the last 1, with two more bits of q; a place above its N bits comes last, and does not count."""
        more = len(q) - self.p.order_bits
        return Mux(q[1], -more, Mux(q[0], 1 - more, zeros + PAIR))

# SPDX-License-Identifier: Apache-2.0
"""The scalar: (k - 2^N) mod q as in `hardware.scalar`, with sums that take a cycle for each segment.

cycle of a bit    step
0 to G - 1        segment g of the sum with q or -q, and the carry out of it
G                 whether the sum counts
G + 1             r
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...parameters.row import SEGMENT, RowLadderParameters


class SegmentedScalar(wiring.Component):
    """Attributes
    ----------
    start : in
        `k` and `order` are there in this cycle.
    k, order : in
    reduce : in
        A bit of k begins; N times, in distances of `scalar_cycles`.
    begin : in
        The next bit of the result.
    bit : out
        The first bit that has not been taken.
    zero : out
        The order is 0.
    """

    def __init__(self, p: RowLadderParameters) -> None:
        self.p = p
        members = {"start": In(1), "k": In(p.n + 1), "order": In(p.order_bits), "reduce": In(1), "begin": In(1)}
        super().__init__(members | {"bit": Out(1), "zero": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, p, N = Module(), self.p, self.p.order_bits
        k, q, r = Signal(N), Signal(N), Signal(p.scalar_bits)  # r is signed, from -1 to q - 1
        phase = Signal(p.segments + 1)  # of the cycles after that of `reduce`
        doubled, total = Cat(k[-1], r), Signal(N + 2)
        subtract = ~r[-1]
        carry: Signal | None = None
        for g, low in enumerate(range(0, N + 2, SEGMENT)):
            part = slice(low, min(low + SEGMENT, N + 2))
            taken = Cat(q, Const(0, 2))[part] ^ subtract.replicate(part.stop - low)
            into = subtract if carry is None else carry
            longer = Cat(Const(1, 1), doubled[part]) + Cat(into, taken)
            carry = Signal(name=f"carry_{g}")
            with m.If(self.reduce if g == 0 else phase[g - 1]):
                m.d.sync += Cat(total[part], carry).eq(longer[1:])
        keep = Signal()
        m.d.sync += [phase.eq(Cat(self.reduce, phase)), keep.eq(subtract & total[-1])]
        m.d.comb += self.bit.eq(r[N - 1])
        m.d.sync += self.zero.eq(~q.any())
        first = ~self.k[N] if len(self.k) > N else Const(1, 1)
        with m.If(self.start):
            m.d.sync += [k.eq(self.k[:N]), q.eq(self.order), r.eq(first.replicate(p.scalar_bits))]
        with m.Elif(phase[-1]):
            m.d.sync += [k.eq(k << 1), r.eq(Mux(keep, doubled, total))]
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

# SPDX-License-Identifier: Apache-2.0
"""The scalar: (k - 2^N) mod q as in `hardware.scalar`, with sums that take a cycle for each segment.

Cycles from that of `reduce`, with G segments:

    cycle     step
    0         whether q is added or subtracted, to a register for each segment
    1 to G    segment g of the sum with q or -q, and the carry out of it
    G + 1     whether the sum counts, to a register for each segment
    G + 2     r
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ......rtl.copies import copied
from ...parameters.row import SEGMENT, RowLadderParameters


class SegmentedScalar(wiring.Component):
    """Attributes
    ----------
    idle : in
        `k` and `order` may be there in this cycle; those of the last such cycle count.
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
        members = {"idle": In(1), "k": In(p.n + 1), "order": In(p.order_bits), "reduce": In(1), "begin": In(1)}
        super().__init__(members | {"bit": Out(1), "zero": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, p, N = Module(), self.p, self.p.order_bits
        k, q, r = Signal(N), Signal(N), Signal(p.scalar_bits)  # r is signed, from -1 to q - 1
        phase = Signal(p.segments + 2)  # of the cycles after that of `reduce`
        doubled, total = Cat(k[-1], r), Signal(N + 2)
        kept: list[Value] = []
        carry: Signal | None = None
        for g, low in enumerate(range(0, N + 2, SEGMENT)):
            part = slice(low, min(low + SEGMENT, N + 2))
            subtract = copied(m, ~r[-1], p.row.target, f"subtract_{g}")
            kept.append(copied(m, ~r[-1] & total[-1], p.row.target, f"keep_{g}").replicate(part.stop - low))
            taken = Cat(q, Const(0, 2))[part] ^ subtract.replicate(part.stop - low)
            into = subtract if carry is None else carry
            longer = Cat(Const(1, 1), doubled[part]) + Cat(into, taken)
            carry = Signal(name=f"carry_{g}")
            with m.If(phase[g]):
                m.d.sync += Cat(total[part], carry).eq(longer[1:])
        keep = Cat(kept)
        m.d.sync += phase.eq(Cat(self.reduce, phase))
        m.d.comb += self.bit.eq(r[N - 1])
        m.d.sync += self.zero.eq(~q.any())
        first = ~self.k[N] if len(self.k) > N else Const(1, 1)
        with m.If(self.idle):
            m.d.sync += [k.eq(self.k[:N]), q.eq(self.order), r.eq(first.replicate(p.scalar_bits))]
        with m.Elif(phase[-1]):
            m.d.sync += [k.eq(k << 1), r.eq((doubled & keep) | (total & ~keep))]
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

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

from ......rtl.copies import copied
from ...parameters.row import SEGMENT, RowLadderParameters
from ..common import Scalar


class SegmentedScalar(Scalar):
    """The sum with q or -q in segments; bits of k come in distances of `scalar_cycles`."""

    def __init__(self, p: RowLadderParameters) -> None:
        self.p = p
        super().__init__(p, taking="idle")

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
        with m.If(self.idle):
            m.d.sync += [k.eq(self.k[:N]), q.eq(self.order), r.eq(self.first(p))]
        with m.Elif(phase[-1]):
            m.d.sync += [k.eq(k << 1), r.eq((doubled & keep) | (total & ~keep))]
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

# SPDX-License-Identifier: Apache-2.0
"""The scalar as RFC 7748 decodes it, and the mask 2^N - 1 of a modulus of N bits; then its bits from the left.

The mask begins as the modulus, and each bit of it spreads to the three below it in a cycle.

    cycle    step            register that holds the value from this cycle on
    C + 1    mask of m       `mask`: 2^N - 1, as n bits
    C + 2    k as decoded    `r`: the scalar, n bits
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parameters import CLAMP_BITS, SMEARED, XmulParameters


class Scalar(wiring.Component):
    """Attributes
    ----------
    start : in
        Strobe: `k`, `m` and `clamp` are valid in this cycle; `clamp` is stable.
    k, m : in, n bits
    clamp : in
        Lowest bits that are cleared; 0 for a scalar as it is.
    smear : in
        The mask grows.
    decode : in
        The scalar is decoded.
    begin : in
        The next bit.
    mask : out, n bits
        2^N - 1 from cycle C + 1 on.
    bit : out
        The first bit that has not been taken.
    """

    def __init__(self, p: XmulParameters) -> None:
        self.p = p
        inputs = {"start": 1, "k": p.n, "m": p.n, "clamp": CLAMP_BITS, "smear": 1, "decode": 1, "begin": 1}
        super().__init__({name: In(width) for name, width in inputs.items()} | {"mask": Out(p.n), "bit": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, n = Module(), self.p.n
        r, mask = Signal(n), Signal(n)
        spread = mask
        for places in range(1, SMEARED + 1):
            spread = spread | (mask >> places)
        cleared = [self.clamp > bit for bit in range((1 << CLAMP_BITS) - 1)]
        low = Cat(*cleared, Const(0, n - len(cleared)))
        top = mask ^ (mask >> 1)
        m.d.comb += [self.mask.eq(mask), self.bit.eq(r[-1])]
        with m.If(self.start):
            m.d.sync += [r.eq(self.k), mask.eq(self.m)]
        with m.Elif(self.smear):
            m.d.sync += mask.eq(spread)
        with m.Elif(self.decode):
            m.d.sync += r.eq(Mux(self.clamp.any(), (r & mask & ~low) | top, r))
        with m.Elif(self.begin):
            m.d.sync += r.eq(r << 1)
        return m

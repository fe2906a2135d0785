# SPDX-License-Identifier: Apache-2.0
"""Exact division by an odd number, a bit a cycle from the right; see `engines.row.model.quotient`.

With `load` in cycle 0, and `step` in the cycles from 1 on:

    cycle    register that holds the value from this cycle on
    1        `quotient`: z; `rest`: 0
    1 + k    `quotient`: k bits of the quotient above what is left of z; `rest`: what they leave, less than t
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Division(wiring.Component):
    """Attributes
    ----------
    load : in
        Strobe: z is valid.
    none : in
        Whether the quotient is 0; with `load`.
    z : in, as many bits as the quotient has
        Lowest bits of the dividend.
    t : in
        Odd divisor, stable from `load` on.
    step : in
        Strobe: compute a bit; once for each bit of the quotient.
    quotient : out
        The quotient, after the last bit.
    """

    def __init__(self, bits: int, divisor_bits: int) -> None:
        self.divisor_bits = divisor_bits
        super().__init__(
            {"load": In(1), "none": In(1), "z": In(bits), "t": In(divisor_bits), "step": In(1), "quotient": Out(bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rest = Signal(self.divisor_bits + 1)
        digit = rest[0] ^ self.quotient[0]
        with m.If(self.load):
            m.d.sync += [self.quotient.eq(Mux(self.none, 0, self.z)), rest.eq(0)]
        with m.Elif(self.step):
            m.d.sync += [
                self.quotient.eq(Cat(self.quotient[1:], digit)),
                rest.eq((rest + Mux(digit, self.t, 0)) >> 1),
            ]
        return m

# SPDX-License-Identifier: Apache-2.0
"""The converter that products and sums share: chunks with carries to binary, in four cycles.

A last S comes without the d digits that it dropped before, which pass around it. So a sum has d digits around the
converter, too, and their carry comes into the lowest chunk. Registers, counted from the cycle of the input:

    cycle   register that holds the value in this cycle
    3       `aside`: the lowest digits of a sum
    4       `z` of `ParallelConverter`, with the lowest digits of what was at the input
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.pipeline import delayed
from ...orup.cycles import CONVERSION
from ...orup.hardware.converter import ParallelConverter
from ..parameters import RowParameters


class RowConverter(ParallelConverter):
    """A converter of the last S and of sums, without the choice of 0.

    Attributes
    ----------
    lowest : in, k bits
        The lowest digit of S in every cycle.
    sum : in
        The input is a sum.
    low : in, k·d bits
        Lowest digits of a sum.
    carry : in
        Carry out of these.
    z : out
        Result; sums modulo 2^sum_bits.
    """

    p: RowParameters

    def __init__(self, p: RowParameters) -> None:
        super().__init__(p)

    @property
    def chunks(self) -> int:
        """Chunks of a result above the dropped digits."""
        return self.p.result_chunks

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        low = {"low": In(p.k * p.d), "carry": In(p.carry_width)} if p.d else {}
        own = {"sum": In(1), "lowest": In(p.k), **low, "z": Out(p.sum_bits)}
        return {name: member for name, member in super()._ports().items() if name != "zero"} | own

    def _lowest_carry(self) -> Value:
        p = self.p
        return Cat(self.carry, Const(0, p.w - p.carry_width)) if p.d else Const(0, p.w)

    def _limb(self, m: Module, g: int, limb: Value, carry: Value) -> Value:
        out = Signal(len(limb), name=f"z_{g}", reset_less=True)
        m.d.sync += out.eq(limb + carry)
        return out

    def _give(self, m: Module, parts: list[Value]) -> None:
        """Connect lowest digits and limbs to the output."""
        m.d.comb += self.z.eq(Cat(*self._lowest(m), *parts))

    def _lowest(self, m: Module) -> list[Value]:
        """Lowest digits of the result, when the rest is valid."""
        p = self.p
        if p.d == 0:
            return []
        sums, aside = delayed(m, self.sum, CONVERSION - 1, "sum"), delayed(m, self.low, CONVERSION - 1, "aside")
        digit, digits = delayed(m, self.lowest, CONVERSION - 1, "dropped"), []
        for number in range(p.d):
            digit = delayed(m, digit, p.slots, f"dropped_{number}")
            digits.append(digit)
        out = Signal(p.k * p.d, name="z_low", reset_less=True)
        m.d.sync += out.eq(Mux(sums, aside, Cat(reversed(digits))))
        return [out]

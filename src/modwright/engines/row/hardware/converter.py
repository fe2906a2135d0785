# SPDX-License-Identifier: Apache-2.0
"""The converter that products and sums share: chunks with carries to binary, in four cycles.

Either comes in registers of its own, of which one is 0, and the first chains count their OR. A last S comes without
the d digits that it dropped before, which pass around it. So a sum has d digits around the converter, too, and their
carry comes into the lowest chunk. What comes into words from outside takes the place of the limbs, without carries.
Registers, counted from the cycle of the input:

    cycle   register that holds the value in this cycle
    2       `given_G`: what comes in counts instead of limb G
    3       `aside`: the lowest digits of a sum; `plain_G`: the limb, or what comes in; `into`, or 0
    4       `z` of `ParallelConverter`, with the lowest digits of what was at the input
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import either_plus_either, plus_bit
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ...orup.cycles import CONVERSION
from ...orup.hardware.converter import ParallelConverter
from ..parameters import RowParameters
from .incoming import PARTS


class RowConverter(ParallelConverter):
    """A converter of the last S and of sums, without the choice of 0.

    Attributes
    ----------
    terms, term_carries : in
        Chunks of a sum, and the carry into each but the lowest one; 0 where the input is a last S, and these are 0
        where it is a sum.
    lowest : in, k bits
        The lowest digit of S in every cycle.
    sum : in
        The input is a sum.
    low : in, k·d bits
        Lowest digits of a sum.
    carry : in
        Carry out of these; 0 for a last S.
    given : in
        Strobe: in the next cycle the parts count, and no other result is due.
    part_K : in
        Registers whose OR comes in.
    z : out
        Result; sums modulo 2^sum_bits.
    """

    p: RowParameters
    GROUP = 2  # a LUT has inputs for two bits of two chunks each

    def __init__(self, p: RowParameters) -> None:
        self.half = p.limb // 2 // self.GROUP * self.GROUP if p.contexts > 1 else 0
        self.low_ones: list[Value] = []  # of each limb in its last cycle: the lower half is all ones
        super().__init__(p)

    @property
    def chunks(self) -> int:
        """Chunks of a result above the dropped digits."""
        return self.p.result_chunks

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        low = {"low": In(p.k * p.d), "carry": In(p.carry_width)} if p.d else {}
        own = {"sum": In(1), "lowest": In(p.k), **low, "z": Out(p.sum_bits), "given": In(1)}
        own |= {"terms": In(p.w * self.chunks), "term_carries": In(data.ArrayLayout(p.carry_width, self.chunks - 1))}
        own |= {f"part_{k}": In(p.operand_bits) for k in range(PARTS)}
        return {name: member for name, member in super()._ports().items() if name != "zero"} | own

    def _lowest_carry(self) -> Value:
        p = self.p
        return Cat(self.carry, Const(0, p.w - p.carry_width)) if p.d else Const(0, p.w)

    def _sums(self, m: Module, part: slice, row: Value) -> tuple[Value, Value]:
        carries = [self.term_carries[j] for j in range(self.chunks - 1)]
        words, rows = (self.word, self.terms), (row, self._row(Const(0, self.p.w), carries))
        (a, b), (c, d) = ((one[part], other[part]) for one, other in (words, rows))
        return either_plus_either(m, (a, b), (c, d), self.p.target), (a | b) ^ (c | d)

    def _plain(self, m: Module, g: int, limb: Value) -> Value:
        p = self.p
        low, plain = p.k * p.d + g * p.limb, Signal(len(limb), name=f"plain_{g}", reset_less=True)
        given = copied(m, self.given, p.target, f"given_{g}")
        m.d.sync += plain.eq(Mux(given, self._parts()[low : low + len(limb)], limb))
        return plain

    def _into(self, m: Module, into: Signal, carries: Value) -> None:
        with m.If(copied(m, self.given, self.p.target, "given_into")):
            m.d.sync += into.eq(0)
        with m.Else():
            m.d.sync += into.eq(carries)

    def _parts(self) -> Value:
        """The operand that comes in, or 0."""
        return reduce(or_, (getattr(self, f"part_{k}") for k in range(PARTS)))

    def _ones(self, m: Module, g: int, differs: Value) -> Signal:
        ones = super()._ones(m, g, differs)
        if self.half:
            self.low_ones.append(delayed(m, ones[: self.half // self.GROUP].all(), 2, f"low_ones_{g}", reset=False))
        return ones

    def _limb(self, m: Module, g: int, limb: Value, carry: Value) -> Value:
        """Add the carry; where contexts take turns, to both halves at once, as the clock is to be faster."""
        out = Signal(len(limb), name=f"z_{g}", reset_less=True)
        total = limb + carry
        if 0 < self.half < len(limb):
            low, high = limb[: self.half], limb[self.half :]
            above = plus_bit(m, high, carry, self.low_ones[g], self.p.target)
            total = Cat((low + carry)[: self.half], above)
        m.d.sync += out.eq(total)
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
        given, parts = delayed(m, self.given, 2, "given"), delayed(m, self._parts()[: len(out)], 1, "parts")
        m.d.sync += out.eq(Mux(given, parts, Mux(sums, aside, Cat(reversed(digits)))))
        return [out]

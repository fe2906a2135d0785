# SPDX-License-Identifier: Apache-2.0
"""Converter from the last S to the result in binary: all limbs at once, and their carries after that.

Registers, counted from the cycle in which S is at the input; no register is held, so a result can start in every cycle:

    cycle    register that holds the value in this cycle
    1        `sum_g`: limb g of S with the carries at its bits, and the carry out of it; `ones_g`: groups of its
             bits that are all ones
    2        `limb_g`, its carry, and flags: it has one; it is all ones, so that a carry passes
    3        `plain_g`: the limb; with both, `above_g`: the limb and 1; `into`: the carry into each limb, from an
             addition of those two bits of all limbs
    4        `z`
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import pulse_copy
from ....rtl.pipeline import delayed
from ..cycles import CONVERSION
from ..interleaved import GROUP, InterleavedParameters


class ParallelConverter(wiring.Component):
    """The d digits that S dropped last, and S in binary above them.

    Parameters
    ----------
    p : InterleavedParameters
    both : bool
        Whether each limb is there with either carry into it, so that no chain is behind the carries: for a faster
        clock, in as many more registers.

    Attributes
    ----------
    word, carries : in
        See `InterleavedLoop`; S < 2^(n+k+1) in the cycle of the last S.
    zero : in
        Whether the result of the S two cycles ago is 0; not in two consecutive cycles.
    z : out
        Result of the S four cycles ago.
    """

    GROUP = GROUP
    """Bits of a limb that are compared at once."""

    def __init__(self, p: InterleavedParameters, both: bool = False) -> None:
        self.p, self.both = p, both
        self.above: dict[int, Signal] = {}
        super().__init__(self._ports())

    @property
    def chunks(self) -> int:
        """Chunks of the input."""
        return self.p.chunks

    def _ports(self) -> dict[str, wiring.Member]:
        p = self.p
        return {"zero": In(1), "z": Out(p.operand_bits)} | {
            "word": In(p.w * self.chunks),
            "carries": In(data.ArrayLayout(p.carry_width, self.chunks - 1)),
        }

    def _lowest_carry(self) -> Value:
        """Addend of the lowest chunk."""
        return Const(0, self.p.w)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        size = p.limb
        # carry j has weight 2^(w·(j + 1)); none exists at 2^0, nor above the last chunk of S
        row = self._row(self._lowest_carry(), [self.carries[j] for j in range(self.chunks - 1)])
        limbs, carries, through = [], [], []
        for g in range(p.limbs):
            part = slice(g * size, min((g + 1) * size, p.w * self.chunks))
            total = Signal(part.stop - part.start + 1, name=f"sum_{g}", reset_less=True)
            limb = Signal(len(total) - 1, name=f"limb_{g}", reset_less=True)
            sums, differs = self._sums(m, part, row)
            m.d.sync += [total.eq(sums), limb.eq(total[:-1])]
            carry, passes = Signal(name=f"carry_{g}", reset_less=True), Signal(name=f"passes_{g}", reset_less=True)
            ones = self._ones(m, g, differs)
            m.d.sync += [carry.eq(total[-1]), passes.eq(total[-1] | ones.all())]
            limbs.append(self._plain(m, g, limb))
            carries.append(carry)
            through.append(passes)
        into = self._carries(m, Cat(carries), Cat(through))
        parts = [self._limb(m, g, limb, into[g]) for g, limb in enumerate(limbs)]
        self._give(m, parts)
        return m

    def _row(self, lowest: Value, carries: Sequence[Value]) -> Value:
        """Carries into the chunks, each at its bits."""
        return Cat(lowest, *(Cat(carry, Const(0, self.p.w - self.p.carry_width)) for carry in carries))

    def _sums(self, m: Module, part: slice, row: Value) -> tuple[Value, Value]:
        """Sum of the chunks and carries of a limb, and in which bits both differ."""
        del m
        return self.word[part] + row[part], self.word[part] ^ row[part]

    def _plain(self, m: Module, g: int, limb: Value) -> Value:
        """The limb a cycle later."""
        if self.both:
            self.above[g] = Signal(len(limb), name=f"above_{g}", reset_less=True)
            m.d.sync += self.above[g].eq(limb + 1)
        return delayed(m, limb, 1, f"plain_{g}")

    def _give(self, m: Module, parts: list[Value]) -> None:
        """Connect the limbs to the outputs."""
        m.d.comb += self.z.eq(Cat(*self._dropped(m, self.word[: self.p.k]), *parts))

    def _ones(self, m: Module, g: int, differs: Value) -> Signal:
        """Groups of a limb's bits that are ones: a + b is all ones exactly where a and b differ in every bit.

        So these flags do not wait for the sum.
        """
        groups = [differs[low : low + self.GROUP] for low in range(0, len(differs), self.GROUP)]
        ones = Signal(len(groups), name=f"ones_{g}", reset_less=True)
        m.d.sync += ones.eq(Cat(group.all() for group in groups))
        return ones

    def _carries(self, m: Module, made: Value, through: Value) -> Value:
        """The carry into each limb: a limb generates one, or is all ones and propagates one.

        In the sum of both bits of all limbs a carry runs as it does between the limbs.
        """
        total = made + through
        into = Signal(len(made), name="into", reset_less=True)
        self._into(m, into, total[: len(made)] ^ made ^ through)
        return into

    def _into(self, m: Module, into: Signal, carries: Value) -> None:
        """Load the register of these carries."""
        m.d.sync += into.eq(carries)

    def _limb(self, m: Module, g: int, limb: Value, carry: Value) -> Value:
        clear = pulse_copy(m, self.zero, f"clear_{g}")
        out = Signal(len(limb), name=f"z_{g}", reset_less=True)
        total = Mux(carry, self.above[g], limb) if self.both else limb + carry
        m.d.sync += out.eq(Mux(clear, 0, total))
        return out

    def _dropped(self, m: Module, lowest: Value) -> list[Value]:
        """The lowest digits of the last d sums before the last S, in order, when the result is valid."""
        p = self.p
        if p.d == 0:
            return []
        digit = delayed(m, lowest, CONVERSION - 1, "dropped")
        digits = []
        for _ in range(p.d):
            digit = delayed(m, digit, p.slots, f"dropped_{len(digits)}")
            digits.append(digit)
        clear = pulse_copy(m, self.zero, "clear_dropped")
        out = Signal(p.k * p.d, name="z_dropped", reset_less=True)
        m.d.sync += out.eq(Mux(clear, 0, Cat(reversed(digits))))
        return [out]

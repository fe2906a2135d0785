# SPDX-License-Identifier: Apache-2.0
"""Sums of products of digits of two limbs, with one block for each digit and one for each pair of digits.

Registers, counted from the cycle of the limbs:

    cycle    register that holds the value from this cycle on
    1        `NAME_IJ` and `NAME_JI`: differences of digits; operands of the blocks of digits
    2        operands of the blocks of differences: their magnitudes; `minus_IJ`: the product of two is subtracted
    3        products, in the blocks
    4        `way`: the products in the fabric
    5        `sums_I_J`: sums of up to three products of digits; `pairs_E`: of products of differences and their signs;
             `pair_E`: one alone, and its sign
    6        `e_E`: the sum E_e
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.chains import signed_sum
from ....rtl.multiplier import make_block
from ....rtl.pipeline import delayed
from ..digits import DigitLayout

OF_DIGITS, OF_DIFFERENCES = 2, 1
"""Registers behind a product, inside the block: differences have one before it, so that their chains do not reach into
the route to the block."""
PAIR = 2
"""Products with signs of their own that one chain adds."""
GROUP = 3
"""Terms of one addition: a level of full adders in front of a chain."""


class DigitProducts(wiring.Component):
    """Sums E_e = Σ a_i·b_j, i + j = e.

    Parameters
    ----------
    p : DigitLayout
    chained : bool
        Signs and magnitudes are in the LUTs of the carry chains, where there is one for a difference and its magnitude
        after it, and not two and a choice: fewer LUTs, and a longer way to the blocks of differences.

    Attributes
    ----------
    a, b : in, w bits
    e : out, array of 2D - 1 sums
    """

    def __init__(self, p: DigitLayout, *, chained: bool = False) -> None:
        self.p, self.chained = p, chained
        super().__init__(
            {"a": In(p.w), "b": In(p.w), "e": Out(data.ArrayLayout(p.sum_bits, 2 * p.D - 1))},
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        digits = [[value[p.b * i : p.b * (i + 1)] for i in range(p.D)] for value in (self.a, self.b)]
        squares = [self._product(m, a, b, f"way_{i}", OF_DIGITS) for i, (a, b) in enumerate(zip(*digits, strict=True))]
        pairs = {(i, j): self._pair(m, digits, i, j) for i, j in p.pairs}
        sums: dict[tuple[int, ...], Value] = {}
        for e in range(2 * p.D - 1):
            groups = _groups(p, e)
            for group in groups:
                if group not in sums:
                    sums[group] = self._sum_of(m, [squares[i] for i in group], group)
            terms, signed = [sums[group] for group in groups], [pairs[pair] for pair in p.pairs_of(e)]
            if self.chained and len(terms) == len(signed) == 1:
                product, minus = (delayed(m, value, 1, f"pair_{e}") for value in signed[0])
                both = ((terms[0], Const(0, 1)), (product, minus))
                m.d.sync += self.e[e].eq(signed_sum(m, both, minus, p.sum_bits, p.target))
                continue
            ones = list[Value]()
            if signed:
                of_pairs, left = self._pairs_of(m, e, signed)
                terms, ones = [*terms, of_pairs], [left]
            m.d.sync += self.e[e].eq(total(terms, ones, p.sum_bits))
        return m

    def _product(self, m: Module, a: Value, b: Value, name: str, registers: int) -> Value:
        """The product, from cycle 4 on."""
        product = make_block(m, a, b, registers, self.p.target)
        way = Signal(2 * self.p.b, name=name, reset_less=True)
        m.d.sync += way.eq(product)
        return way

    def _pair(self, m: Module, digits: Sequence[Sequence[Value]], i: int, j: int) -> tuple[Value, Value]:
        """Product of the magnitudes of two differences, and whether it is subtracted, both from cycle 4 on."""
        magnitudes, negative = zip(
            *(self._difference(m, of, i, j, "ab"[k]) for k, of in enumerate(digits)), strict=True
        )
        minus = Signal(name=f"minus_{i}{j}")
        m.d.comb += minus.eq(negative[0] == negative[1])
        product = self._product(m, magnitudes[0], magnitudes[1], f"way_{i}{j}", OF_DIFFERENCES)
        return product, delayed(m, minus, 3, f"minus_{i}{j}")

    def _difference(self, m: Module, digits: Sequence[Value], i: int, j: int, name: str) -> tuple[Value, Value]:
        """|a_i - a_j|, and whether a_i < a_j, in cycle 1."""
        b = self.p.b
        forth = Signal(b + 1, name=f"{name}_{i}{j}", reset_less=True)
        negative, nothing = forth[-1], Const(0, 1)
        if self.chained:
            m.d.sync += forth.eq(digits[i] - digits[j])
            terms = ((forth[:b], negative), (nothing, nothing))
            return signed_sum(m, terms, negative, b, self.p.target), negative
        back = Signal(b, name=f"{name}_{j}{i}", reset_less=True)
        m.d.sync += [forth.eq(digits[i] - digits[j]), back.eq(digits[j] - digits[i])]
        return Mux(negative, back, forth[:b]), negative

    def _sum_of(self, m: Module, terms: Sequence[Value], group: tuple[int, ...]) -> Value:
        """Register of the sum of some products of digits."""
        bits = (len(terms) * ((1 << self.p.b) - 1) ** 2).bit_length()
        register = Signal(bits, name="sums_" + "".join(map(str, group)), reset_less=True)
        m.d.sync += register.eq(total(terms, [], bits))
        return register

    def _pairs_of(self, m: Module, e: int, signed: Sequence[tuple[Value, Value]]) -> tuple[Value, Value]:
        """Register of Σ ∓p modulo 2^sum_bits, less 1 where the second value, a register too, is 1."""
        bits = self.p.sum_bits
        register, left = Signal(bits, name=f"pairs_{e}", reset_less=True), Signal(name=f"left_{e}", reset_less=True)
        (_, last), *others = signed
        if self.chained and len(signed) == PAIR:
            found = signed_sum(m, (signed[0], signed[1]), signed[1][1], bits, self.p.target)
        else:
            terms = [Cat(p ^ minus.replicate(len(p)), minus.replicate(bits - len(p))) for p, minus in signed]
            found = total(terms, [minus for _, minus in others], bits)
        m.d.sync += [register.eq(found), left.eq(last)]
        return register, left


def total(terms: Sequence[Value], ones: Sequence[Value], bits: int) -> Value:
    """Sum of up to three terms, and of bits, one fewer than terms at most, modulo 2^bits: one chain."""
    wide = [Cat(term, Const(0, max(0, bits - len(term))))[:bits] for term in terms]
    carries = [*ones, Const(0, 1), Const(0, 1)]
    if len(wide) == 1:
        return wide[0] if not ones else (wide[0] + ones[0])[:bits]
    x, y = wide[:2]
    if len(wide) == GROUP:
        z = wide[2]
        x, y = wide[0] ^ wide[1] ^ z, Cat(carries[1], ((x & y) | (x & z) | (y & z))[: bits - 1])
    return (Cat(Const(1, 1), x) + Cat(carries[0], y))[1 : bits + 1]


def _groups(p: DigitLayout, e: int) -> list[tuple[int, ...]]:
    """Digits of E_e in groups of up to three, those of the lower or of the upper half from the end of the limb on."""
    digits = list(p.diagonals(e))
    if e >= p.D:
        digits.reverse()
    return [tuple(sorted(digits[at : at + GROUP])) for at in range(0, len(digits), GROUP)]

# SPDX-License-Identifier: Apache-2.0
"""A product of two wide numbers as products of limbs, and those of limbs as products of digits.

Limbs: schoolbook, or Karatsuba's method on one or two levels. They are added without carries from one limb to the next,
as coefficients of polynomials in 2^limb (Karatsuba and Ofman 1962; Knuth, The Art of Computer Programming 2, 4.3.3), so
a sum of 2^k limbs is k bits wider than a limb, and no adder in front of the multipliers is longer than that.

Digits: a block has the product of two digits, or of the sums of two pairs,

    a_i·b_j + a_j·b_i = (a_i + a_j)·(b_i + b_j) - a_i·b_i - a_j·b_j

so that D digits take D·(D + 1) / 2 blocks instead of D². A digit in sums is a bit narrower than a block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from .....plan.tiling import LOGIC_TILE, TILE_SIZES, Tiling
from .heap import SEGMENT, Heap, Term

WIDEST = 72
"""Widest factor: four blocks of 18 bits."""

REFERENCE = "ecp5"
"""Target for whose blocks limbs and cycles are chosen; all others use the same, so that all targets run alike."""

COMPARED = 64
"""Bits of an operand that are compared with the modulus at once."""

BLOCK_COST = 536
"""Cost of a multiplier block in LUT4: an ECP5-85 has 83640 LUT4 and 156 blocks (FPGA-DS-02012, table 1.1)."""

LimbSum = tuple[int, ...]
"""Indices of the limbs, or digits, that are added to make a factor."""

Contributions = dict[tuple[LimbSum, LimbSum], tuple[tuple[int, int], ...]]
"""Pairs (sign, position) of the summands in a product, for each product of factors."""


@dataclass(frozen=True)
class DigitPlan:
    """Product of two numbers from products of digits.

    Parameters
    ----------
    width : int
        Bits of either number.
    paired : bool
        Whether sums of pairs are multiplied; else every digit with every other.
    """

    width: int
    paired: bool

    @property
    def widest(self) -> int:
        """Most bits of a digit."""
        return TILE_SIZES[REFERENCE][0] - int(self.paired)

    @property
    def digits(self) -> int:
        """D, number of digits."""
        return -(-self.width // self.widest)

    def slice_of(self, index: int) -> tuple[int, int]:
        """(low, high) bits of a digit; the highest one may be narrower."""
        return index * self.widest, min((index + 1) * self.widest, self.width)

    def bits(self, part: LimbSum) -> int:
        """Bits of a digit, or of the sum of two."""
        low, high = self.slice_of(part[0])
        return high - low + len(part) - 1

    @cached_property
    def contributions(self) -> Contributions:
        """Summands of the product; positions are in digits."""
        indices = range(self.digits)
        if not self.paired:
            return {((i,), (j,)): ((1, i + j),) for i in indices for j in indices}
        found: Contributions = {}
        for i in indices:
            taken = [(-1, i + j) for j in indices if j != i]
            found[(i,), (i,)] = ((1, 2 * i), *taken)
        for i in indices:
            for j in range(i + 1, self.digits):
                found[(i, j), (i, j)] = ((1, i + j),)
        return found

    @property
    def blocks(self) -> int:
        """Multiplier blocks of the reference target; a product with a narrow digit is logic."""
        return sum(min(self.bits(a), self.bits(b)) > LOGIC_TILE for a, b in self.contributions)

    def run(self, a: int, b: int) -> dict[str, int]:
        """The products of digits in plain integers, by name."""
        sources = {}
        for n, (left, right) in enumerate(self.contributions):
            factors = (sum(_cut(v, *self.slice_of(k)) for k in part) for v, part in ((a, left), (b, right)))
            sources[f"p{n}"] = prod(factors)
        return sources

    def heap(self, segment: int, most: int) -> Heap:
        """The sum of the products of digits, which are called p0, p1 and so on."""
        terms = tuple(
            Term(f"p{n}", 0, self.bits(a) + self.bits(b), position * self.widest, sign)
            for n, ((a, b), places) in enumerate(self.contributions.items())
            for sign, position in places
        )
        return Heap(terms, segment, most, joined=True)


def plan_digits(width: int) -> DigitPlan:
    """The plan with fewer blocks; of equal ones, without sums."""
    return min((DigitPlan(width, False), DigitPlan(width, True)), key=lambda plan: plan.blocks)


@dataclass(frozen=True)
class ProductPlan:
    """Product x·y of two `width`-bit numbers from products of limb sums.

    Parameters
    ----------
    width : int
        Bits of either operand.
    karatsuba : int
        Levels of Karatsuba's method; 0 is schoolbook.
    limbs : int
        Number of limbs, a multiple of 2^karatsuba.
    segment : int
        Bits of a segment of sums.
    """

    width: int
    karatsuba: int
    limbs: int
    segment: int

    @property
    def limb(self) -> int:
        """Bits of a limb."""
        return -(-self.width // self.limbs)

    @property
    def factor(self) -> int:
        """Bits of a factor: a sum of up to 2^karatsuba limbs."""
        return self.limb + self.karatsuba

    @cached_property
    def contributions(self) -> Contributions:
        """Summands of x·y; positions are in limbs."""
        singles = [(n,) for n in range(self.limbs)]
        total: Counter[tuple[LimbSum, LimbSum, int]] = Counter()
        _expand(total, singles, singles, self.karatsuba, 0, 1)
        found: dict[tuple[LimbSum, LimbSum], list[tuple[int, int]]] = {}
        for (a, b, position), count in total.items():
            places = found.setdefault((a, b), [])
            places += [(1 if count > 0 else -1, position)] * abs(count)
        return {pair: tuple(places) for pair, places in found.items()}

    @property
    def products(self) -> int:
        """Number of multipliers."""
        return len(self.contributions)

    def tiling(self, target: str) -> Tiling:
        """Tiling of each multiplier on a target other than the reference."""
        return Tiling(self.factor, self.factor, target)

    @cached_property
    def digits(self) -> DigitPlan:
        """Plan of each multiplier on the reference target."""
        return plan_digits(self.factor)

    @cached_property
    def unit(self) -> Heap:
        """Sum of each multiplier on the reference target."""
        return self.digits.heap(self.segment, (((1 << self.limb) - 1) << self.karatsuba) ** 2)

    @property
    def blocks(self) -> int:
        """Multiplier blocks of the reference target."""
        return self.products * self.digits.blocks

    @property
    def adders(self) -> int:
        """Estimated LUT4 of the sums of all multipliers."""
        return self.products * self.unit.cost

    @property
    def cost(self) -> int:
        """Estimated LUT4 of the product with its blocks; for comparing levels of Karatsuba's method only."""
        return self.blocks * BLOCK_COST + self.adders + sum(t.width for t in self.terms(""))

    def limb_slice(self, index: int) -> tuple[int, int]:
        """(low, high) bits of a limb; the highest limb may be narrower, or empty."""
        return min(index * self.limb, self.width), min((index + 1) * self.limb, self.width)

    def terms(self, name: str) -> tuple[Term, ...]:
        """Summands of x·y and its excess, the products being called `name`0, `name`1 and so on."""
        return tuple(
            Term(f"{name}{n}", t.low, t.width, position * self.limb + t.shift, sign)
            for n, places in enumerate(self.contributions.values())
            for sign, position in places
            for t in self.unit.result("")
        )

    def excess(self, target: str) -> int:
        """Value of the terms less x·y: that of the sums of digits. On other targets, products are binary numbers."""
        if target != REFERENCE:
            return 0
        places = [place for places in self.contributions.values() for place in places]
        return sum(sign * self.unit.excess << position * self.limb for sign, position in places)

    def run(self, x: int, y: int, name: str, target: str) -> dict[str, int]:
        """The products of factors of x and y, as the hardware of a target has them, by name."""
        sources = {}
        for n, parts in enumerate(self.contributions):
            a, b = (sum(_cut(v, *self.limb_slice(k)) for k in part) for v, part in zip((x, y), parts, strict=True))
            sources[f"{name}{n}"] = self.unit.run(self.digits.run(a, b)) if target == REFERENCE else a * b
        return sources


def _cut(value: int, low: int, high: int) -> int:
    return value >> low & ((1 << high - low) - 1)


def _expand(
    total: Counter[tuple[LimbSum, LimbSum, int]],
    a: Sequence[LimbSum],
    b: Sequence[LimbSum],
    levels: int,
    position: int,
    sign: int,
) -> None:
    """Add sign · a·b · 2^(limb·position) to the total, a and b being polynomials of limb sums."""
    if levels == 0:
        for i, left in enumerate(a):
            for j, right in enumerate(b):
                total[left, right, position + i + j] += sign
        return
    half = len(a) // 2
    a_sum = [x + y for x, y in zip(a[:half], a[half:], strict=True)]
    b_sum = [x + y for x, y in zip(b[:half], b[half:], strict=True)]
    _expand(total, a_sum, b_sum, levels - 1, position + half, sign)
    for low, at in ((0, position), (half, position + 2 * half)):
        part = a[low : low + half], b[low : low + half]
        _expand(total, *part, levels - 1, at, sign)
        _expand(total, *part, levels - 1, position + half, -sign)


def plan_product(width: int, karatsuba: int, segment: int = SEGMENT) -> ProductPlan:
    """The plan with the fewest blocks; of equal ones, the fewest limbs."""
    unit = 1 << karatsuba
    fewest = -(-width // (WIDEST - karatsuba))
    first = -(-fewest // unit)
    plans = [ProductPlan(width, karatsuba, unit * n, segment) for n in range(first, 2 * first + 2)]
    plan = min(plans, key=lambda plan: (plan.blocks, plan.limbs))
    return replace(plan, segment=aligned(plan.limb, segment))


def aligned(limb: int, segment: int) -> int:
    """Bits of a segment, such that limbs begin at segments where that is possible: carries are bits at those."""
    count = -(-limb // segment)
    return limb // count if count > 1 and limb % count == 0 else segment

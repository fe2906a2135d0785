# SPDX-License-Identifier: Apache-2.0
"""A product of two wide numbers as products of limbs: schoolbook, or Karatsuba's method on one or two levels.

Limbs are added without carries from one limb to the next, as coefficients of polynomials in 2^limb (Karatsuba and
Ofman 1962; Knuth, The Art of Computer Programming 2, 4.3.3), so a sum of 2^k limbs is k bits wider than a limb, and
no adder in front of the multipliers is longer than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .....plan.tiling import Tiling
from .heap import Term

WIDEST = 72
"""Widest factor: four blocks of 18 bits. Its product's adders are as long as the default carry chain allows."""

REFERENCE = "ecp5"
"""Target for whose blocks limbs and cycles are chosen; all others use the same, so that all targets run alike."""

LimbSum = tuple[int, ...]
"""Indices of the limbs that are added to make a factor."""


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
    """

    width: int
    karatsuba: int
    limbs: int

    @property
    def limb(self) -> int:
        """Bits of a limb."""
        return -(-self.width // self.limbs)

    @property
    def factor(self) -> int:
        """Bits of a factor: a sum of up to 2^karatsuba limbs."""
        return self.limb + self.karatsuba

    @cached_property
    def contributions(self) -> dict[tuple[LimbSum, LimbSum], tuple[tuple[int, int], ...]]:
        """Pairs (sign, position in limbs) of the summands in x·y, for each product of factors."""
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
        """Tiling of each multiplier."""
        return Tiling(self.factor, self.factor, target)

    @property
    def blocks(self) -> int:
        """Multiplier blocks of the reference target."""
        return self.products * self.tiling(REFERENCE).blocks

    def limb_slice(self, index: int) -> tuple[int, int]:
        """(low, high) bits of a limb; the highest limb may be narrower, or empty."""
        return min(index * self.limb, self.width), min((index + 1) * self.limb, self.width)

    def terms(self, name: str) -> tuple[Term, ...]:
        """Summands of x·y, the products being called `name`0, `name`1 and so on."""
        return tuple(
            Term(f"{name}{n}", 0, 2 * self.factor, position * self.limb, sign)
            for n, places in enumerate(self.contributions.values())
            for sign, position in places
        )


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


def plan_product(width: int, karatsuba: int) -> ProductPlan:
    """The plan with the fewest blocks; of equal ones, the fewest limbs."""
    unit = 1 << karatsuba
    fewest = -(-width // (WIDEST - karatsuba))
    first = -(-fewest // unit)
    plans = [ProductPlan(width, karatsuba, unit * n) for n in range(first, 2 * first + 2)]
    return min(plans, key=lambda plan: (plan.blocks, plan.limbs))

# SPDX-License-Identifier: Apache-2.0
"""Widths of a product of two limbs, of D digits of b bits each, and of columns of such products.

A limb is Σ a_i·2^(bi). The product has the sums E_e = Σ a_i·b_j, i + j = e, for e < 2D - 1. Digits at distance are
multiplied in pairs by Karatsuba's method, so that there is one block for each pair and one for each digit; limbs of
more digits in halves first (`hardware.halves`):

    a_i·b_j + a_j·b_i = a_i·b_i + a_j·b_j - (a_i - a_j)·(b_i - b_j)

A column sum stays redundant: 2D digits, each with some bits more than b; E_e adds its b lowest bits to digit e, and
those above to digit e + 1. The word that leaves is the binary number of the D lowest digits.

After Karatsuba and Ofman 1962; the pairs of digits, and the redundant sums, are Modwright's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...plan.tiling import LOGIC_TILE, TILE_SIZES

SHORTEST_DIGIT, LONGEST_DIGIT = 2, 32
"""Bits b of a digit."""
FEWEST_DIGITS, MOST_DIGITS = 2, 6
"""Digits D of a limb: E_e is the sum of up to D products and D / 2 of differences, two levels of up to three each."""
IN_HALVES = 8
"""Digits of a limb that is multiplied in halves."""
SUMS, SUMS_IN_HALVES = 6, 8
"""Cycles from limbs to the sums E_e."""


@dataclass(frozen=True)
class Opening:
    """Digits that a column begins with, in each half; `stored` is what the column below has left to its context."""

    low: str
    high: str


NOTHING = Opening("", "")
STORED = Opening("stored", "")
ABOVE = Opening("ones", "stored")
"""A column that begins with 0; with what the column below has left; with ones in the lowest D digits, and what the
column below has left above them."""
OPENINGS = (NOTHING, STORED, ABOVE)


@dataclass(frozen=True)
class Stored:
    """Largest digits that a context stores, and the largest carry."""

    digits: tuple[int, ...]
    carry: int


@dataclass(frozen=True)
class DigitLayout:
    """Digits of a limb and widths of the sums.

    Parameters
    ----------
    b : int
        Bits of a digit.
    D : int
        Digits of a limb.
    target : str
        Device family of the multipliers.
    """

    b: int
    D: int
    target: str

    @property
    def w(self) -> int:
        """Bits of a limb."""
        return self.b * self.D

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of digits (i, j), i < j."""
        return tuple((i, j) for i in range(self.D) for j in range(i + 1, self.D))

    @property
    def in_halves(self) -> bool:
        """Whether limbs are multiplied in halves."""
        return self.D > MOST_DIGITS

    @property
    def halves(self) -> tuple[DigitLayout, DigitLayout]:
        """Layouts of half a limb, and of the sum of both halves digit by digit."""
        return DigitLayout(self.b, self.D // 2, self.target), DigitLayout(self.b + 1, self.D // 2, self.target)

    @property
    def sums_cycles(self) -> int:
        """Cycles from limbs to the sums E_e."""
        return SUMS_IN_HALVES if self.in_halves else SUMS

    @property
    def products(self) -> int:
        """Products of two digits, or of two differences."""
        if self.in_halves:
            half, middle = self.halves
            return 2 * half.products + middle.products
        return self.D + len(self.pairs)

    @property
    def blocks(self) -> int:
        """Multiplier blocks; 0 on a target without them."""
        return self.products if self.target in TILE_SIZES and self.b > LOGIC_TILE else 0

    def diagonals(self, e: int) -> range:
        """Digits i whose product a_i·b_i is in E_e."""
        return range(max(0, e - self.D + 1), min(e, self.D - 1) + 1)

    def pairs_of(self, e: int) -> tuple[tuple[int, int], ...]:
        """Pairs whose product is in E_e."""
        return tuple((i, j) for i, j in self.pairs if i + j == e)

    def largest_sum(self, e: int) -> int:
        """Largest E_e."""
        return len(self.diagonals(e)) * ((1 << self.b) - 1) ** 2

    @cached_property
    def sum_bits(self) -> int:
        """Bits of the largest E_e."""
        return self.largest_sum(self.D - 1).bit_length()

    @cached_property
    def largest_addends(self) -> tuple[int, ...]:
        """Largest addend of each of the 2D digits of a column: E_e below b bits, and E_(e-1) above."""
        sums = [self.largest_sum(e) for e in range(2 * self.D - 1)]
        mask = (1 << self.b) - 1
        low, high = [min(value, mask) for value in sums] + [0], [0] + [value >> self.b for value in sums]
        return tuple(map(sum, zip(low, high, strict=True)))

    # --- columns

    def opened(self, opening: Opening, stored: Stored) -> list[int]:
        """Largest digits with which a column begins."""
        parts = {"": (0,) * self.D, "ones": ((1 << self.b) - 1,) * self.D, "stored": _with_carry(stored)}
        return [*parts[opening.low], *parts[opening.high]]

    def after(self, opening: Opening, products: int, stored: Stored) -> list[int]:
        """Largest digits of a column after its products."""
        begun = self.opened(opening, stored)
        return [first + products * addend for first, addend in zip(begun, self.largest_addends, strict=True)]

    def closed(self, digits: list[int]) -> Stored:
        """Largest part of a column that a context stores when the word leaves."""
        top, D = digits[self.D - 1] >> self.b, self.D
        upper = (digits[D] + top, *digits[D + 1 :])
        return Stored(upper, self.row(digits) >> self.w)

    def row(self, digits: list[int]) -> int:
        """Sum of the D lowest digits in binary: of the topmost one, only b bits are in the word."""
        below = sum(digit << (self.b * d) for d, digit in enumerate(digits[: self.D - 1]))
        return below + (min(digits[self.D - 1], (1 << self.b) - 1) << (self.b * (self.D - 1)))

    def largest(self, columns: Iterable[tuple[Opening, int, bool]]) -> tuple[int, int]:
        """Largest digit, and largest carry, of columns in their order.

        Parameters
        ----------
        columns : iterable of (Opening, int, bool)
            Opening of a column, number of its products, and 1 or 0 for whether its context stores what it leaves.
        """
        stored, most, carry = Stored((0,) * self.D, 0), 0, 0
        for opening, products, stores in columns:
            digits = self.after(opening, products, stored)
            most = max(most, *digits)
            if stores:
                stored = self.closed(digits)
                most, carry = max(most, *_with_carry(stored)), max(carry, stored.carry)
        return most, carry


def _with_carry(stored: Stored) -> tuple[int, ...]:
    """The digits with the carry at the lowest one."""
    return (stored.digits[0] + stored.carry, *stored.digits[1:])

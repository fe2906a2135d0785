# SPDX-License-Identifier: Apache-2.0
"""Recoding of multiplier and quotient into digits, in plain integers, and the number of digits.

VLM3 is the method of Rezai and Keshavarzi, IEEE Trans. VLSI 23(9), 2015 (doi 10.1109/TVLSI.2014.2355854). Their
Algorithms 6 and 7 are one pass here, which keeps the carry out of the last bit and ends after exactly T positions; as
printed they drop the digit of that carry, and R varies with X.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

LONGEST = 3
"""Positions of the longest VLM3 digit: two zeros and a non-zero digit, or three zeros (the paper's ℓ = 2)."""

SPLIT = ((1, -1), (2, -1), (1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (8, -1))
"""Table IV: q = q1 + q2 with q1 in {1, 2, 4, 8} and q2 in {-1, 1, 2}, by q."""


@dataclass(frozen=True)
class Cell:
    """Step of an architecture for a digit.

    Parameters
    ----------
    name : str
        The part of the core's name after the slash.
    bits : int
        Bits k of X in a digit; the most for VLM3.
    digits, quotients : (int, int)
        Least and largest d and q.
    variable : bool
        Whether a digit takes 1 to k bits.
    carry_save : bool
        Whether S is a sum and a carry word; else it is binary.
    """

    name: str
    bits: int
    digits: tuple[int, int]
    quotients: tuple[int, int]
    variable: bool = False
    carry_save: bool = True

    @property
    def signed(self) -> bool:
        """Whether d or q, and with them S, can be negative."""
        return min(*self.digits, *self.quotients) < 0

    @property
    def shift(self) -> int:
        """Least shift of S in a cycle."""
        return 1 if self.variable else self.bits


RADIX2 = Cell("radix2", 1, (0, 1), (0, 1), carry_save=False)
CSA = Cell("csa", 1, (0, 1), (0, 1))
VLM3 = Cell("vlm3", LONGEST, (-4, 4), (0, 7), variable=True)
BOOTH4 = Cell("booth4-csa", 2, (-2, 2), (-1, 2))
BOOTH8 = Cell("booth8-csa", 3, (-4, 4), (0, 7))


def high_radix(radix: int) -> Cell:
    """The cell of Algorithm 3 for a power of two."""
    return Cell("csa-high-radix", radix.bit_length() - 1, (0, radix - 1), (0, radix - 1))


class VariableDigit(NamedTuple):
    """Digit that adds nz·(-1)^neg·2^a·Y and shifts right by a + 1 places."""

    nz: int
    neg: int
    a: int


def recode(x: int, positions: int) -> Iterator[VariableDigit]:
    """Cut 0 <= x < 2^(positions - 1) into VLM3 digits that cover exactly `positions` places, least significant first.

    Algorithms 6 and 7 on the fly: `carry` is that of the canonical recoding. A digit ends at the first bit that
    differs from it; the bit after that one is the sign and the next carry. A digit never reaches past the last place
    (the flush), so that R = 2^positions for every x.
    """
    carry, rest = 0, positions
    while rest:
        a = next((j for j in range(LONGEST) if (x >> j) & 1 != carry), None)
        if a is not None and a < rest:
            neg = (x >> (a + 1)) & 1
            digit, carry = VariableDigit(1, neg, a), neg
        else:
            digit = VariableDigit(0, 0, min(LONGEST, rest) - 1)
        yield digit
        x >>= digit.a + 1
        rest -= digit.a + 1


def plain_digits(x: int, bits: int, count: int) -> list[int]:
    """`count` digits in [0, 2^bits), least significant first."""
    mask = (1 << bits) - 1
    return [(x >> (bits * index)) & mask for index in range(count)]


def booth_digits(x: int, bits: int, count: int) -> list[int]:
    """`count` digits in [-2^(bits-1), 2^(bits-1)], least significant first (modified Booth recoding).

    A digit reads its own bits, the top one with negative weight, and the top bit of the digit below; exact for
    x < 2^(bits·count - 1).
    """
    half = 1 << (bits - 1)
    digits, below = [], 0
    for digit in plain_digits(x, bits, count):
        top = digit >> (bits - 1)
        digits.append(digit - 2 * half * top + below)
        below = top
    return digits


@dataclass(frozen=True)
class DigitStatistics:
    """Exact distribution of the number of VLM3 digits of a uniform X."""

    mean: Fraction
    variance: Fraction
    least: int
    most: int


@cache
def digit_statistics(bits: int, positions: int) -> DigitStatistics:
    """Number of digits of X uniform in [0, 2^bits), cut for `positions` places.

    All states of the recoder are visited by position. A state is the carry, and the bit at this position where the
    digit before has read it; paths are counted in values of X, so that all numbers are integers.
    """
    states: list[dict[tuple[int, int | None], _Count]] = [defaultdict(_Count) for _ in range(positions + 1)]
    states[0][0, None] = _Count(1 << (bits + LONGEST + 1), 0, 0, 0, 0)
    for position in range(positions):
        for (carry, known), count in states[position].items():
            choices = _next_bits(position, bits, known)
            after = count.after_a_digit(len(choices).bit_length() - 1)
            for value in choices:
                a, state = _one_digit(value, carry, min(LONGEST, positions - position))
                states[position + a + 1][state].add(after)
    total = _Count()
    for count in states[positions].values():
        total.add(count)
    mean = Fraction(total.first, total.ways)
    return DigitStatistics(mean, Fraction(total.second, total.ways) - mean**2, total.least, total.most)


@dataclass
class _Count:
    """Paths to a state, the sums of their digits and of the squares, and the extremes."""

    ways: int = 0
    first: int = 0
    second: int = 0
    least: int = 1 << 62
    most: int = 0

    def add(self, other: _Count) -> None:
        """Merge the paths of another count."""
        self.ways += other.ways
        self.first += other.first
        self.second += other.second
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)

    def after_a_digit(self, halvings: int) -> _Count:
        """The count with one more digit, for one in 2^halvings of the paths."""
        return _Count(
            self.ways >> halvings,
            (self.first + self.ways) >> halvings,
            (self.second + 2 * self.first + self.ways) >> halvings,
            self.least + 1,
            self.most + 1,
        )


def _next_bits(position: int, bits: int, known: int | None) -> list[int]:
    """Values of the next LONGEST + 1 bits of X, all equally likely; those from `bits` on are 0."""
    values = range(1 << max(0, min(LONGEST + 1, bits - position)))
    return [value for value in values if known is None or value & 1 == known]


@cache
def _one_digit(value: int, carry: int, rest: int) -> tuple[int, tuple[int, int | None]]:
    """Exponent a of the next digit, which has `rest` places at most, and the state after it."""
    a = next((j for j in range(LONGEST) if (value >> j) & 1 != carry), None)
    if a is not None and a < rest:
        sign = (value >> (a + 1)) & 1
        return a, (sign, sign)
    return rest - 1, (carry, None)

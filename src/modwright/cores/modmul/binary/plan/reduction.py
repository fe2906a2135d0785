# SPDX-License-Identifier: Apache-2.0
"""Two ways to reduce a product modulo a fixed p, planned in exact integers: folding and Barrett's method.

Folding replaces each bit x_j at or above 2^w by x_j·v_j, where v_j ≡ 2^j mod p has few signed digits. For a
generalised Mersenne prime (Solinas, CORR 99-39) the digits of many j lie on few diagonals and the sum has few rows:
five for secp256k1, about ten for P-256. For any other p it has about w/3 rows, which is still far less logic than
the two products of Barrett's method, though more registers.

Barrett's method estimates q = floor(floor(x / 2^s)·mu / 2^(t-s)) with mu = floor(2^t / p) (Barrett, Crypto '86; Dhem's
choice of two shifts), and r = x - q·p.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from .....rns.folding import signed_digits, signed_weight
from .heap import Term

_EXACT = 12
"""Most high bits of a fold whose bound is found by trying each of their values."""


def signed_residue(power: int, p: int) -> int:
    """The number ≡ 2^power modulo p, of the two nearest 0, with the fewest signed digits."""
    low = pow(2, power, p)
    return min(low, low - p, key=lambda v: (signed_weight(abs(v)), abs(v)))


@dataclass(frozen=True)
class Fold:
    """Fold y = (x mod 2^w) + Σ x_j·v_j + offset for the bits j ≥ w of 0 ≤ x ≤ bound.

    Parameters
    ----------
    p : int
        Modulus of w bits.
    bound : int
        Largest x.
    """

    p: int
    bound: int

    @property
    def width(self) -> int:
        """w, bits of p."""
        return self.p.bit_length()

    @cached_property
    def images(self) -> tuple[int, ...]:
        """Images v_j of the bits j = w, w+1, ..."""
        return tuple(signed_residue(j, self.p) for j in range(self.width, self.bound.bit_length()))

    @cached_property
    def span(self) -> tuple[int, int]:
        """Least and greatest Σ x_j·v_j."""
        if len(self.images) > _EXACT:
            return sum(v for v in self.images if v < 0), sum(v for v in self.images if v > 0)
        high = range((self.bound >> self.width) + 1)
        sums = [sum(v for n, v in enumerate(self.images) if value >> n & 1) for value in high]
        return min(sums), max(sums)

    @cached_property
    def offset(self) -> int:
        """The multiple of p that keeps y ≥ 0."""
        return -(self.span[0] // self.p) * self.p

    @property
    def least(self) -> int:
        """Lower bound of y, never negative."""
        return self.span[0] + self.offset

    @property
    def result(self) -> int:
        """Upper bound of y."""
        return (1 << self.width) - 1 + self.span[1] + self.offset

    def terms(self, source: str) -> tuple[Term, ...]:
        """The summands: low part, and a slice for each run of equal digits along a diagonal."""
        diagonals: dict[tuple[int, int], list[int]] = defaultdict(list)
        for n, image in enumerate(self.images):
            sign = 1 if image > 0 else -1
            for digit, power in signed_digits(abs(image)):
                diagonals[sign * digit, power - n].append(n)
        terms = [Term(source, 0, self.width, 0)]
        for (sign, diagonal), bits in diagonals.items():
            terms += _runs(source, self.width, bits, sign, diagonal)
        return tuple(terms)

    def apply(self, x: int) -> int:
        """The fold in plain integers."""
        high = x >> self.width
        total = sum(v for n, v in enumerate(self.images) if high >> n & 1)
        return (x & ((1 << self.width) - 1)) + total + self.offset


def _runs(source: str, width: int, bits: list[int], sign: int, diagonal: int) -> list[Term]:
    """Slices of consecutive high bits; bit n has weight 2^(n + diagonal)."""
    terms = []
    start = 0
    for at in range(1, len(bits) + 1):
        if at == len(bits) or bits[at] != bits[at - 1] + 1:
            first = bits[start]
            terms.append(Term(source, width + first, at - start, first + diagonal, sign))
            start = at
    return terms


def plan_folds(p: int, bound: int) -> tuple[Fold, ...]:
    """Folds until x < 2p, or until a further one does not lower the number of subtractions that remain."""
    folds: list[Fold] = []
    while bound >= 2 * p:
        fold = Fold(p, bound)
        if fold.result // p >= bound // p:
            break
        folds.append(fold)
        bound = fold.result
    return tuple(folds)


@dataclass(frozen=True)
class Barrett:
    """Quotient by multiplication with a constant, for 0 ≤ x ≤ bound.

    Parameters
    ----------
    p : int
        Modulus.
    bound : int
        Largest x.
    low_shift : int
        s, bits of x that the estimate ignores.
    total_shift : int
        t, precision of 1/p.
    """

    p: int
    bound: int
    low_shift: int
    total_shift: int

    @property
    def mu(self) -> int:
        """Constant mu = floor(2^t / p)."""
        return (1 << self.total_shift) // self.p

    @property
    def rest(self) -> int:
        """Rest 2^t mod p, which mu ignores."""
        return (1 << self.total_shift) % self.p

    @property
    def result(self) -> int:
        """Largest r = x - q·p.

        With e = 2^t mod p, x - (x_1·mu / 2^(t-s))·p = x_0 + (x - x_0)·e / 2^t for x = x_1·2^s + x_0, and the floor
        adds less than p. So r < p + 2^s - 1 + bound·e / 2^t, and r is an integer.
        """
        return self.p + (1 << self.low_shift) - 1 + -(-self.bound * self.rest >> self.total_shift) - 1

    @property
    def high_width(self) -> int:
        """Bits of floor(x / 2^s)."""
        return (self.bound >> self.low_shift).bit_length()

    @property
    def quotient_width(self) -> int:
        """Bits of q ≤ floor(bound / p)."""
        return (self.bound // self.p).bit_length()

    def apply(self, x: int) -> int:
        """Remainder r in plain integers."""
        q = (x >> self.low_shift) * self.mu >> (self.total_shift - self.low_shift)
        return x - q * self.p


def plan_barrett(p: int, bound: int) -> Barrett:
    """The narrowest estimate with r < 2p: the larger s of w-1 and w-2, then the least t.

    s = w-2 and t = 2w+1 always suffice: 2^s ≤ p/2 since p > 2^(w-1), and bound·e / 2^t < 2^(2w)·p / 2^(2w+1) = p/2.
    """
    width = p.bit_length()
    plans = (Barrett(p, bound, s, t) for s in (width - 1, width - 2) for t in range(2 * width - 2, 2 * width + 2))
    return next(plan for plan in plans if plan.result < 2 * p)

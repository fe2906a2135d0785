# SPDX-License-Identifier: Apache-2.0
"""Two ways to reduce a product modulo a fixed p, planned in exact integers: folding and Barrett's method.

Folding replaces each bit x_j at or above 2^w by x_j·v_j, where v_j ≡ 2^j mod p has few signed digits. For a
generalised Mersenne prime (Solinas, CORR 99-39) the digits of many j lie on few diagonals and the sum has few rows: 19
for secp256k1, 13 for P-256. For any other p it has about w/2 rows, which is still less logic than the two products of
Barrett's method, though more registers. There, slices of the first number can be looked up: a
memory of constants has h·2^j mod p for each value h of a slice from bit j on, one number instead of a few for each bit.

Barrett's method estimates q = floor(floor(x / 2^s)·mu / 2^(t-s)) with mu = floor(2^t / p) (Barrett, Crypto '86; Dhem's
choice of two shifts), and r = x - q·p.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .....rns.folding import signed_digits, signed_weight
from .heap import Heap, Term, highest

TABLE = 9
"""Bits of a slice that is looked up: a block RAM of ECP5 has 512 words of its widest, 36 bits."""

_EXACT = 12
"""Most high bits of a fold whose bound is found by trying each of their values."""


def signed_residue(power: int, p: int) -> int:
    """The number ≡ 2^power modulo p, of the two nearest 0, with the fewest signed digits."""
    low = pow(2, power, p)
    return min(low, low - p, key=lambda v: (signed_weight(abs(v)), abs(v)))


@dataclass(frozen=True)
class Table:
    """Numbers h·2^shift mod p for the values h of a slice.

    Parameters
    ----------
    p : int
        Modulus.
    name : str
        Name of the number that is looked up.
    slice : Term
        At most `TABLE` bits of a source, with sign 1.
    """

    p: int
    name: str
    slice: Term

    @cached_property
    def words(self) -> tuple[int, ...]:
        """The numbers, below p."""
        return tuple((value << self.slice.shift) % self.p for value in range(1 << self.slice.width))

    @property
    def wrong(self) -> int:
        """Number of words that are not in the class of their value."""
        return sum((word - (value << self.slice.shift)) % self.p != 0 for value, word in enumerate(self.words))

    @property
    def term(self) -> Term:
        """The number as a summand."""
        return Term(self.name, 0, self.p.bit_length(), 0)

    def find(self, sources: Mapping[str, int]) -> int:
        """The number for the slice's value in plain integers."""
        return self.words[self.slice.value(sources) >> self.slice.shift]


@dataclass(frozen=True)
class Fold:
    """Fold y = Σ (bits below w) + Σ x_j·v_j for the bits x_j of weight 2^j, j ≥ w, of a number that open terms make.

    The first of these bits may be looked up, a slice at a time.

    Parameters
    ----------
    p : int
        Modulus of w bits.
    parts : tuple of Term
        Terms whose sum is the number, all with sign 1: a row, and carries above the starts of its segments.
    bound : int
        Largest number.
    lookups : int
        Most slices that are looked up.
    """

    p: int
    parts: tuple[Term, ...]
    bound: int
    lookups: int = 0

    @property
    def width(self) -> int:
        """w, bits of p."""
        return self.p.bit_length()

    @cached_property
    def low(self) -> tuple[Term, ...]:
        """The parts below w."""
        return tuple(t.cut(0, self.width) for t in self.parts if t.shift < self.width)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The slices that are looked up: bits of the row from w on."""
        row = self.parts[0]
        starts = range(self.width, row.end, TABLE)[: self.lookups]
        digits = len(str(len(starts) - 1))  # so that numbers are added in this order, by their names
        slices = (row.cut(start, min(start + TABLE, row.end)) for start in starts)
        return tuple(Table(self.p, f"{row.source}_table_{n:0{digits}}", part) for n, part in enumerate(slices))

    @cached_property
    def high(self) -> tuple[Term, ...]:
        """The parts from w on that are not looked up."""
        starts = [self.tables[-1].slice.end if self.tables else self.width, *[self.width] * (len(self.parts) - 1)]
        each = zip(self.parts, starts, strict=True)
        return tuple(part.cut(start, part.end) for part, start in each if part.end > start)

    @cached_property
    def images(self) -> dict[int, int]:
        """Image v_j of each j."""
        powers = {j for t in self.high for j in range(t.shift, t.end)}
        return {j: signed_residue(j, self.p) for j in sorted(powers)}

    @cached_property
    def span(self) -> tuple[int, int]:
        """Least and greatest y."""
        least, greatest = 0, sum(((1 << t.width) - 1) << t.shift for t in self.low)
        greatest += sum(max(table.words) for table in self.tables)
        for part in self.high:
            images = [self.images[j] for j in range(part.shift, part.end)]
            ends = [sum(v for v in images if v < 0), sum(v for v in images if v > 0)]
            if len(images) <= _EXACT:
                values = range(min(self.bound >> part.shift, (1 << part.width) - 1) + 1)
                sums = [sum(v for n, v in enumerate(images) if value >> n & 1) for value in values]
                ends = [min(sums), max(sums)]
            least, greatest = least + ends[0], greatest + ends[1]
        return least, greatest

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The summands: low parts, what is looked up, and a slice for each run of equal digits along a diagonal."""
        terms = [*self.low, *(table.term for table in self.tables)]
        for part in self.high:
            diagonals: dict[tuple[int, int], list[int]] = defaultdict(list)
            for n in range(part.width):
                image = self.images[part.shift + n]
                sign = 1 if image > 0 else -1
                for digit, power in signed_digits(abs(image)):
                    diagonals[sign * digit, power - n].append(n)
            for (sign, diagonal), bits in diagonals.items():
                terms += _runs(part, bits, sign, diagonal)
        return tuple(terms)

    def apply(self, sources: Mapping[str, int]) -> int:
        """The fold in plain integers."""
        total = sum(t.value(sources) for t in self.low) + sum(table.find(sources) for table in self.tables)
        for part in self.high:
            value = part.value(sources) >> part.shift
            total += sum(self.images[part.shift + n] for n in range(part.width) if value >> n & 1)
        return total

    def looked_up(self, sources: Mapping[str, int]) -> dict[str, int]:
        """The numbers that are looked up in plain integers, by name."""
        return {table.name: table.find(sources) for table in self.tables}


def _runs(part: Term, bits: list[int], sign: int, diagonal: int) -> list[Term]:
    """Slices of consecutive bits of a part; bit n has weight 2^(n + diagonal)."""
    terms = []
    start = 0
    for at in range(1, len(bits) + 1):
        if at == len(bits) or bits[at] != bits[at - 1] + 1:
            first = bits[start]
            terms.append(Term(part.source, part.low + first, at - start, first + diagonal, sign))
            start = at
    return terms


@dataclass(frozen=True)
class Reduction:
    """Open sums, each but the first a fold of the one before, and the last fold, which is closed.

    Parameters
    ----------
    p : int
        Modulus.
    excess : int
        Surplus of the first sum's value over the number to be reduced.
    folds : tuple of Fold
        The folds.
    sums : tuple of Heap
        The open sums: the product, and all folds but the last. A constant in the last one makes the excess of all
        together a multiple of p.
    """

    p: int
    excess: int
    folds: tuple[Fold, ...]
    sums: tuple[Heap, ...]

    @staticmethod
    def name(number: int) -> str:
        """Name of an open sum."""
        return f"fold{number - 1}" if number else "product"

    @cached_property
    def surplus(self) -> int:
        """Excess of all open sums, with the constant."""
        return self.excess + sum(heap.excess + heap.constant for heap in self.sums)

    @property
    def offset(self) -> int:
        """The multiple of p that keeps the last fold ≥ 0."""
        return -(self.folds[-1].span[0] // self.p) * self.p

    @property
    def result(self) -> int:
        """Largest value of the last fold."""
        return self.folds[-1].span[1] + self.offset


def plan_reduction(p: int, product: Heap, excess: int, lookups: int) -> Reduction:
    """Folds until a further one does not lower the number of subtractions that remain.

    Parameters
    ----------
    p : int
        Modulus.
    product : Heap
        Open sum whose value is a number of the class to be reduced, its excess included.
    excess : int
        Surplus of that value over the number to be reduced.
    lookups : int
        Most slices of that sum that are looked up.
    """
    folds: tuple[Fold, ...] = ()
    sums: tuple[Heap, ...] = ()
    heap, before, best = product, excess, None
    while True:
        last = replace(heap, room=p - 1)
        last = last.changed(constant=-(before + last.excess) % p)
        some = 0 if folds else lookups
        fold, last = _folded(p, last, Reduction.name(len(folds)), some)
        plan = Reduction(p, excess, (*folds, fold), (*sums, last))
        if best is not None and plan.result // p >= best.result // p:
            return best
        best = plan
        if best.result < 2 * p:
            return best
        fold, heap = _folded(p, heap, Reduction.name(len(folds)), some)
        folds, sums, before = (*folds, fold), (*sums, heap), before + heap.excess
        heap = Heap(fold.terms, product.segment, fold.span[1])


def _folded(p: int, heap: Heap, name: str, lookups: int) -> tuple[Fold, Heap]:
    """The fold of an open sum, and the sum, which is joined where the two then have fewer levels, and in front of
    tables, which fold no bit that overlaps."""
    found = []
    for end in (heap.changed(joined=joined) for joined in ((True,) if lookups else (False, True))):
        fold = Fold(p, end.result(name), end.largest, lookups)
        numbers = highest(fold.terms, heap.segment) + 1  # and a constant
        found.append(((len(end.stages) + (numbers - 1).bit_length(), numbers), fold, end))
    _, fold, end = min(found, key=lambda choice: choice[0])
    return fold, end


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

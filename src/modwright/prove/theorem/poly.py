# SPDX-License-Identifier: Apache-2.0
"""Polynomials over atoms, with coefficients that are integers over a power of two.

An atom is an integer with an interval; atoms that are 0 or 1 are their own squares. A monomial is a sorted tuple of
atoms, given by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .netlist import UnsupportedError

Monomial = tuple[int, ...]

MOST_WORK = 40_000_000
"""Most terms examined in one case of a theorem: limbs at 256 bits take 0.1 million, radix 2 and a built-in modulus
3."""
LARGEST = 20_000
"""Most terms of one polynomial: radix-2 multiplication at 256 bits has 942, and four more for each further bit. The
sums of carry-save rows, taken bit by bit, double with each row; so they end here in a second."""


class EffortError(UnsupportedError):
    """Error of polynomials that exceed the limits of effort."""


class Poly:
    """A polynomial: Σ terms[monomial]·monomial / 2^shift, in lowest terms.

    Parameters
    ----------
    terms : mapping of Monomial to int
        Coefficients other than 0.
    shift : int
    """

    __slots__ = ("shift", "terms")

    def __init__(self, terms: Mapping[Monomial, int] | None = None, shift: int = 0) -> None:
        terms = terms or {}
        if shift > 0 and terms:
            low = 0
            for value in terms.values():
                low |= value
            drop = min(shift, (low & -low).bit_length() - 1)
            if drop:
                terms = {m: value >> drop for m, value in terms.items()}
                shift -= drop
        self.terms: Mapping[Monomial, int] = terms
        self.shift = shift if terms else 0

    @property
    def integral(self) -> bool:
        """Whether all coefficients are integers."""
        return self.shift == 0

    @property
    def constant(self) -> int | None:
        """Value of a constant polynomial; None for another one."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 and self.shift == 0 else None

    @property
    def atoms(self) -> set[int]:
        """Atoms that occur."""
        return {atom for monomial in self.terms for atom in monomial}

    def scaled(self, factor: int, shift: int = 0) -> Poly:
        """Product with factor / 2^shift; the shift may be negative."""
        if not factor:
            return Poly()
        down = self.shift + shift
        if down < 0:
            factor, down = factor << -down, 0
        if factor == 1:
            return Poly(self.terms, down)
        return Poly({m: value * factor for m, value in self.terms.items()}, down)

    def __add__(self, other: Poly) -> Poly:
        a, b = (self, other) if len(self.terms) >= len(other.terms) else (other, self)
        shift = max(a.shift, b.shift)
        up = shift - a.shift
        terms = {m: value << up for m, value in a.terms.items()} if up else dict(a.terms)
        up = shift - b.shift
        for m, value in b.terms.items():
            total = terms.get(m, 0) + (value << up)
            if total:
                terms[m] = total
            else:
                del terms[m]
        return Poly(terms, shift)

    def __neg__(self) -> Poly:
        return self.scaled(-1)

    def __sub__(self, other: Poly) -> Poly:
        return self + other.scaled(-1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.shift == other.shift and self.terms == other.terms

    def __hash__(self) -> int:
        return hash((self.shift, frozenset(self.terms.items())))

    def items(self) -> Iterator[tuple[Monomial, int]]:
        """Monomials and numerators."""
        return iter(self.terms.items())


def number(value: int) -> Poly:
    """A constant."""
    return Poly({(): value}) if value else Poly()


ZERO, ONE = number(0), number(1)


@dataclass(frozen=True)
class Atom:
    """An integer.

    Parameters
    ----------
    name : str
    low, high : int
        Interval of the integer, both ends included.
    """

    name: str
    low: int
    high: int

    @property
    def is_bit(self) -> bool:
        """Whether the atom is 0 or 1 only."""
        return self.low == 0 and self.high == 1


class Ring:
    """Atoms, and the operations that depend on them: products and intervals.

    Products, substitutions and intervals raise `EffortError` when those of a ring have examined more than `MOST_WORK`
    terms, or one polynomial has more than `LARGEST`: unlike a time limit, these bounds do not depend on the machine.
    """

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.work = 0
        self._ranges: dict[Monomial, tuple[int, int]] = {}

    def _spend(self, terms: int) -> None:
        self.work += terms
        if self.work > MOST_WORK:
            raise EffortError(f"its polynomials take more than {MOST_WORK:,} terms")

    def _measure(self, p: Poly) -> None:
        if len(p.terms) > LARGEST:
            raise EffortError(f"one of its polynomials has {len(p.terms):,} terms, more than {LARGEST:,}")
        self._spend(len(p.terms))

    def narrow(self, atom: int, high: int) -> None:
        """Lower the bound of an atom to `high`."""
        old = self.atoms[atom]
        self.atoms[atom] = Atom(old.name, old.low, min(old.high, high))
        self._ranges.clear()

    def atom(self, name: str, low: int, high: int) -> Poly:
        """A new atom."""
        self.atoms.append(Atom(name, low, high))
        return Poly({(len(self.atoms) - 1,): 1})

    def times(self, a: Poly, b: Poly) -> Poly:
        """The product; a bit is its own square."""
        self._spend(len(a.terms) * len(b.terms))
        terms: dict[Monomial, int] = {}
        for m, value in a.terms.items():
            for n, other in b.terms.items():
                key = self._joined(m, n)
                total = terms.get(key, 0) + value * other
                if total:
                    terms[key] = total
                else:
                    del terms[key]
        return Poly(terms, a.shift + b.shift)

    def _joined(self, m: Monomial, n: Monomial) -> Monomial:
        if not m or not n:
            return m or n
        for atom in n:
            if not (self.atoms[atom].is_bit and atom in m):
                m = (*m, atom)
        return tuple(sorted(m))

    def substitute(self, p: Poly, atom: int, by: Poly) -> Poly:
        """The polynomial with an atom replaced."""
        self._spend(len(p.terms))
        found, without = ZERO, {}
        for monomial, value in p.terms.items():
            if atom not in monomial:
                without[monomial] = value
                continue
            power = by
            for _ in range(monomial.count(atom) - 1):
                power = self.times(power, by)
            rest = tuple(factor for factor in monomial if factor != atom)
            found += self.times(Poly({rest: value}, p.shift), power)
        return found + Poly(without, p.shift)

    def factor(self, p: Poly, atom: int) -> Poly:
        """The factor of an atom that occurs in the first power only."""
        terms = {tuple(a for a in m if a != atom): value for m, value in p.terms.items() if atom in m}
        return Poly(terms, p.shift)

    def interval(self, p: Poly) -> tuple[int, int]:
        """Integers between which an integer-valued polynomial lies, from the intervals of its atoms."""
        self._measure(p)
        low = high = 0
        for monomial, value in p.terms.items():
            least, most = self._ranges.get(monomial) or self.range_of(monomial)
            if value > 0:
                low += value * least
                high += value * most
            else:
                low += value * most
                high += value * least
        return -(-low >> p.shift), high >> p.shift

    def range_of(self, monomial: Monomial) -> tuple[int, int]:
        """Interval of a monomial."""
        least = most = 1
        for atom in monomial:
            a = self.atoms[atom]
            ends = (least * a.low, least * a.high, most * a.low, most * a.high)
            least, most = min(ends), max(ends)
        self._ranges[monomial] = least, most
        return least, most

    def text(self, p: Poly) -> str:
        """The polynomial as text, for a message."""
        parts = [f"{value}·{'·'.join(self.atoms[a].name for a in m)}" if m else str(value) for m, value in p.items()]
        return f"({' + '.join(parts) or '0'})" + (f" / 2^{p.shift}" if p.shift else "")

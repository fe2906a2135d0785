# SPDX-License-Identifier: Apache-2.0
"""The claim of an operation on residues: its words are residues of one integer, and that is the product modulo p.

Each word, without cuts, has integer coefficients; modulo its modulus it is a linear form of words that all channels
share. The remainder theorem makes them one integer form Z. Words γ_k with γ_k ≡ g_k·X·Y (mod m_k), and e_k the inverse
of g_k·M/m_k, give Σ e_k·(M/m_k)·γ_k = X·Y + α·M for an integer α: both sides agree modulo each m_k. The address of the
table determines α by intervals of fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import NotRequired, TypedDict

from .modular import Modular
from .netlist import RefusedError, Value
from .poly import Monomial, Poly, Terms

Linear = dict[Monomial, Fraction]
"""Factors of monomials."""
Address = tuple[frozenset, int, int, int]
"""Terms, bits, the least value, and the number of words."""
Polynomial = tuple[int, list[tuple[str, list[int]]]]
"""Shift; factors in hexadecimal with their atoms."""


class Vector(TypedDict):
    """Words of an integer, in the log."""

    moduli: list[str]
    scale: list[str]
    limit: str
    least: str
    bits: int


class ResidueClaim(TypedDict):
    """The claim in the log."""

    modulus: str
    operands: dict[str, Vector]
    factor: str
    result: str
    vector: Vector
    error: str


class Part(TypedDict):
    """Words with factors, words of tables with their addresses, and words that are multiples of an integer, with their
    channels and factors."""

    words: list[tuple[int, str]]
    tables: list[tuple[Polynomial, int, int, list[str]]]
    digits: list[tuple[int, int, str]]


class Reduced(Part):
    """The integer of a reduction; `product` is the factor of the operands' product before the division."""

    product: str


class Total(Part):
    """The integer of a result on residues: a constant, and the distance of α from the address."""

    constant: str
    index: int
    reduced: NotRequired[Reduced]


def moduli_of(vector: Vector) -> list[tuple[int, int]]:
    """Moduli and scales, which are co-prime as the remainder theorem needs them."""
    pairs = [(int(m, 16), int(s, 16)) for m, s in zip(vector["moduli"], vector["scale"], strict=True)]
    if any(gcd(m, s) != 1 or m < 2 for m, s in pairs) or any(
        gcd(pairs[i][0], pairs[k][0]) != 1 for k in range(len(pairs)) for i in range(k)
    ):
        raise RefusedError("moduli or scales of the claim are not co-prime")
    return pairs


def integer(residues: Sequence[int], vector: Vector) -> int:
    """The integer of least absolute value whose scaled residues these are, from one modulus to the next."""
    return joined(residues, moduli_of(vector))


def joined(residues: Sequence[int], pairs: Sequence[tuple[int, int]]) -> int:
    """The integer of least absolute value whose residues these are, by moduli and scales."""
    total, M = 0, 1
    for r, (m, s) in zip(residues, pairs, strict=True):
        total += (r * pow(s, -1, m) - total) * pow(M, -1, m) % m * M
        M *= m
    return total - M if 2 * total > M else total


@dataclass
class Form:
    """An integer: words with factors, the constant with (), and words of tables."""

    weights: dict[Monomial, int]
    tables: dict[Address, list[int]]


@dataclass
class Multiple:
    """An integer V of which an integer form is a multiple modulo p, with its range and words that are multiples.

    `digits` has the word and factor of a channel, `moduli` the channel's modulus; `exact` the modulus and factor of
    words that have V modulo a power of two.
    """

    p: int
    factor: int
    least: int
    most: int
    digits: dict[int, tuple[int, int]]
    moduli: dict[int, int]
    exact: dict[int, tuple[int, int]]


class Residues(Modular):
    """The claim about words of a result."""

    alpha: Linear | None = None

    def __init__(self, claim: ResidueClaim, inputs: dict[str, Value], words: Sequence[Value], error: Value) -> None:
        super().__init__(inputs, words, error)
        self.claim, self.vector = claim, claim["vector"]
        self.p, self.factor = int(claim["modulus"], 16), int(claim["factor"], 16)

    # --- the integer

    def find(self) -> None:
        """Find the words as linear forms."""
        pairs = moduli_of(self.vector)
        basis: frozenset[int] = frozenset()
        forms: list[Poly] = []
        for _ in range(2):
            forms = [self.residue(p, m, basis) for p, (m, _) in zip(self.words, pairs, strict=True)]
            basis |= {a for p in forms for x in p[0] for a in x if a in self.facts.values}
        self.products = list(self._products())
        self.forms, self.pairs = forms, pairs

    def form(self, forms: Sequence[Poly], pairs: Sequence[tuple[int, int]]) -> Form:
        """The integer form that has linear forms as its scaled residues."""
        if any(len(x) > 1 for p in forms for x in p[0]):
            raise RefusedError("a word of the result is not linear in words of the channels")
        monomials = sorted({x for p in forms for x in p[0]})
        lookups = {x[0] for x in monomials if x and x[0] in self.facts.lookups}
        monomials = [x for x in monomials if not x or x[0] not in lookups]
        found = Form({x: joined([p[0].get(x, 0) for p in forms], pairs) for x in monomials}, {})
        groups: dict[Address, list[int]] = {}
        for atom in sorted(lookups):
            p, bits, least, words = self.facts.lookups[atom]
            p = self.facts.uncut(p)
            if p[1]:
                raise RefusedError("the address of a table has fractions")
            key = frozenset(p[0].items()), bits, least, len(words)
            groups.setdefault(key, []).append(atom)
        for key, atoms in groups.items():
            for t in range(key[3]):
                words = [(a, self.facts.lookups[a][3][t]) for a in atoms]
                row = [sum(p[0].get((a,), 0) * word for a, word in words) for p in forms]
                found.tables.setdefault(key, []).append(joined(row, pairs))
        if len(found.tables) > 1:
            raise RefusedError("the result has words of tables with several addresses")
        return found

    def _products(self) -> Iterator[tuple[int, Monomial, int]]:
        """Modulus, product of the operands' words and its scale in each channel."""
        operands = self.claim["operands"]
        scales = [moduli_of(vector) for vector in operands.values()]
        if any([m for m, _ in pairs] != [m for m, _ in scales[0]] for pairs in scales):
            raise RefusedError("operands have words modulo other moduli")
        for k, (m, _) in enumerate(scales[0]):
            monomial = tuple(sorted(self.inputs[f"{name}[{k}]"] for name in operands))
            yield m, monomial, prod(pairs[k][1] for pairs in scales) % m

    def range_of_product(self) -> tuple[int, int]:
        """Least and largest product of the operands' integers."""
        low = high = 1
        for vector in self.claim["operands"].values():
            ends = int(vector["least"], 16), int(vector["limit"], 16) - 1
            found = [a * b for a in (low, high) for b in ends]
            low, high = min(found), max(found)
        return low, high

    def digits_of(self, weights: Iterable[Monomial], without: Iterable[int] = ()) -> dict[int, tuple[int, int]]:
        """The words that are multiples of the operands' product modulo a channel: channel to atom and factor."""
        found: dict[int, tuple[int, int]] = {}
        for x, (k, (m, monomial, scale)) in product(weights, enumerate(self.products)):
            of = self.simpler(x[0], m, frozenset()) if x and x[0] in self.facts.values and k not in without else None
            if of is not None and set(of[0]) == {monomial}:
                if k in found:
                    raise RefusedError("two words are multiples of the product modulo one channel")
                found[k] = x[0], of[0][monomial] * scale % m
        return found

    def ends(self, form: Linear) -> tuple[Fraction, Fraction]:
        """Lowest and highest value of a form."""
        low = high = Fraction(0)
        for x, v in form.items():
            ends = [v * e for e in self.facts.range(({x: 1}, 0))]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def check_range(self, low: Fraction, high: Fraction) -> None:
        """Check that an integer between these ends is in the range of the result."""
        if low < int(self.vector["least"], 16) or high >= int(self.vector["limit"], 16):
            raise RefusedError("the integer of the result may be below its range or reach its limit")

    def bound(self, form: Form, basis: set[int]) -> None:
        """Check the range of a sum: by its words, or with words that are not digits written out."""
        whole: Poly = ({x: v for x, v in form.weights.items() if v}, 0)
        ends = [self.ends(linear(p)) for p in (whole, self.facts.closed(whole, basis))]
        low, high = max(low for low, _ in ends), min(high for _, high in ends)
        low += sum(min(words) for words in form.tables.values())
        high += sum(max(words) for words in form.tables.values())
        self.check_range(low, high)

    def check(self, form: Form, of: Multiple) -> int:
        """Check that a form is a multiple of V modulo p, for each value of α; the distance of α from the address."""
        M = prod(of.moduli.values())
        if not of.moduli or set(of.digits) != set(of.moduli):
            raise RefusedError("the result is not a sum of multiples of an integer")
        rest, alpha = dict(form.weights), Linear()
        constant = rest.pop((), 0)
        for k, (atom, g) in of.digits.items():
            m = of.moduli[k]
            if gcd(g, m) != 1:
                raise RefusedError("a word is not a multiple of the product that has an inverse")
            e = pow(g * (M // m), -1, m)
            e -= m if 2 * e > m else 0
            alpha[atom,] = Fraction(e, m)
            if (rest.pop((atom,), 0) - of.factor * e * (M // m)) % of.p:
                raise RefusedError("a weight is wrong modulo p")
        if any(v % of.p for v in rest.values()):
            raise RefusedError("a term of the result is not a multiple of p")
        (key, words), *_ = [*form.tables.items(), ((frozenset(), 0, 0, 1), [0])]
        terms: Terms = {x: v for x, v in key[0] if v % (1 << key[1])}
        smallest, largest = Fraction(of.least, M), Fraction(of.most, M)
        index, self.alpha = self._exactly(terms, 1 << key[1], alpha, M, of), None
        if index is None:
            ways = [self._address((terms, 0), key[1], of, tops) for tops in (False, True)]
            address = min(ways, key=lambda form: self._size(alpha, form))
            low, high = self.ends(plus(alpha, address, -1))
            index = (high - smallest) // 1
            if low - largest <= index - 1:
                raise RefusedError("the address of the corrections does not determine α")
            self.alpha = plus(address, {(): Fraction(index)})
        first, last = self.ends(alpha)
        for value in range(int(-((largest - first) // 1)), int((last - smallest) // 1) + 1):
            row = (value - index) % (1 << key[1]) - key[2]
            if not 0 <= row < len(words) or (constant + words[row] + of.factor * value * M) % of.p:
                raise RefusedError("a correction is wrong modulo p, or missing")
        return index

    def _address(self, p: Poly, bits: int, of: Multiple, tops: bool) -> Linear:
        """An address, or a form congruent to it modulo 2^bits."""
        closed = linear(self.facts.closed(p, {atom for atom, _ in of.digits.values()}, tops=tops))
        return {x: v for x, v in closed.items() if v % (1 << bits)}

    def _size(self, alpha: Linear, form: Linear) -> Fraction:
        """How much α and a fraction, less a form, varies."""
        low, high = self.ends(plus(alpha, form, -1))
        return high - low

    def _exactly(self, terms: Terms, size: int, alpha: Linear, M: int, of: Multiple) -> int | None:
        """α less an address modulo a power of two, by factors, where a word has V modulo that."""
        for atom, (m, scale) in of.exact.items() if M % 2 else ():
            if (atom,) not in terms or m % size:
                continue
            whole = {x: int(alpha.get(x, 0) * M) * pow(M, -1, size) - terms.get(x, 0) for x in {*alpha, *terms}}
            whole[atom,] -= pow(M * scale, -1, size)
            if any(v % size for x, v in whole.items() if x):
                return None
            return whole.get((), 0) % size
        return None


def linear(p: Poly) -> Linear:
    """Coefficients as fractions."""
    return {x: Fraction(v, 1 << p[1]) for x, v in p[0].items()}


def plus(a: Linear, b: Linear, factor: int | Fraction = 1) -> Linear:
    """The sum of a form and of another times a factor."""
    total = {x: a.get(x, Fraction(0)) + factor * b.get(x, Fraction(0)) for x in [*a, *(x for x in b if x not in a)]}
    return {x: v for x, v in total.items() if v}

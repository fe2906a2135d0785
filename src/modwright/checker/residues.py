# SPDX-License-Identifier: Apache-2.0
"""The claim of an operation on residues: its words are residues of one integer, and that is the product modulo p.

Each word, without cuts, has integer coefficients; modulo its modulus it is a linear form of words that all channels
share. The remainder theorem makes them one integer form Z. Words γ_k with γ_k ≡ g_k·X·Y (mod m_k), and e_k the inverse
of g_k·M/m_k, give Σ e_k·(M/m_k)·γ_k = X·Y + α·M for an integer α: both sides agree modulo each m_k. The address of the
table determines α by intervals of fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import TypedDict

from .channels import ChannelFacts
from .netlist import RefusedError, Value, cut, node_of, width
from .poly import Monomial, Poly, Terms, number

Linear = dict[Monomial, Fraction]
Address = tuple[frozenset, int, int, int]
"""Terms, bits, the least value, and the number of words."""
Polynomial = tuple[int, list[tuple[str, list[int]]]]
"""Shift; factors in hexadecimal with their atoms."""


class Vector(TypedDict):
    """Words of an integer, in the log."""

    moduli: list[str]
    scale: list[str]
    limit: str
    bits: int


class ResidueClaim(TypedDict):
    """The claim in the log."""

    modulus: str
    operands: dict[str, Vector]
    factor: str
    result: str
    vector: Vector
    error: str


class Total(TypedDict):
    """The integer of a result on residues: a constant, words with factors, a word of a table with its address, and the
    words that are multiples of the product, with their channels and factors."""

    constant: str
    words: list[tuple[int, str]]
    tables: list[tuple[Polynomial, int, int, list[str]]]
    digits: list[tuple[int, int, str]]
    index: int


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
    total, M = 0, 1
    for r, (m, s) in zip(residues, moduli_of(vector), strict=True):
        total += (r * pow(s, -1, m) - total) * pow(M, -1, m) % m * M
        M *= m
    return total - M if 2 * total > M else total


class Residues:
    """The claim about words of a result."""

    def __init__(self, claim: ResidueClaim, inputs: dict[str, Value], result: Value, error: Value) -> None:
        self.claim, self.vector = claim, claim["vector"]
        self.p, self.factor = int(claim["modulus"], 16), int(claim["factor"], 16)
        self.facts = facts = ChannelFacts([result, error])
        if facts.read(error)[0] != number(0):
            raise RefusedError("an error code is not always 0")
        bits, count = self.vector["bits"], len(self.vector["moduli"])
        if width(result) != bits * count:
            raise RefusedError("the result has another width than the claim states")
        self.words = [facts.read(cut(result, k * bits, bits))[0] for k in range(count)]
        self.inputs = {name: next(iter(facts.fact(node_of(value))[0][0]))[0] for name, value in inputs.items()}
        facts.name_cuts()
        self.simple: dict[tuple[int, int, frozenset[int]], Poly | None] = {}

    # --- words modulo m

    def residue(self, p: Poly, m: int, basis: frozenset[int]) -> Poly:
        """A polynomial congruent modulo m; words that are not basis are replaced where that makes it simpler."""
        p = self._modulo(self.facts.uncut(p), m)
        done: set[int] = set()
        while atoms := {a for x in p[0] for a in x if a in self.facts.values} - basis - done:
            atom = max(atoms)
            done.add(atom)
            by = self.simpler(atom, m, basis)
            if by is not None:
                p = self._modulo(self.facts.replace(p, atom, by), m)
        return p

    def _modulo(self, p: Poly, m: int) -> Poly:
        if p[1]:
            raise RefusedError("a word of a channel has fractions")
        return {x: v % m for x, v in p[0].items() if v % m}, 0

    def simpler(self, atom: int, m: int, basis: frozenset[int]) -> Poly | None:
        """A word modulo m where multiples of m vanish from its definition, or it is a sum of words."""
        key = atom, m, basis
        if key not in self.simple:
            facts, of = self.facts, self.facts.uncut(self.facts.values[atom])
            made = {a for x in of[0] for a in x if a in facts.highs or a in facts.meaning or a in facts.names}
            left = {a for x in self._modulo(of, m)[0] for a in x}
            self.simple[key] = self.residue(of, m, basis) if not made or made - left else None
        return self.simple[key]

    # --- the integer

    def prove(self) -> None:
        """Prove the claim; afterwards `weights`, `tables` and `index` have the integer form."""
        moduli = [m for m, _ in moduli_of(self.vector)]
        basis: frozenset[int] = frozenset()
        forms: list[Poly] = []
        for _ in range(2):
            forms = [self.residue(p, m, basis) for p, m in zip(self.words, moduli, strict=True)]
            basis |= {a for p in forms for x in p[0] for a in x if a in self.facts.values}
        if any(len(x) > 1 for p in forms for x in p[0]):
            raise RefusedError("a word of the result is not linear in words of the channels")
        monomials = sorted({x for p in forms for x in p[0]})
        lookups = {x[0] for x in monomials if x and x[0] in self.facts.lookups}
        monomials = [x for x in monomials if not x or x[0] not in lookups]
        self.weights = {x: integer([p[0].get(x, 0) for p in forms], self.vector) for x in monomials}
        self.tables: dict[Address, list[int]] = {}
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
                self.tables.setdefault(key, []).append(integer(row, self.vector))
        self._digits()
        self._range()
        self._class()

    def _digits(self) -> None:
        """Find the words that are multiples of the operands' product modulo a channel: channel to atom and factor."""
        operands = self.claim["operands"]
        self.digits: dict[int, tuple[int, int]] = {}
        self.moduli = moduli_of(next(iter(operands.values())))
        scales = [moduli_of(vector) for vector in operands.values()]
        if any([m for m, _ in pairs] != [m for m, _ in self.moduli] for pairs in scales):
            raise RefusedError("operands have words modulo other moduli")
        for x, (k, (m, _)) in product(self.weights, enumerate(self.moduli)):
            of = self.simpler(x[0], m, frozenset()) if x and x[0] in self.facts.values else None
            monomial = tuple(sorted(self.inputs[f"{name}[{k}]"] for name in operands))
            if of is not None and set(of[0]) == {monomial}:
                if k in self.digits:
                    raise RefusedError("two words are multiples of the product modulo one channel")
                self.digits[k] = x[0], of[0][monomial] * prod(pairs[k][1] for pairs in scales) % m
        if len(self.digits) != len(self.moduli):
            raise RefusedError("the result is not a sum of multiples of the operands' product")

    def _range(self) -> None:
        """Check that the integer is not negative, and below its limit."""
        basis = {atom for atom, _ in self.digits.values()}
        whole: Poly = ({x: v for x, v in self.weights.items() if v}, 0)
        ends = [self.ends(linear(p)) for p in (whole, self.facts.closed(whole, basis))]
        low, high = max(low for low, _ in ends), min(high for _, high in ends)
        low += sum(min(words) for words in self.tables.values())
        high += sum(max(words) for words in self.tables.values())
        if low < 0 or high >= int(self.vector["limit"], 16):
            raise RefusedError("the integer of the result may be negative or reach its limit")

    def ends(self, form: Linear) -> tuple[Fraction, Fraction]:
        """Lowest and highest value of a form."""
        low = high = Fraction(0)
        for x, v in form.items():
            ends = [v * e for e in self.facts.range(({x: 1}, 0))]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _class(self) -> None:
        """Check that the integer is congruent to the product modulo p, for each value of α."""
        p, M = self.p, prod(m for m, _ in self.moduli)
        rest, alpha = dict(self.weights), dict[Monomial, Fraction]()
        constant = rest.pop((), 0)
        for k, (atom, g) in self.digits.items():
            m = self.moduli[k][0]
            if gcd(g, m) != 1:
                raise RefusedError("a word is not a multiple of the product that has an inverse")
            e = pow(g * (M // m), -1, m)
            e -= m if 2 * e > m else 0
            alpha[atom,] = Fraction(e, m)
            if (rest.pop((atom,)) - self.factor * e * (M // m)) % p:
                raise RefusedError("a weight is wrong modulo p")
        if any(v % p for v in rest.values()) or len(self.tables) > 1:
            raise RefusedError("a term of the result is not a multiple of p")
        largest = Fraction(prod(int(v["limit"], 16) - 1 for v in self.claim["operands"].values()), M)
        (key, words), *_ = [*self.tables.items(), ((frozenset(), 0, 0, 1), [0])]
        terms: Terms = {x: v for x, v in key[0] if v % (1 << key[1])}
        address = linear(self.facts.closed((terms, 0), {atom for atom, _ in self.digits.values()}))
        left = {x: alpha.get(x, Fraction(0)) - address.get(x, Fraction(0)) for x in alpha.keys() | address.keys()}
        (low, high), (first, last) = self.ends(left), self.ends(alpha)
        self.index = high.numerator // high.denominator
        if (low - largest) <= self.index - 1:
            raise RefusedError("the address of the corrections does not determine α")
        least = -((largest - first) // 1)
        for value in range(int(least), int(last // 1) + 1):
            row = value - self.index - key[2]
            if not 0 <= row < len(words) or (constant + words[row] + self.factor * value * M) % p:
                raise RefusedError("a correction is wrong modulo p, or missing")


def linear(p: Poly) -> Linear:
    """Coefficients as fractions."""
    return {x: Fraction(v, 1 << p[1]) for x, v in p[0].items()}

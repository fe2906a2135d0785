# SPDX-License-Identifier: Apache-2.0
"""The coefficients of a product of polynomials in a radix M, whose words are residues in several bases.

Z_k = V_k + Σ c_j·Q_j + Σ τ·t + a constant: V_k is a sum of products X_i·Y_j, and t any words. Some channels have a word
of their own for each Q_j, a hat; modulo b it is a sum of V_j, of words γ_i that are multiples of V_j modulo a_i, and of
a word of a table, so that Q_j is (V_j + Σ v_i·(M/a_i)·γ_i)/M + ρ as in a reduction. In the other channels Q_j is
extended from its hats. That Z ≡ X·Y modulo p follows from the numbers; the range of Z_k from both forms of Q_j.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, gcd, prod

from ..decide import UndecidedError
from ..poly import Monomial, Poly
from .channels import Channels, Form, form_of
from .claim import Vector
from .coefficient_forms import Coefficient, Coefficients, Pair, Quotient
from .coefficient_ranges import Ranges, rest_of
from .polynomial_claim import PolynomialClaim
from .sums import Digit, Fraction, Multiple, Sum, centred, decide_class, ends_of, joined, remainder


@dataclass
class Residue:
    """A word modulo its modulus: factors of products, and a linear form."""

    products: dict[Pair, int]
    form: Form


class Decision:
    """The proof of one claim.

    Parameters
    ----------
    channels : Channels
    claim : PolynomialClaim
    inputs : mapping of str to int
        Atom of each word of the operands.
    """

    def __init__(self, channels: Channels, claim: PolynomialClaim, inputs: Mapping[str, int]) -> None:
        self.channels, self.claim, self.facts = channels, claim, channels.facts
        self.moduli = [m for _, _, m in claim.digits.moduli]
        self.pairs: list[dict[Monomial, Pair]] = []
        operands = list(claim.operands.items())
        bases = [[m for _, _, m in given.moduli] for _, given in operands]
        if len(operands) != 2 or any(base != self.moduli for base in bases):
            raise UndecidedError("operands have words modulo other moduli than the result")
        for c, _ in enumerate(self.moduli):
            atoms = [
                [inputs[f"{f}[{given.word(f, i, k)}]"] for k in range(claim.degree)]
                for f, i, given in ((*given.moduli[c][:2], given) for _, given in operands)
            ]
            x, y = atoms
            self.pairs.append({tuple(sorted((x[i], y[j]))): (i, j) for i, j in self.places})

    @property
    def places(self) -> list[Pair]:
        """Pairs of coefficients of both operands."""
        return [(i, j) for i in range(self.claim.degree) for j in range(self.claim.degree)]

    def residue(self, p: Poly, c: int) -> Residue:
        """A polynomial modulo the modulus of a channel."""
        known = self.pairs[c]
        products = {known[monomial]: value for monomial, value in p.items() if monomial in known}
        rest = Poly({monomial: value for monomial, value in p.items() if monomial not in known})
        return Residue(products, form_of(self.channels, rest, self.moduli[c]))

    def vector(self, places: Sequence[int], scale: Mapping[int, int] | None = None) -> Vector:
        """The words of some channels, times factors."""
        known = scale or {}
        moduli = tuple(self.moduli[c] for c in places)
        return Vector(moduli, tuple(known.get(c, 1) for c in places), self.claim.digits.limit, 0)

    # --- forms

    def decide(self, words: Sequence[Sequence[Poly]]) -> Coefficients:
        """Prove the claim of a result's words, by coefficient and channel."""
        basis: frozenset[int] = frozenset()
        every = range(len(self.moduli))
        polys: list[list[Poly]] = []
        for _ in range(2):
            polys = [[self.channels.residue(row[c], self.moduli[c], basis) for c in every] for row in words]
            basis |= {atom for row in polys for p in row for atom in p.atoms & self.facts.values.keys()}
        rows = [[self.residue(row[c], c) for c in every] for row in polys]
        found = [self._coefficient(row) for row in rows]
        self.products = [coefficient.products for coefficient in found]
        hats = self._hats(rows)
        quotients = {k: self._quotient(k, own) for k, own in hats.items()}
        for coefficient, row in zip(found, rows, strict=True):
            self._extend(coefficient, row, quotients)
        self._decide_class(found)
        ranges = Ranges(self.facts, self.moduli, quotients)
        for k, coefficient in enumerate(found):
            low, high = ranges.ends(k, coefficient)
            if low < 0 or high >= self.claim.digits.limit:
                raise UndecidedError(
                    f"coefficient {k} of the result is between {floor(low):#x} and {ceil(high):#x}, not from 0 on "
                    f"below {self.claim.digits.limit:#x}"
                )
        return Coefficients(found, quotients)

    def _coefficient(self, row: Sequence[Residue]) -> Coefficient:
        """Products and constant, which all channels share."""
        vector = self.vector(range(len(row)))
        products = {pair: remainder([r.products.get(pair, 0) for r in row], vector) for pair in self.places}
        constant = remainder([r.form.constant for r in row], vector)
        return Coefficient(constant, {pair: value for pair, value in products.items() if value})

    def _multiple(self, products: Mapping[Pair, int], c: int) -> tuple[int, int] | None:
        """The number k of a sum V_k, and a factor, of which products are the multiple modulo a channel's modulus."""
        m = self.moduli[c]
        for k, whole in enumerate(self.products):
            pair = next((pair for pair in products if gcd(whole.get(pair, 0), m) == 1), None)
            if pair is None or not products.keys() <= whole.keys():
                continue
            factor = products[pair] * pow(whole[pair], -1, m) % m
            if all((products.get(other, 0) - factor * value) % m == 0 for other, value in whole.items()):
                return k, factor
        return None

    def _reduced(self, atom: int, c: int) -> Residue | None:
        """A word modulo a channel's modulus, where it is a sum of others."""
        of = self.channels.reduced(atom, self.moduli[c], frozenset()) if atom in self.facts.values else None
        return None if of is None else self.residue(of, c)

    def _hats(self, rows: Sequence[Sequence[Residue]]) -> dict[int, dict[int, tuple[int, int, Form]]]:
        """For each V_k, and each channel with a word that has it: the word, the factor, and the other terms."""
        found: dict[int, dict[int, tuple[int, int, Form]]] = {}
        for c, _ in enumerate(self.moduli):
            for atom in sorted({atom for row in rows for atom in row[c].form.words}):
                by = self._reduced(atom, c)
                multiple = self._multiple(by.products, c) if by is not None and by.products else None
                if by is None or multiple is None:
                    continue
                k, factor = multiple
                if c in found.setdefault(k, {}):
                    raise UndecidedError("two words have the same coefficient of the product in one channel")
                found[k][c] = atom, factor, by.form
        if len({tuple(sorted(own)) for own in found.values()}) > 1:
            raise UndecidedError("quotients have hats in several sets of channels")
        return found

    def _quotient(self, k: int, own: Mapping[int, tuple[int, int, Form]]) -> Quotient:
        """Q_k, from the words of its hats."""
        places = sorted(own)
        forms = [own[c][2] for c in places]
        atoms = sorted({atom for form in forms for atom in form.words})
        digits = [self._digit(atom, k, own.keys()) for atom in atoms]
        if len({digit.channel for digit in digits}) < len(digits):
            raise UndecidedError("two words of a reduction are multiples in one channel")
        moduli = {digit.atom: self.moduli[digit.channel] for digit in digits}
        M, B = prod(moduli.values()), prod(self.moduli[c] for c in places)
        unit = 1 << min((self.channels.exact.zeros(atom) for atom in atoms), default=0)
        scale = {c: own[c][1] * M % self.moduli[c] for c in places}
        if any(gcd(value, self.moduli[c]) != 1 for c, value in scale.items()):
            raise UndecidedError("a word is not a multiple of a quotient that has an inverse")
        constant, words, tables = joined(forms, self.vector(places, scale))
        if len(tables) > 1 or (constant and not tables):
            raise UndecidedError("a reduction has tables of several addresses, or a constant")
        words = {atom: centred(value * unit * moduli[atom], B) * (M // moduli[atom]) for atom, value in words.items()}
        rows = {table: [centred(constant + row, B) for row in values] for table, values in tables.items()}
        found = Quotient(unit, words, rows, digits, [Digit(own[c][0], c, scale[c]) for c in places])
        for digit in digits:
            m = moduli[digit.atom]
            if (1 + words[digit.atom] * digit.of * pow(unit, -1, m)) % m:
                raise UndecidedError(f"a quotient is not an integer modulo {m:#x}")
        largest = self.claim.largest
        ends = [sum(n for n in self.products[k].values() if n * sign > 0) * largest for sign in (-1, 1)]
        low, high = ends_of(self.facts.ring, rest_of(self.facts, self.moduli, found))
        found.least, found.most = ceil(low + Fraction(ends[0], M)), floor(high + Fraction(ends[1], M))
        return found

    def _digit(self, atom: int, k: int, without: Collection[int]) -> Digit:
        """A word of a reduction as a multiple of V_k in one channel without hats."""
        for c, _ in enumerate(self.moduli):
            by = self._reduced(atom, c) if c not in without else None
            if by is not None and by.products and not by.form.words and not by.form.tables and not by.form.constant:
                multiple = self._multiple(by.products, c)
                if multiple is not None and multiple[0] == k:
                    return Digit(atom, c, multiple[1])
        raise UndecidedError(f"{self.facts.ring.atoms[atom].name} is not a multiple of a coefficient of the product")

    # --- the integers of coefficients

    def _extend(self, coefficient: Coefficient, row: Sequence[Residue], quotients: Mapping[int, Quotient]) -> None:
        """Factors of the quotients and of other words in a coefficient, in all channels."""
        by_atom = {digit.atom: (k, digit) for k, quotient in quotients.items() for digit in quotient.hats}
        own = sorted({digit.channel for quotient in quotients.values() for digit in quotient.hats})
        others = [c for c, _ in enumerate(self.moduli) if c not in own]
        if any(row[c].form.tables for c in own):
            raise UndecidedError("a word of the result has words of tables next to its quotients")
        if any(by_atom[a][1].channel != c for c in own for a in row[c].form.words if a in by_atom):
            raise UndecidedError("a word of the result has a hat of another channel")
        for k, quotient in quotients.items():
            hats = {digit.channel: digit.atom for digit in quotient.hats}
            scale = {digit.channel: digit.of for digit in quotient.hats}
            factors = [row[c].form.words.get(hats[c], 0) for c in own]
            pairs = zip(own, factors, strict=True)
            coefficient.quotients[k] = remainder([value * scale[c] for c, value in pairs], self.vector(own))
        atoms = sorted({atom for r in row for atom in r.form.words} - by_atom.keys())
        every = self.vector(range(len(row)))
        coefficient.words = {atom: remainder([r.form.words.get(atom, 0) for r in row], every) for atom in atoms}
        vector, M = self.vector(others), prod(self.moduli[c] for c in others)
        _, weights, tables = joined([row[c].form for c in others], vector)
        used = {by_atom[atom][0] for atom, value in weights.items() if atom in by_atom and value}
        if len(used) > 1 or (tables and not used):
            raise UndecidedError("a word of the result has several quotients, or a table without one")
        for k, quotient in quotients.items():
            if k not in used:
                if coefficient.quotients[k] % M:
                    raise UndecidedError("a word of the result lacks a quotient")
                continue
            hats = {digit.atom for digit in quotient.hats}
            total = Sum(0, {atom: value for atom, value in weights.items() if atom in hats}, tables, quotient.hats)
            moduli = {digit.channel: self.moduli[digit.channel] for digit in quotient.hats}
            claimed = Multiple(M, coefficient.quotients[k], quotient.least, quotient.most)
            decide_class(self.channels, total, moduli, claimed)
            coefficient.extended[k] = total

    def _decide_class(self, forms: Sequence[Coefficient]) -> None:
        """Decide that the result is congruent to the product modulo p."""
        p, powers = self.claim.modulus, [self.claim.radix**k for k, _ in enumerate(forms)]

        def value(factors: Iterator[int]) -> int:
            return sum(power * factor for power, factor in zip(powers, factors, strict=True)) % p

        for i, j in self.places:
            if (value(coefficient.products.get((i, j), 0) for coefficient in forms) - self.claim.radix ** (i + j)) % p:
                raise UndecidedError(f"the product of coefficients {i} and {j} has a wrong factor modulo p")
        for k in {k for coefficient in forms for k in coefficient.quotients}:
            if value(coefficient.quotients.get(k, 0) for coefficient in forms):
                raise UndecidedError(f"quotient {k} does not vanish modulo p")
        for atom in {atom for coefficient in forms for atom in coefficient.words}:
            if value(coefficient.words.get(atom, 0) for coefficient in forms):
                raise UndecidedError(f"{self.facts.ring.atoms[atom].name} does not vanish modulo p")
        if value(coefficient.constant for coefficient in forms):
            raise UndecidedError("the constants do not vanish modulo p")


def coefficients_of(
    channels: Channels, words: Sequence[Poly], claim: PolynomialClaim, inputs: Mapping[str, int]
) -> Coefficients:
    """Prove the claim of a result with these words, in the order of its fields.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    rows: list[list[Poly]] = [[] for _ in range(claim.degree)]
    start = 0
    for base in claim.digits.bases.values():
        for k, row in enumerate(rows):
            row += words[start + k * len(base) : start + (k + 1) * len(base)]
        start += claim.degree * len(base)
    return Decision(channels, claim, inputs).decide(rows)

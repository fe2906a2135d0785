# SPDX-License-Identifier: Apache-2.0
"""The coefficients of a product of polynomials in a radix M, whose words are residues in several bases.

Z_k = V_k + Σ c_j·Q_j + Σ τ·t + a constant: V_k is a sum of products X_i·Y_j, and t any words. Some channels have a word
of their own for each Q_j, a hat; modulo b it is a sum of V_j, of words γ_i that are multiples of V_j modulo a_i, and of
a word of a table, so that Q_j is (V_j + Σ v_i·(M/a_i)·γ_i)/M + ρ as in a reduction. In the other channels Q_j is
extended from its hats. That Z ≡ X·Y modulo p follows from the numbers; the range of Z_k from both forms of Q_j.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, gcd, prod

from ..decide import UndecidedError
from ..poly import Monomial, Poly
from .channels import Channels, Form, Table, form_of
from .claim import Vector
from .polynomial_claim import PolynomialClaim
from .sums import Digit, Fraction, Linear, Multiple, Sum, centred, decide_class, ends_of, joined, remainder

Pair = tuple[int, int]
"""Coefficients of both operands."""


@dataclass
class Quotient:
    """Q = (unit·V + Σ words)/(unit·M) + a word of a table, with V a sum of products.

    Parameters
    ----------
    unit : int
        A power of two of which every word is a multiple.
    words : dict of int to int
    tables : dict of Table to list of int
    digits : list of Digit
        The words as multiples of V; M is the product of their moduli.
    hats : list of Digit
        Words that are multiples of Q.
    least, most : int
    """

    unit: int
    words: dict[int, int]
    tables: dict[Table, list[int]]
    digits: list[Digit]
    hats: list[Digit]
    least: int = 0
    most: int = 0


@dataclass
class Coefficient:
    """Z_k, an integer form.

    Parameters
    ----------
    constant : int
    products : dict of Pair to int
    quotients : dict of int to int
    words : dict of int to int
    extended : dict of int to Sum
        Σ of hats and a word of a table that is the quotient's part modulo the channels without hats.
    """

    constant: int
    products: dict[Pair, int]
    quotients: dict[int, int] = field(default_factory=dict[int, int])
    words: dict[int, int] = field(default_factory=dict[int, int])
    extended: dict[int, Sum] = field(default_factory=dict[int, Sum])


@dataclass
class Coefficients:
    """The coefficients of a result, and the quotients that they are made of, one for each V_k."""

    found: list[Coefficient]
    quotients: dict[int, Quotient]


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
        self.products = [one.products for one in found]
        hats = self._hats(rows)
        quotients = {k: self._quotient(k, own) for k, own in hats.items()}
        for one, row in zip(found, rows, strict=True):
            self._extend(one, row, quotients)
        self._decide_class(found)
        for k, one in enumerate(found):
            low, high = self._ends(k, one, quotients)
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
        low, high = ends_of(self.facts.ring, self._rest(found))
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

    def _rest(self, quotient: Quotient) -> Linear:
        """Q less V/M as a form; a word of a table is linear in its address."""
        M = prod(self.moduli[digit.channel] for digit in quotient.digits)
        total: Linear = {(atom,): Fraction(value, quotient.unit * M) for atom, value in quotient.words.items()}
        for (address, _, least, _), rows in quotient.tables.items():
            step = rows[1] - rows[0] if len(rows) > 1 else 0
            if any(row != rows[0] + step * t for t, row in enumerate(rows)):
                raise UndecidedError("the rows of a reduction are not linear in their address")
            whole = self.facts.closed(address, {digit.atom for digit in quotient.digits})
            for monomial, value in whole.items():
                total[monomial] = total.get(monomial, Fraction(0)) + Fraction(value * step, 1 << whole.shift)
            total[()] = total.get((), Fraction(0)) + rows[0] - step * least
        return total

    # --- the integers of coefficients

    def _extend(self, one: Coefficient, row: Sequence[Residue], quotients: Mapping[int, Quotient]) -> None:
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
            one.quotients[k] = remainder([value * scale[c] for c, value in pairs], self.vector(own))
        atoms = sorted({atom for r in row for atom in r.form.words} - by_atom.keys())
        every = self.vector(range(len(row)))
        one.words = {atom: remainder([r.form.words.get(atom, 0) for r in row], every) for atom in atoms}
        vector, M = self.vector(others), prod(self.moduli[c] for c in others)
        _, weights, tables = joined([row[c].form for c in others], vector)
        used = {by_atom[atom][0] for atom, value in weights.items() if atom in by_atom and value}
        if len(used) > 1 or (tables and not used):
            raise UndecidedError("a word of the result has several quotients, or a table without one")
        for k, quotient in quotients.items():
            if k not in used:
                if one.quotients[k] % M:
                    raise UndecidedError("a word of the result lacks a quotient")
                continue
            hats = {digit.atom for digit in quotient.hats}
            total = Sum(0, {atom: value for atom, value in weights.items() if atom in hats}, tables, quotient.hats)
            moduli = {digit.channel: self.moduli[digit.channel] for digit in quotient.hats}
            claimed = Multiple(M, one.quotients[k], quotient.least, quotient.most)
            decide_class(self.channels, total, moduli, claimed)
            one.extended[k] = total

    def _decide_class(self, found: Sequence[Coefficient]) -> None:
        """Decide that the result is congruent to the product modulo p."""
        p, powers = self.claim.modulus, [self.claim.radix**k for k, _ in enumerate(found)]

        def value(factors: Iterator[int]) -> int:
            return sum(power * factor for power, factor in zip(powers, factors, strict=True)) % p

        for i, j in self.places:
            if (value(one.products.get((i, j), 0) for one in found) - self.claim.radix ** (i + j)) % p:
                raise UndecidedError(f"the product of coefficients {i} and {j} has a wrong factor modulo p")
        for k in {k for one in found for k in one.quotients}:
            if value(one.quotients.get(k, 0) for one in found):
                raise UndecidedError(f"quotient {k} does not vanish modulo p")
        for atom in {atom for one in found for atom in one.words}:
            if value(one.words.get(atom, 0) for one in found):
                raise UndecidedError(f"{self.facts.ring.atoms[atom].name} does not vanish modulo p")
        if value(one.constant for one in found):
            raise UndecidedError("the constants do not vanish modulo p")

    # --- ranges

    def _ends(self, k: int, one: Coefficient, quotients: Mapping[int, Quotient]) -> tuple[Fraction, Fraction]:
        """The interval of a coefficient: V_k vanishes by Q_k as a reduction, and bits that choose are taken at both
        values."""
        own = quotients.get(k)
        M = prod(self.moduli[digit.channel] for digit in own.digits) if own else 0
        if own is None or one.quotients[k] != -M:
            raise UndecidedError(f"coefficient {k} of the result is not a rest")
        basis = {digit.atom for quotient in quotients.values() for digit in (*quotient.digits, *quotient.hats)}
        total: Linear = {(): Fraction(one.constant)}
        _add(total, self._rest(own), -M)
        for atom, factor in one.words.items():
            closed = self.facts.closed(Poly({(atom,): 1}), basis)
            _add(total, {m: Fraction(value, 1 << closed.shift) for m, value in closed.items()}, factor)
        parts: list[tuple[Linear, Fraction, Fraction]] = []
        for j, factor in one.quotients.items():
            if j != k and factor:
                low, high = sorted((factor * quotients[j].least, factor * quotients[j].most))
                parts.append((self._extended(one, j, quotients[j]), Fraction(low), Fraction(high)))
        ends = [self._ends_in(total, parts, chosen) for chosen in self._cases(total)]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _extended(self, one: Coefficient, j: int, quotient: Quotient) -> Linear:
        """A multiple of Q_j = B·(Σ e·hat/b - α); empty where α is not known as a form."""
        total, B = Linear(), prod(self.moduli[digit.channel] for digit in quotient.hats)
        alpha, factor = one.extended[j].alpha if j in one.extended else None, one.quotients[j]
        if alpha is not None:
            _add(total, alpha, -B * factor)
            for digit in quotient.hats:
                m = self.moduli[digit.channel]
                e = centred(pow(digit.of * (B // m), -1, m), m)
                _add(total, {(digit.atom,): Fraction(e, m)}, B * factor)
        return total

    def _cases(self, form: Linear) -> Iterator[dict[int, int]]:
        """Values of the tests that a form multiplies by other words."""
        atoms = {atom for monomial in form if len(monomial) > 1 for atom in monomial}
        tests = sorted(atom for atom in atoms if self.facts.meanings.get(atom, ("",))[0] == "negative")
        if len(tests) > MOST_CASES:
            raise UndecidedError("the result has too many choices")
        for values in itertools.product((0, 1), repeat=len(tests)):
            yield dict(zip(tests, values, strict=True))

    def _ends_in(
        self, total: Linear, parts: Sequence[tuple[Linear, Fraction, Fraction]], chosen: Mapping[int, int]
    ) -> tuple[Fraction, Fraction]:
        """The interval of a form and of quotients where tests have some values.

        A quotient counts by its ends, or by its hats, or as that sum of shares of both in which what is tested
        vanishes.
        """
        tested = {_tested(test): self._tested_ends(test, value) for test, value in chosen.items()}
        total = self._by_tests(total, chosen)
        ways: list[list[tuple[Linear, Fraction, Fraction]]] = []
        for form, low, high in parts:
            form = self._by_tests(form, chosen)
            shares = {Fraction(0), Fraction(1)} if form else {Fraction(0)}
            shares |= {-total.get((test,), Fraction(0)) / form[test,] for test in tested if form.get((test,))}
            rows: list[tuple[Linear, Fraction, Fraction]] = []
            for share in shares:
                ends = (1 - share) * low, (1 - share) * high
                rows.append(({m: value * share for m, value in form.items()}, min(ends), max(ends)))
            ways.append(rows)
        found: list[tuple[Fraction, Fraction]] = []
        for taken in itertools.product(*ways):
            form = dict(total)
            for row, _, _ in taken:
                _add(form, row, 1)
            low, high = self._interval(form, tested)
            found.append((low + sum(row[1] for row in taken), high + sum(row[2] for row in taken)))
        return max(low for low, _ in found), min(high for _, high in found)

    def _tested_ends(self, test: int, value: int) -> tuple[int, int]:
        """The interval of what is tested, where the test of its sign has a value."""
        _, of, _, _ = self.facts.meanings[test]
        low, high = self.facts.ring.interval(of)
        return (low, min(high, -1)) if value else (max(low, 0), high)

    def _by_tests(self, form: Linear, chosen: Mapping[int, int]) -> Linear:
        """A form under values of tests, with what is tested in place of the word of the largest factor in it."""
        total = Linear()
        for monomial, value in form.items():
            rest = tuple(atom for atom in monomial if atom not in chosen)
            _add(total, {rest: value}, prod(chosen[atom] for atom in monomial if atom in chosen))
        for test in chosen:
            of = self.facts.meanings[test][1]
            words = [monomial for monomial in of.terms if len(monomial) == 1]
            lead = max(words, key=lambda monomial, of=of: abs(of.terms[monomial]), default=())
            value = total.pop(lead, Fraction(0)) if lead else Fraction(0)
            if value:
                share = value / of.terms[lead]
                _add(total, {(_tested(test),): share * (1 << of.shift)}, 1)
                _add(total, {m: -share * v for m, v in of.items() if m != lead}, 1)
        return {monomial: value for monomial, value in total.items() if value}

    def _interval(self, form: Linear, known: Mapping[int, tuple[int, int]]) -> tuple[Fraction, Fraction]:
        """The interval of a form, with those of some atoms."""
        atoms = self.facts.ring.atoms
        low = high = Fraction(0)
        for monomial, value in form.items():
            least = most = 1
            for atom in monomial:
                a, b = known.get(atom) or (atoms[atom].low, atoms[atom].high)
                ends = least * a, least * b, most * a, most * b
                least, most = min(ends), max(ends)
            low, high = low + min(value * least, value * most), high + max(value * least, value * most)
        return low, high


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


def _tested(test: int) -> int:
    """Key of what a test is of, next to the atoms."""
    return -1 - test


MOST_CASES = 8
"""Most bits that choose in one coefficient: 256 cases."""


def _add(total: Linear, form: Linear, factor: int) -> None:
    for monomial, value in form.items():
        total[monomial] = total.get(monomial, Fraction(0)) + value * factor

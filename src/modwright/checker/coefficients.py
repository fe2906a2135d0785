# SPDX-License-Identifier: Apache-2.0
"""The claim on coefficients: Z_k = V_k + Σ c·Q_j + Σ τ·t + e, where V_k is a sum of products of the operands'
coefficients.

Channels of base B have a word of their own for each quotient, its hat: modulo b it is g·V_j plus words γ_i and a word
of a table. With h = g·M, and v_i and ρ the integers that are these factors over h, Q_j is
(u·V_j + Σ v_i·(M/a_i)·γ_i)/(u·M) + ρ, an integer whose words are the hats over h; u is a power of two that divides the
γ_i. In the other channels, base A, Q_j is extended from its hats. All that is left are numbers, and a range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod

from .claims import Coefficient, Digits, PolynomialClaim
from .netlist import RefusedError, Value
from .poly import Monomial, Poly
from .reductions import centred
from .residues import Linear, Multiple, Residues, joined, linear, plus

MOST_CHOICES = 8
"""Most bits that choose in a coefficient."""
Products = dict[tuple[int, int], int]
"""Factors of products of coefficients."""


@dataclass
class Reduction:
    """The hats of a quotient: word and factor h by channel of B; M, what Q is more than V/M, and its ends."""

    words: dict[int, tuple[int, int]]
    M: int
    rest: Linear
    least: int
    most: int


@dataclass
class Integer:
    """A coefficient: its constant, and factors of quotients and other words; α and its distance from the address of
    those quotients that are extended."""

    constant: int
    quotients: dict[int, int]
    words: dict[int, int]
    alphas: dict[int, Linear]
    indices: dict[int, tuple[int, int]]


@dataclass
class Row:
    """A word modulo its modulus: products of the operands' coefficients, and linear terms."""

    products: Products
    terms: Poly


def _places(digits: Digits) -> list[tuple[str, int, int]]:
    """Field and place of each channel, and the number of channels of the field."""
    return [(field, i, len(base)) for field, base in digits["bases"].items() for i, _ in enumerate(base)]


class Coefficients(Residues):
    """The claim about words of a result, field after field."""

    def __init__(self, claim: PolynomialClaim, inputs: dict[str, Value], words: Sequence[Value], error: Value) -> None:
        super(Residues, self).__init__(inputs, words, error)
        self.polynomial, self.d = claim, claim["degree"]
        self.p, self.radix = int(claim["modulus"], 16), int(claim["radix"], 16)
        bases = claim["digits"]["bases"]
        self.channels = [(f, i, int(m, 16)) for f, base in bases.items() for i, m in enumerate(base)]
        self.moduli = [m for _, _, m in self.channels]
        if any(gcd(m, n) != 1 for k, m in enumerate(self.moduli) for n in self.moduli[:k]):
            raise RefusedError("moduli of the claim are not co-prime")
        x, y = claim["operands"].values()
        for given in (x, y):
            if [int(m, 16) for base in given["bases"].values() for m in base] != self.moduli:
                raise RefusedError("operands have words modulo other moduli")
        self.known: list[dict[Monomial, tuple[int, int]]] = []
        places = [
            [(f, i, len(base)) for f, base in given["bases"].items() for i, _ in enumerate(base)] for given in (x, y)
        ]
        for one, other in zip(*places, strict=True):
            atoms = [[self.inputs[f"{f}[{k * n + i}]"] for k in range(self.d)] for f, i, n in (one, other)]
            pairs = product(range(self.d), repeat=2)
            self.known.append({tuple(sorted((atoms[0][i], atoms[1][j]))): (i, j) for i, j in pairs})
        self.largest = (int(x["limit"], 16) - 1) * (int(y["limit"], 16) - 1)

    def prove(self, log: Sequence[Coefficient]) -> None:
        """Prove the claim; the log has the same numbers."""
        rows, start = [[] for _ in range(self.d)], 0
        for base in self.polynomial["digits"]["bases"].values():
            for k, row in enumerate(rows):
                row += self.words[start + k * len(base) : start + (k + 1) * len(base)]
            start += self.d * len(base)
        basis: frozenset[int] = frozenset()
        found: list[list[Poly]] = []
        for _ in range(2):
            found = [[self.residue(p, m, basis) for p, m in zip(row, self.moduli, strict=True)] for row in rows]
            basis |= {a for row in found for p in row for x in p[0] for a in x if a in self.facts.values}
        split = [[self.split(p, c) for c, p in enumerate(row)] for row in found]
        everywhere = [(m, 1) for m in self.moduli]
        places = [(i, j) for i in range(self.d) for j in range(self.d)]
        self.V: list[Products] = []
        for row in split:
            factors = {at: joined([part.products.get(at, 0) for part in row], everywhere) for at in places}
            self.V.append({at: factor for at, factor in factors.items() if factor})
        hats = self._hats(split)
        forms = [self._integer(row, hats) for row in split]
        self._congruent(forms)
        for k, (form, part) in enumerate(zip(forms, log, strict=True)):
            self._in_range(k, form, hats)
            self._agrees(self.V[k], form, part)

    def split(self, p: Poly, c: int) -> Row:
        """Products of the operands' coefficients in a channel, and the other terms."""
        known = self.known[c]
        return Row(
            {known[x]: v for x, v in p[0].items() if x in known}, ({x: v for x, v in p[0].items() if x not in known}, 0)
        )

    def opened(self, atom: int, c: int) -> Row | None:
        """A word modulo a channel's modulus, where it is simpler there."""
        of = self.simpler(atom, self.moduli[c], frozenset()) if atom in self.facts.values else None
        return None if of is None else self.split(of, c)

    def multiple(self, products: Products, c: int) -> tuple[int, int] | None:
        """Number and factor of the V_j of which products are a multiple in a channel."""
        m = self.moduli[c]
        for j, of in enumerate(self.V):
            at = next(iter(products), None)
            if at is None or gcd(of.get(at, 0), m) != 1:
                continue
            g = products[at] * pow(of[at], -1, m)
            if not any((products.get(i, 0) - g * of.get(i, 0)) % m for i in {*products, *of}):
                return j, g % m
        return None

    # --- quotients

    def _hats(self, split: Sequence[Sequence[Row]]) -> dict[int, Reduction]:
        """The quotient of each V_j that some channels have a word of."""
        words: dict[int, dict[int, tuple[int, int, Poly]]] = {}
        for c, _ in enumerate(self.moduli):
            for atom in sorted({x[0] for row in split for x in row[c].terms[0] if len(x) == 1}):
                of = self.opened(atom, c)
                found = None if of is None else self.multiple(of.products, c)
                if of is None or found is None:
                    continue
                if c in words.setdefault(found[0], {}):
                    raise RefusedError("two words of a channel are of one quotient")
                words[found[0]][c] = atom, found[1], of.terms
        if len({frozenset(own) for own in words.values()}) != 1:
            raise RefusedError("quotients have words in several sets of channels")
        return {j: self._quotient(j, own) for j, own in words.items()}

    def _quotient(self, j: int, own: dict[int, tuple[int, int, Poly]]) -> Reduction:
        """The quotient of V_j: an integer that has the hats as words, with its ends."""
        atoms = {x[0] for _, _, terms in own.values() for x in terms[0] if x and x[0] not in self.facts.lookups}
        digits = {atom: self._digit(atom, j, set(own)) for atom in sorted(atoms)}
        channels = [c for c, _ in digits.values()]
        if len(set(channels)) < len(channels) or not channels:
            raise RefusedError("the words of a quotient are not one a channel")
        M = prod(self.moduli[c] for c in channels)
        unit = 1 << min(self.zeros(atom) for atom in digits)
        scales = {c: g * M % self.moduli[c] for c, (_, g, _) in own.items()}
        pairs = [(self.moduli[c], h) for c, h in scales.items()]
        B = prod(m for m, _ in pairs)
        if any(gcd(m, h) != 1 for m, h in pairs) or gcd(M, B) != 1:
            raise RefusedError("the words of a quotient have no inverse factor")
        form = self.form([terms for _, _, terms in own.values()], pairs)
        constant = form.weights.pop((), 0)
        if form.weights.keys() != {(atom,) for atom in digits} or (constant and not form.tables):
            raise RefusedError("a quotient has other words than multiples of a coefficient")
        rest = Linear()
        for atom, (c, g) in digits.items():
            a = self.moduli[c]
            v = centred(form.weights[atom,] * unit * a, B)
            if (unit + v * (M // a) * g) * pow(unit, -1, a) % a:
                raise RefusedError("a quotient is not an integer")
            rest[atom,] = Fraction(v, unit * a)
        for (terms, _, least, _), words in form.tables.items():
            rows = [centred(constant + word, B) for word in words]
            step = rows[-1] - rows[-2] if len(rows) > 1 else 0
            if any(row != rows[0] + k * step for k, row in enumerate(rows)):
                raise RefusedError("the words of a quotient's table are not linear in its address")
            rest = plus(rest, linear(self.facts.closed((dict(terms), 0), set(digits))), step)
            rest = plus(rest, {(): Fraction(rows[0] - step * least)})
        low, high = self.ends(rest)
        low += Fraction(sum(min(n, 0) for n in self.V[j].values()) * self.largest, M)
        high += Fraction(sum(max(n, 0) for n in self.V[j].values()) * self.largest, M)
        return Reduction({c: (own[c][0], scales[c]) for c in own}, M, rest, int(-(-low // 1)), int(high // 1))

    def _digit(self, atom: int, j: int, without: set[int]) -> tuple[int, int]:
        """Channel and factor of a word that is a multiple of V_j there."""
        for c, _ in enumerate(self.moduli):
            of = None if c in without else self.opened(atom, c)
            found = None if of is None or of.terms[0] else self.multiple(of.products, c)
            if found is not None and found[0] == j:
                return c, found[1]
        raise RefusedError("a word of a quotient is not a multiple of a coefficient of the product")

    # --- coefficients

    def _integer(self, row: Sequence[Row], hats: dict[int, Reduction]) -> Integer:
        """The integer form of a coefficient, which all channels share."""
        every = [(m, 1) for m in self.moduli]
        B = sorted(next(iter(hats.values())).words)
        A = [c for c, _ in enumerate(self.moduli) if c not in B]
        owner = {atom: (j, c) for j, own in hats.items() for c, (atom, _) in own.words.items()}
        linears = [part.terms for part in row]
        if any(len(x) > 1 for p in linears for x in p[0]):
            raise RefusedError("a word of the result is not linear in words of the channels")
        atoms = {x[0] for p in linears for x in p[0] if x} - self.facts.lookups.keys()
        for c in B:
            for (atom,) in linears[c][0].keys() - {()}:
                if atom in self.facts.lookups or owner.get(atom, (0, c))[1] != c:
                    raise RefusedError("a word of the result has a table, or the word of another channel")
        found = Integer(joined([p[0].get((), 0) for p in linears], every), {}, {}, {}, {})
        for j, own in hats.items():
            factors = [linears[c][0].get((own.words[c][0],), 0) * own.words[c][1] for c in B]
            found.quotients[j] = joined(factors, [(self.moduli[c], 1) for c in B])
        for atom in sorted(atoms - owner.keys()):
            found.words[atom] = joined([p[0].get((atom,), 0) for p in linears], every)
        pairs = [(self.moduli[c], 1) for c in A]
        form = self.form([({x: v for x, v in linears[c][0].items() if x}, 0) for c in A], pairs)
        M = prod(m for m, _ in pairs)
        used = {owner[x[0]][0] for x, v in form.weights.items() if x and x[0] in owner and v}
        if len(used) > 1 or (form.tables and not used):
            raise RefusedError("a word of the result has several quotients, or a table without one")
        if any(found.quotients[j] % M for j in hats.keys() - used):
            raise RefusedError("a word of the result lacks a quotient")
        for j in used:
            own = hats[j]
            form.weights = {x: v for x, v in form.weights.items() if x and x[0] in owner}
            known = {c: self.moduli[c] for c in B}
            index = self.check(form, Multiple(M, found.quotients[j], own.least, own.most, own.words, known, {}))
            bits = max((key[1] for key in form.tables), default=0)
            found.indices[j] = index, bits
            if self.alpha is not None:
                found.alphas[j] = self.alpha
        return found

    def _congruent(self, forms: Sequence[Integer]) -> None:
        """Check that the result is the product modulo p, whatever quotients and words are."""
        p, radix = self.p, self.radix
        for i, j in product(range(self.d), repeat=2):
            if (sum(radix**k * V.get((i, j), 0) for k, V in enumerate(self.V)) - radix ** (i + j)) % p:
                raise RefusedError("a product of coefficients has a wrong factor")
        columns = [[part.constant for part in forms]]
        columns += [[part.quotients[j] for part in forms] for j in forms[0].quotients]
        columns += [[part.words.get(t, 0) for part in forms] for t in {t for part in forms for t in part.words}]
        if any(sum(radix**k * factor for k, factor in enumerate(column)) % p for column in columns):
            raise RefusedError("the result is not congruent to the product")

    # --- ranges

    def _in_range(self, k: int, part: Integer, hats: dict[int, Reduction]) -> None:
        """Check the range of a coefficient: V_k is left with the rest of its own quotient."""
        own = hats.get(k)
        if own is None or part.quotients[k] != -own.M:
            raise RefusedError("a coefficient of the result is not reduced")
        total = plus({(): Fraction(part.constant)}, own.rest, -own.M)
        basis = {x[0] for h in hats.values() for x in h.rest if x and x[0] in self.facts.values}
        basis |= {atom for h in hats.values() for atom, _ in h.words.values()}
        for t, factor in part.words.items():
            total = plus(total, linear(self.facts.closed(({(t,): 1}, 0), basis)), factor)
        parts = [(self._by_hats(part, j, hats[j]), c, hats[j]) for j, c in part.quotients.items() if j != k and c]
        chosen = {a for x in total if len(x) > 1 for a in x if self.facts.meaning.get(a, ("",))[0] == "negative"}
        if len(chosen) > MOST_CHOICES:
            raise RefusedError("a coefficient has too many choices")
        limit = int(self.polynomial["digits"]["limit"], 16)
        for values in product((0, 1), repeat=len(chosen)):
            low, high = self._ends_in(total, parts, dict(zip(sorted(chosen), values, strict=True)))
            if low < 0 or high >= limit:
                raise RefusedError("a coefficient of the result may be negative or reach its limit")

    def _by_hats(self, part: Integer, j: int, own: Reduction) -> Linear:
        """c·Q_j by its hats, Q = Σ e·B/b·hat - α·B; empty without α."""
        B, c = prod(self.moduli[k] for k in own.words), part.quotients[j]
        if j not in part.alphas:
            return {}
        total = plus({}, part.alphas[j], -B * c)
        for k, (atom, h) in own.words.items():
            b = self.moduli[k]
            total = plus(total, {(atom,): Fraction(centred(pow(h * (B // b), -1, b), b), b)}, B * c)
        return total

    def _ends_in(
        self, total: Linear, parts: Sequence[tuple[Linear, int, Reduction]], chosen: dict[int, int]
    ) -> tuple[Fraction, Fraction]:
        """The ends of a form and of quotients under tests: a quotient is by its own ends, by its hats, or in part by
        either, so that what is tested has the factor 0."""
        signs = [-1 - test for test in chosen]
        total = self._under(total, chosen)
        every: list[list[tuple[Linear, Fraction, Fraction]]] = []
        for by_hats, c, own in parts:
            form, shares = self._under(by_hats, chosen), {Fraction(0)}
            if form:
                shares |= {Fraction(1), *(-total.get((s,), Fraction(0)) / form[s,] for s in signs if (s,) in form)}
            ends = [(w, sorted((1 - w) * c * end for end in (own.least, own.most))) for w in shares]
            every.append([(plus({}, form, w), low, high) for w, (low, high) in ends])
        lows, highs = [], []
        for way in product(*every):
            form = total
            for part, _, _ in way:
                form = plus(form, part)
            low, high = self._ends_of(form, chosen)
            lows.append(low + sum(part[1] for part in way))
            highs.append(high + sum(part[2] for part in way))
        return max(lows), min(highs)

    def _under(self, form: Linear, chosen: dict[int, int]) -> Linear:
        """A form with tests at their values; what is tested is a word, -1 less the test, in place of another."""
        total = Linear()
        for x, v in form.items():
            if all(chosen.get(a, 1) for a in x):
                rest = tuple(a for a in x if a not in chosen)
                total[rest] = total.get(rest, Fraction(0)) + v
        for test in chosen:
            of = self.facts.meaning[test][1]
            lead = max((x for x in of[0] if len(x) == 1), key=lambda x, of=of: abs(of[0][x]), default=())
            v = total.get(lead, Fraction(0)) if lead else Fraction(0)
            if v:
                share = v * (1 << of[1]) / of[0][lead]
                total = plus(plus(total, linear(of), -share), {(-1 - test,): share})
        return total

    def _ends_of(self, form: Linear, chosen: dict[int, int]) -> tuple[Fraction, Fraction]:
        """The ends of a form, where what is tested is negative or not."""
        low = high = Fraction(0)
        for x, v in form.items():
            if x and x[0] < 0:
                least, most = self.facts.range(self.facts.meaning[-1 - x[0]][1])
                least, most = (least, min(most, -1)) if chosen[-1 - x[0]] else (max(least, 0), most)
            else:
                least, most = self.facts.range(({x: 1}, 0))
            low, high = low + min(v * least, v * most), high + max(v * least, v * most)
        return low, high

    # --- the log

    def _agrees(self, V: Products, part: Integer, log: Coefficient) -> None:
        """Check that the log has the numbers that were found."""
        products = {(i, j): int(factor, 16) for i, j, factor in log["products"]}
        quotients = {j: int(factor, 16) for j, factor in log["quotients"]}
        indices = {j: part["index"] for j, part in log["extended"]}
        if products != V or quotients != part.quotients or int(log["constant"], 16) != part.constant:
            raise RefusedError("the log has another form of a coefficient")
        found = part.indices
        if indices.keys() != found.keys() or any((indices[j] - i) % (1 << bits) for j, (i, bits) in found.items()):
            raise RefusedError("the address of the corrections is another distance from α than the log says")

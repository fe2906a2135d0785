# SPDX-License-Identifier: Apache-2.0
"""Ranges of coefficients: a coefficient of the product vanishes by its own quotient, as the rest of a reduction."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ..decide import UndecidedError
from ..poly import Poly
from .coefficient_forms import Coefficient, Quotient
from .facts import ChannelFacts
from .sums import Fraction, Linear, centred

MOST_CASES = 8
"""Most bits that choose in one coefficient: 256 cases."""


def rest_of(facts: ChannelFacts, moduli: Sequence[int], quotient: Quotient) -> Linear:
    """Q less V/M as a form; a word of a table is linear in its address."""
    M = prod(moduli[digit.channel] for digit in quotient.digits)
    total: Linear = {(atom,): Fraction(value, quotient.unit * M) for atom, value in quotient.words.items()}
    for (address, _, least, _), rows in quotient.tables.items():
        step = rows[1] - rows[0] if len(rows) > 1 else 0
        if any(row != rows[0] + step * t for t, row in enumerate(rows)):
            raise UndecidedError("the rows of a reduction are not linear in their address")
        whole = facts.closed(address, {digit.atom for digit in quotient.digits})
        for monomial, value in whole.items():
            total[monomial] = total.get(monomial, Fraction(0)) + Fraction(value * step, 1 << whole.shift)
        total[()] = total.get((), Fraction(0)) + rows[0] - step * least
    return total


class Ranges:
    """Intervals of the coefficients of a result.

    Parameters
    ----------
    facts : ChannelFacts
    moduli : sequence of int
        By channel.
    quotients : mapping of int to Quotient
        By the coefficient of the product.
    """

    def __init__(self, facts: ChannelFacts, moduli: Sequence[int], quotients: Mapping[int, Quotient]) -> None:
        self.facts, self.moduli, self.quotients = facts, moduli, quotients

    def ends(self, k: int, coefficient: Coefficient) -> tuple[Fraction, Fraction]:
        """The interval of a coefficient: V_k vanishes by Q_k as a reduction, and bits that choose are taken at both
        values."""
        own = self.quotients.get(k)
        M = prod(self.moduli[digit.channel] for digit in own.digits) if own else 0
        if own is None or coefficient.quotients[k] != -M:
            raise UndecidedError(f"coefficient {k} of the result is not a rest")
        basis = {digit.atom for quotient in self.quotients.values() for digit in (*quotient.digits, *quotient.hats)}
        total: Linear = {(): Fraction(coefficient.constant)}
        _add(total, rest_of(self.facts, self.moduli, own), -M)
        for atom, factor in coefficient.words.items():
            closed = self.facts.closed(Poly({(atom,): 1}), basis)
            _add(total, {m: Fraction(value, 1 << closed.shift) for m, value in closed.items()}, factor)
        parts: list[tuple[Linear, Fraction, Fraction]] = []
        for j, factor in coefficient.quotients.items():
            if j != k and factor:
                low, high = sorted((factor * self.quotients[j].least, factor * self.quotients[j].most))
                parts.append((self._extended(coefficient, j), Fraction(low), Fraction(high)))
        ends = [self._ends_in(total, parts, chosen) for chosen in self._cases(total)]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _extended(self, coefficient: Coefficient, j: int) -> Linear:
        """A multiple of Q_j = B·(Σ e·hat/b - α); empty where α is not known as a form."""
        quotient = self.quotients[j]
        total, B = Linear(), prod(self.moduli[digit.channel] for digit in quotient.hats)
        alpha, factor = coefficient.extended[j].alpha if j in coefficient.extended else None, coefficient.quotients[j]
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


def _tested(test: int) -> int:
    """Key of what a test is of, next to the atoms."""
    return -1 - test


def _add(total: Linear, form: Linear, factor: int) -> None:
    for monomial, value in form.items():
        total[monomial] = total.get(monomial, Fraction(0)) + value * factor

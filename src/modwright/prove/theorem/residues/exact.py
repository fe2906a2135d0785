# SPDX-License-Identifier: Apache-2.0
"""Implications of words' definitions without intervals: constant bits, tests that imply others, bits that are 0.

Where the lowest k bits of a word P are 0, floor(P / 2^k) is P / 2^k, so that a channel that holds 2^k times a number
modulo 2^k·m has that number modulo m.
"""

from __future__ import annotations

import itertools

from ..poly import ONE, ZERO, Poly, number
from .facts import ChannelFacts

MOST_ZEROS = 64
"""Zero bits of the number 0, as far as they are counted."""


def zeros(value: int) -> int:
    """The lowest bits of a number that are 0."""
    return (value & -value).bit_length() - 1 if value else MOST_ZEROS


class Exact:
    """Definitions of words without cuts.

    Parameters
    ----------
    facts : ChannelFacts
    """

    def __init__(self, facts: ChannelFacts) -> None:
        self.facts = facts
        self._values: dict[int, Poly] = {}
        self._constants: dict[int, int | None] = {}
        self._zeros: dict[int, int] = {}

    def value(self, atom: int) -> Poly:
        """The definition of a named word, without cuts."""
        if atom not in self._values:
            self._values[atom] = self._strictest(self._known(self.facts.opened(self.facts.values[atom])))
        return self._values[atom]

    def _known(self, p: Poly) -> Poly:
        """A polynomial without bits that have one value, as tests of a number."""
        for atom in sorted(p.atoms & (self.facts.names.keys() | self.facts.meanings.keys()), reverse=True):
            found = self._constant(atom)
            if found is not None:
                p = self.facts.ring.substitute(p, atom, number(found))
        return p

    def _constant(self, atom: int) -> int | None:
        """The value of a bit that is named or a test, where its definition without cuts has one sign or value."""
        if atom not in self._constants:
            name = self.facts.names.get(atom)
            kind, of, *_ = ("", name) if name is not None else self.facts.meanings[atom]
            low, high = self.facts.ring.interval(self._known(self.facts.opened(of)))
            ends = {"negative": (high < 0, low < 0), "nonzero": (low > 0 or high < 0, bool(low or high))}
            one, other = ends.get(kind, (low, high))
            self._constants[atom] = int(one) if one == other else None
        return self._constants[atom]

    def _strictest(self, p: Poly) -> Poly:
        """A polynomial without tests of P < 0 next to tests of P + c < 0, which imply them for c >= 0."""
        meanings = {atom: self.facts.meanings[atom] for atom in p.atoms & self.facts.meanings.keys()}
        tests = {atom: of for atom, (kind, of, *_) in meanings.items() if kind == "negative"}
        for a, b in itertools.permutations(sorted(tests), 2):
            both = [monomial for monomial in p.terms if a in monomial and b in monomial]
            more = (tests[a] - tests[b]).constant if both else None
            if more is not None and more >= 0:
                for monomial in both:
                    value = Poly({monomial: p.terms[monomial]}, p.shift)
                    p = p - value + self.facts.ring.substitute(value, b, ONE)
        return p

    def zeros(self, atom: int) -> int:
        """The lowest bits of an atom that are 0 by the factors in its definition; 0 where none are known to be."""
        if atom not in self._zeros:
            facts = self.facts
            if atom in facts.values:
                self._zeros[atom] = self.zeros_of(self.value(atom))
            else:
                of, k, _ = facts.highs.get(atom, (ZERO, 0, 0))
                self._zeros[atom] = max(0, self.zeros_of(facts.opened(of)) - k) if k else 0
        return self._zeros[atom]

    def zeros_of(self, p: Poly) -> int:
        """The lowest bits of a polynomial that are 0; a word of a table is its first word and a difference."""
        constant, found, lookups = p.terms.get((), 0), [MOST_ZEROS], self.facts.lookups
        for monomial, value in p.items():
            words = lookups[monomial[0]][3] if len(monomial) == 1 and monomial[0] in lookups else []
            if words:
                constant += value * words[0]
                found.append(zeros(value) + min(zeros(word - words[0]) for word in words))
            elif monomial:
                found.append(zeros(value) + sum(map(self.zeros, monomial)))
        return max(0, min(*found, zeros(constant)) - p.shift)

    def whole(self, p: Poly, m: int) -> Poly:
        """A polynomial modulo an odd m with P / 2^k in place of floor(P / 2^k) where the lowest k bits of P are 0."""
        for atom in sorted(p.atoms & self.facts.highs.keys(), reverse=True) if m & 1 else ():
            of, k, _ = self.facts.highs[atom]
            of = self.facts.opened(of)
            if self.zeros_of(of) >= k:
                by = of.scaled(pow(2, -k - of.shift, m), -of.shift)
                p = self.facts.ring.substitute(p, atom, by)
        return p

# SPDX-License-Identifier: Apache-2.0
"""Words of channels modulo the channel's modulus: linear forms of a few words and of words of tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ..decide import UndecidedError
from ..poly import Poly, number
from .exact import Exact
from .facts import ChannelFacts

Table = tuple[Poly, int, int, int]
"""Address and its bits; its least value, and number of words from that one on."""


def modulo(p: Poly, m: int) -> Poly:
    """A polynomial with integer coefficients modulo m.

    Raises
    ------
    UndecidedError
        When a coefficient is a fraction.
    """
    if not p.integral:
        raise UndecidedError(f"a word of a channel has fractions modulo {m:#x}")
    return Poly({monomial: value % m for monomial, value in p.items() if value % m})


class Channels:
    """Words modulo the moduli of channels.

    Parameters
    ----------
    facts : ChannelFacts
    """

    def __init__(self, facts: ChannelFacts) -> None:
        self.facts = facts
        facts.name_cuts()
        self.exact = Exact(facts)
        self._found: dict[tuple[int, int, frozenset[int]], Poly | None] = {}

    def residue(self, p: Poly, m: int, basis: frozenset[int]) -> Poly:
        """A polynomial that is congruent modulo m, with coefficients below m, by words that are basis.

        A named word is replaced where it is a sum of others modulo m: where multiples of m vanish from its
        definition, as in a fold, or it has no floors and tests.
        """
        p = self._without_tables(modulo(self.exact.whole(self.facts.opened(p), m), m), m)
        done: set[int] = set()
        while True:
            atoms = sorted((p.atoms & self.facts.values.keys()) - basis - done)
            if not atoms:
                return p
            done.add(atoms[-1])
            by = self.reduced(atoms[-1], m, basis)
            if by is not None:
                p = modulo(self.facts.ring.substitute(p, atoms[-1], by), m)

    def _without_tables(self, p: Poly, m: int) -> Poly:
        """A polynomial modulo m without words of tables that are linear in their address modulo m, as those of the
        multiples of a power of two, where other terms have words of the address."""
        for atom in sorted(p.atoms & self.facts.lookups.keys(), reverse=True):
            address, _, least, words = self.facts.lookups[atom]
            steps = {(b - a) % m for a, b in itertools.pairwise(words)}
            address = self.facts.opened(address)
            if len(steps) == 1 and address.integral and address.atoms & p.atoms:
                (step,) = steps
                line = number(words[0] - step * least) + address.scaled(step)
                p = modulo(self.facts.ring.substitute(p, atom, line), m)
        return p

    def reduced(self, atom: int, m: int, basis: frozenset[int]) -> Poly | None:
        """A named word modulo m; None where its definition does not become simpler."""
        key = atom, m, basis
        if key not in self._found:
            whole = self.exact.value(atom)
            made = {
                a for a in whole.atoms if a in self.facts.highs or a in self.facts.meanings or a in self.facts.names
            }
            self._found[key] = self.residue(whole, m, basis) if not made or made - modulo(whole, m).atoms else None
        return self._found[key]


@dataclass
class Form:
    """A linear form modulo m: a constant, words with factors, and sums of words of tables.

    Parameters
    ----------
    constant : int
    words : dict of int to int
    tables : dict of Table to list of int
        Sum of the words of the tables with one address, by address.
    """

    constant: int
    words: dict[int, int]
    tables: dict[Table, list[int]]


def form_of(channels: Channels, p: Poly, m: int) -> Form:
    """The linear form of a polynomial modulo m.

    Raises
    ------
    UndecidedError
        When it is not linear.
    """
    found = Form(0, {}, {})
    for monomial, value in p.items():
        if len(monomial) > 1:
            product = channels.facts.ring.text(Poly({monomial: 1}))
            raise UndecidedError(f"a word modulo {m:#x} has the product {product}")
        if not monomial:
            found.constant = value
        elif monomial[0] in channels.facts.lookups:
            address, bits, least, words = channels.facts.lookups[monomial[0]]
            table = channels.facts.opened(address), bits, least, len(words)
            if not table[0].integral:
                raise UndecidedError("the address of a table has fractions")
            sums = found.tables.setdefault(table, [0] * len(words))
            found.tables[table] = [(a + value * word) % m for a, word in zip(sums, words, strict=True)]
        else:
            found.words[monomial[0]] = value
    return found

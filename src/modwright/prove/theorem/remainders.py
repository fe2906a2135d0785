# SPDX-License-Identifier: Apache-2.0
"""Polynomials that are 0 because they are a multiple of 2^w and lie between -2^w and 2^w.

A quotient digit q' = t·q mod 2^w, with q·m ≡ -1, makes t + q'·m a multiple of 2^w. So a column that begins with ones
and adds q'·m has the complement of t as its lowest w bits. Where such words are digits that overlap, their bits are
those of several sums. The lowest k bits of P, times 2^(w - k), are P times that modulo 2^w; and slices of a
word that have one factor are the word.
"""

from __future__ import annotations

from itertools import pairwise

from .facts import Facts
from .pieces import Node
from .poly import Poly

MOST_STEPS = 256
"""Most words that are replaced by what they are the lowest bits of; a column has some for each digit."""


def is_zero(facts: Facts, p: Poly) -> bool:
    """Whether a polynomial is 0, by one of the relations between inputs."""
    low, high = facts.ring.interval(p)
    return p.integral and any(
        -1 << bits < low and high < 1 << bits and _is_multiple(facts, p, (first, second, constant), bits)
        for first, second, constant, bits in facts.relations
    )


def _is_multiple(facts: Facts, p: Poly, relation: tuple[int, int, int], bits: int) -> bool:
    """Whether a polynomial is a multiple of 2^bits."""
    for _ in range(MOST_STEPS):
        p = _modulo(_related(_by_longest(facts, p, bits), relation), bits)
        if not p.terms:
            return True
        if not p.integral:
            return False
        following = _with_whole(facts, p, bits)
        if following is None:
            return False
        p = following
    return False


def _with_whole(facts: Facts, p: Poly, bits: int) -> Poly | None:
    """A polynomial with the last word that has enough weight as what it is the lowest bits of, or what it is."""
    for atom in sorted(p.atoms & facts.formulas.keys(), reverse=True):
        kind, of, places = facts.formulas[atom]
        if kind == "value" and atom in facts.leads:
            return facts.ring.substitute(p, atom, of)
        if kind != "low" or any(monomial.count(atom) > 1 for monomial in p.terms):
            continue
        times = facts.ring.factor(p, atom)
        if all(value % (1 << max(bits - places, of.shift)) == 0 for _, value in times.items()):
            rest = Poly({monomial: value for monomial, value in p.items() if atom not in monomial})
            return rest + facts.ring.times(times, of)
    return None


def _by_longest(facts: Facts, p: Poly, bits: int) -> Poly:
    """A polynomial modulo 2^bits with the longest cut of each word, less slices above its others."""
    cuts: dict[Node, list[tuple[int, int]]] = {}
    for atom, (node, count) in facts.cut_atoms.items():
        if atom not in facts.leads:
            cuts.setdefault(node, []).append((count, atom))
    for atom in sorted(p.atoms & facts.cut_atoms.keys() - facts.leads.keys()):
        node, count = facts.cut_atoms[atom]
        chain = sorted(cut for cut in cuts[node] if cut[0] <= bits)
        if count > bits and chain and chain[-1][0] == bits:
            p = facts.ring.substitute(p, atom, Poly({(chain[-1][1],): 1}))
        elif count <= bits and chain[-1][1] != atom:
            p = facts.ring.substitute(p, atom, _less(facts, [cut for cut in chain if cut[0] >= count]))
    return p


def _less(facts: Facts, chain: list[tuple[int, int]]) -> Poly:
    """The first cut of a chain as the last one less the slices between."""
    found = Poly({(chain[-1][1],): 1})
    for (_, below), (_, above) in pairwise(chain):
        found -= facts.by_slices(Poly({(above,): 1, (below,): 1})) - Poly({(below,): 2})
    return found


def _modulo(p: Poly, bits: int) -> Poly:
    size = 1 << (bits + p.shift)
    return Poly({monomial: value % size for monomial, value in p.items() if value % size}, p.shift)


def _related(p: Poly, relation: tuple[int, int, int]) -> Poly:
    """A polynomial with the product of two inputs as the constant that it is congruent to."""
    first, second, constant = relation
    total = Poly()
    for monomial, value in p.items():
        rest = list(monomial)
        while first in rest and second in rest:
            rest.remove(first)
            rest.remove(second)
            value *= constant
        total += Poly({tuple(rest): value}, p.shift)
    return total

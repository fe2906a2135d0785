# SPDX-License-Identifier: Apache-2.0
"""Polynomials that are 0, as they are multiples of 2^k by a relation of inputs and lie between -2^k and 2^k."""

from __future__ import annotations

from itertools import pairwise

from .algebra import Facts
from .netlist import Node
from .poly import Poly, add

MOST_STEPS = 256
"""Most words that are replaced by what they are the lowest bits of."""


def vanishes(facts: Facts, p: Poly) -> bool:
    """Whether a polynomial with integer coefficients is 0."""
    low, high = facts.range(p)
    bits = {bits for *_, bits in facts.relations if -1 << bits < low and high < 1 << bits}
    return any(_is_multiple(facts, p, k) for k in bits)


def _is_multiple(facts: Facts, p: Poly, k: int) -> bool:
    """Whether a polynomial is a multiple of 2^k; its coefficients stay integers."""
    for _ in range(MOST_STEPS):
        p = facts.related(_by_longest(facts, p, k), k)
        if not p[0]:
            return True
        atom = next((a for a in sorted({a for m in p[0] for a in m}, reverse=True) if _is_open(facts, p, a, k)), None)
        if atom is None:
            return False
        p = facts.replace(p, atom, facts.leads[atom][1] if atom in facts.leads else facts.above[atom][0])
        if p[1]:
            return False
    return False


def _is_open(facts: Facts, p: Poly, atom: int, k: int) -> bool:
    """Whether a word may stand for an atom: it is that word, or the bits above the atom are multiples of 2^k."""
    if atom in facts.leads:
        return True
    if atom not in facts.above:
        return False
    (_, shift), places = facts.above[atom]
    with_it = [(m, v) for m, v in p[0].items() if atom in m]
    return all(m.count(atom) == 1 and v % (1 << max(k - places, shift)) == 0 for m, v in with_it)


def _by_longest(facts: Facts, p: Poly, k: int) -> Poly:
    """A polynomial with the longest cut of each word, less the slices above the others."""
    cuts: dict[Node, list[tuple[int, int]]] = {}
    for atom, _ in enumerate(facts.atoms):
        n, bits = facts.cut_at(atom)
        if n is not None and atom not in facts.leads:
            cuts.setdefault(n, []).append((bits, atom))
    for chain in map(sorted, cuts.values()):
        short = [(bits, atom) for bits, atom in chain if bits <= k]
        for at, (bits, atom) in enumerate(chain):
            if not any(atom in m for m in p[0]) or not short or atom == short[-1][1]:
                continue
            if bits > k:
                p = facts.replace(p, atom, ({(short[-1][1],): 1}, 0)) if short[-1][0] == k else p
                continue
            by: Poly = {(short[-1][1],): 1}, 0
            for (low, below), (_, above) in pairwise(short[at:]):
                by = add(by, facts.slice_between(below, above, low), -(1 << low))
            p = facts.replace(p, atom, by)
    return p

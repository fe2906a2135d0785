# SPDX-License-Identifier: Apache-2.0
"""Polynomials over atoms, with coefficients that are integers over a power of two.

A polynomial is a pair: terms, by sorted tuples of atoms, and a shift. An atom is a number.
"""

from __future__ import annotations

Monomial = tuple[int, ...]
Terms = dict[Monomial, int]
Poly = tuple[Terms, int]


def scale(p: Poly, factor: int, shift: int = 0) -> Poly:
    """The product with factor / 2^shift, in lowest terms."""
    shift += p[1]
    terms = {m: (v * factor) << max(0, -shift) for m, v in p[0].items()} if factor else {}
    shift = max(0, shift)
    while shift and all(not v & 1 for v in terms.values()):
        low = min([(v & -v).bit_length() - 1 for v in terms.values()] or [shift])
        drop = min(shift, low)
        terms, shift = {m: v >> drop for m, v in terms.items()}, shift - drop
    return terms, shift


def add(p: Poly, q: Poly, factor: int = 1, shift: int = 0) -> Poly:
    """p + q·factor / 2^shift."""
    q = scale(q, factor, shift)
    top = max(p[1], q[1])
    terms = {m: v << (top - p[1]) for m, v in p[0].items()}
    for m, v in q[0].items():
        terms[m] = terms.get(m, 0) + (v << (top - q[1]))
    return scale(({m: v for m, v in terms.items() if v}, top), 1)


def number(value: int) -> Poly:
    """A constant."""
    return ({(): value} if value else {}), 0


def key_of(p: Poly) -> tuple[frozenset, int]:
    """Dictionary key."""
    return frozenset(p[0].items()), p[1]

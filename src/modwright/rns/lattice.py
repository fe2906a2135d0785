# SPDX-License-Identifier: Apache-2.0
"""Integers y whose products <c_i·y>_(m_i) lie near given targets in all channels at once: a nearest vector of a
lattice.

The vectors (c_i·y mod m_i, weight·y) are a lattice, which is reduced (Lenstra, Lenstra and Lovász, Math. Annalen 261,
1982) and then rounded to plane by plane (Babai, Combinatorica 6, 1986). The basis is exact and the orthogonalisation
in floating point, which is enough for a search: callers check the result.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

_DELTA = 0.98
"""Lovász' factor, below 1."""
_ROUNDS = 60
"""Roundings of one vector before it is taken as it is: each removes some 50 bits."""
MOST_CHANNELS = 26
"""Reduction takes about the fourth power of the channels, some seconds for this number."""

_TRIES = 6
"""Free parts of y that are tried."""

Vector = list[int]


def near(factors: Sequence[int], moduli: Sequence[int], bound: int, targets: Sequence[int]) -> int | None:
    """0 ≤ y < bound with <factors_i·y>_(moduli_i) near the targets; None where none is found in a few tries.

    Ten bits of each product agree with the target if `bound` has ten bits for each channel, and twice as many for few
    channels.
    """
    if len(moduli) > MOST_CHANNELS or bound < 2:
        return None
    found = (_lattice(tuple(factors), tuple(moduli), bound, seed).find(targets) for seed in range(_TRIES))
    return next((y for y in found if y is not None), None)


@lru_cache(maxsize=64)
def _lattice(factors: tuple[int, ...], moduli: tuple[int, ...], bound: int, seed: int) -> Near:
    return Near(factors, moduli, bound, max(10, min(20, 300 // len(moduli))), seed)


def fixed(factors: Sequence[int], moduli: Sequence[int], limit: int, goal: int) -> Iterator[int]:
    """y below `limit` with <factor_i·y>_(m_i) = goal exactly, for as many channels at once as fit, until each had its
    turn."""
    y, product = 0, 1
    for factor, m in zip(factors, moduli, strict=True):
        if product * m > limit:
            if product > 1:
                yield y
            y, product = 0, 1
            if m > limit:
                continue
        residue = goal * pow(factor, -1, m) % m
        y += product * ((residue - y) * pow(product, -1, m) % m)
        product *= m
    if product > 1:
        yield y


class Near:
    """The search for one set of factors.

    Parameters
    ----------
    factors, moduli : sequence of int
        c_i and m_i.
    bound : int
        0 ≤ y < bound.
    precision : int
        Bits of each product that should agree with the target; fewer where `bound` is too small for them.
    seed : int
        Seed of the part of y that the search leaves free.
    """

    def __init__(
        self, factors: Sequence[int], moduli: Sequence[int], bound: int, precision: int = 16, seed: int = 1
    ) -> None:
        n = len(moduli)
        self.factors, self.moduli, self.bound = factors, moduli, bound
        bits = bound.bit_length() - 1
        self._free = max(0, bits - precision * n)  # low bits of y
        self._low = random.Random(seed).getrandbits(self._free) if self._free else 0
        self._steps = 1 << (bits - self._free)
        steps = [(c << self._free) % m for c, m in zip(factors, moduli, strict=True)]
        width = max(m.bit_length() for m in moduli)
        self._weight = 8 << max(0, width - (bits - self._free) // n)
        rows = [[0] * i + [m * self._steps] + [0] * (n - i) for i, m in enumerate(moduli)]
        self._basis = reduced([*rows, [*(s * self._steps for s in steps), self._weight]])

    def find(self, targets: Sequence[int]) -> int | None:
        """y with every product near its target; None where the nearest vector lies outside of the range."""
        shifted = [t - c * self._low for t, c in zip(targets, self.factors, strict=True)]
        target = [s % m * self._steps for s, m in zip(shifted, self.moduli, strict=True)]
        middle = self._weight * (self._steps // 2)
        vector = nearest(self._basis, [*target, middle])
        y = (vector[-1] // self._weight << self._free) + self._low
        return y if 0 <= y < self.bound else None


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(map(float.__mul__, a, b))


def _orthogonal(basis: Sequence[Vector], k: int, stars: list[list[float]], norms: list[float]) -> None:
    """The part of row k that is orthogonal to those before it."""
    row = [float(v) for v in basis[k]]
    star = list(row)
    for j in range(k):
        mu = _dot(star, stars[j]) / norms[j]
        star = [a - mu * b for a, b in zip(star, stars[j], strict=True)]
    stars[k : k + 1], norms[k : k + 1] = [star], [_dot(star, star)]


def _rounded(vector: Vector, basis: Sequence[Vector], stars: Sequence[list[float]], norms: Sequence[float]) -> Vector:
    """The vector less the multiples of rows that are nearest to it, plane by plane, until nothing changes."""
    for _ in range(_ROUNDS):
        changed = False
        rest = [float(v) for v in vector]
        for j in reversed(range(len(stars))):
            q = round(_dot(rest, stars[j]) / norms[j])
            if q:
                changed = True
                vector = [a - q * b for a, b in zip(vector, basis[j], strict=True)]
                rest = [float(v) for v in vector]
        if not changed:
            break
    return vector


def reduced(basis: Sequence[Vector]) -> list[Vector]:
    """A reduced basis of the same lattice; the rows given are linearly independent."""
    rows = [list(row) for row in basis]
    stars: list[list[float]] = []
    norms: list[float] = []
    k = 0
    while k < len(rows):
        rows[k] = _rounded(rows[k], rows, stars[:k], norms[:k])
        _orthogonal(rows, k, stars, norms)
        if k:
            mu = _dot([float(v) for v in rows[k]], stars[k - 1]) / norms[k - 1]
            if norms[k] < (_DELTA - mu * mu) * norms[k - 1]:
                rows[k - 1], rows[k] = rows[k], rows[k - 1]
                k -= 1
                continue
        k += 1
    return rows


def nearest(basis: Sequence[Vector], target: Sequence[int]) -> Vector:
    """A vector of the lattice near the target, for a reduced basis."""
    stars: list[list[float]] = []
    norms: list[float] = []
    for k in range(len(basis)):
        _orthogonal(basis, k, stars, norms)
    rest = _rounded(list(target), basis, stars, norms)
    return [t - r for t, r in zip(target, rest, strict=True)]

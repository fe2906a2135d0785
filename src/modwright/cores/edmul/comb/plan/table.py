# SPDX-License-Identifier: Apache-2.0
"""The table of a comb: sums of the base point's multiples by powers of two.

Lim and Lee, "More flexible exponentiation with precomputation", CRYPTO 1994, with one table. The scalar's bits are v
rows of c bits; column j has bit j of each row, and adds the sum of [2^(i·c)]B over the rows i with the bit 1.
"""

from __future__ import annotations

from .....catalog import Curve
from .....catalog.points import add_edwards, multiply_edwards

FIELDS = ("TX", "TY", "TS", "TT")
"""Words of a point, in the order of the table: x, y, x + y and d·x·y."""


def points_of(curve: Curve, teeth: int, columns: int) -> list[tuple[int, int]]:
    """Every sum, by the bits of a column; the neutral point is the first."""
    p, a, d = curve.p, curve.a, curve.b
    found = [(0, 1)]
    for row in range(teeth):
        tooth = multiply_edwards(1 << row * columns, (curve.gx, curve.gy), p, a, d)
        found += [add_edwards(point, tooth, p, a, d) for point in found]
    return found


def words_of(curve: Curve, teeth: int, columns: int, factor: int) -> tuple[int, ...]:
    """The words of every point, one after the other, each times a factor modulo the prime."""
    p, d = curve.p, curve.b
    points = points_of(curve, teeth, columns)
    return tuple(value * factor % p for x, y in points for value in (x, y, x + y, d * x * y))

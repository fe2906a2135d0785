# SPDX-License-Identifier: Apache-2.0
"""Points of Weierstrass and Edwards curves, and x-coordinates of Montgomery curves, in plain integers."""

from __future__ import annotations

Point = tuple[int, int] | None
"""An affine point; None is the point at infinity."""


def add_points(first: Point, second: Point, p: int, a: int) -> Point:
    """Sum of two affine points of a Weierstrass curve (SEC 1, version 2.0, section 2.2.1)."""
    if first is None or second is None:
        return first or second
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and (y1 + y2) % p == 0:
        return None
    slope = (3 * x1 * x1 + a) * pow(2 * y1, -1, p) if x1 == x2 else (y2 - y1) * pow(x2 - x1, -1, p)
    x = (slope * slope - x1 - x2) % p
    return x, (slope * (x1 - x) - y1) % p


def multiply_point(k: int, point: Point, p: int, a: int) -> Point:
    """[k] of a point by doubling and adding, k >= 0."""
    total: Point = None
    for bit in bin(k)[2:]:
        total = add_points(total, total, p, a)
        if bit == "1":
            total = add_points(total, point, p, a)
    return total


def small_curve_points(p: int, a: int, b: int) -> list[tuple[int, int]]:
    """All affine points of a curve over a small prime field."""
    roots: dict[int, list[int]] = {}
    for y in range(p):
        roots.setdefault(y * y % p, []).append(y)
    return [(x, y) for x in range(p) for y in roots.get((x**3 + a * x + b) % p, ())]


def multiply_x(k: int, x: int, p: int, a24: int) -> int:
    """Compute x of [k]P from x of P, on the Montgomery curve with a24 = (A + 2) / 4 or on its twist.

    RFC 7748, section 5, with a24 and BB in place of (A - 2) / 4 and AA. The point at infinity has 0, as (0, 0) has;
    p is a prime, and A ≠ ±2.
    """
    x2, z2, x3, z3 = 1, 0, x % p, 1
    for bit in map(int, bin(k)[2:]):
        if bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
        a, b, da, cb = x2 + z2, x2 - z2, (x3 - z3) * (x2 + z2), (x3 + z3) * (x2 - z2)
        aa, bb, e = a * a, b * b, 4 * x2 * z2
        x3, z3 = (da + cb) ** 2 % p, x * (da - cb) ** 2 % p
        x2, z2 = aa * bb % p, e * (bb + a24 * e) % p
        if bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
    return x2 * pow(z2, p - 2, p) % p


def multiply_edwards(k: int, point: tuple[int, int], p: int, a: int, d: int) -> tuple[int, int]:
    """[k] of a point of a·x² + y² = 1 + d·x²·y², a a square and d not one, so that every sum has an affine point.

    Projective sums after Bernstein et al., "Twisted Edwards curves", AFRICACRYPT 2008, section 6.
    """
    total, one = (0, 1, 1), (*point, 1)
    for bit in bin(k)[2:]:
        total = _add_edwards(total, total, p, a, d)
        if bit == "1":
            total = _add_edwards(total, one, p, a, d)
    x, y, z = total
    inverse = pow(z, -1, p)
    return x * inverse % p, y * inverse % p


def add_edwards(first: tuple[int, int], second: tuple[int, int], p: int, a: int, d: int) -> tuple[int, int]:
    """Sum of two affine points of such a curve."""
    x, y, z = _add_edwards((*first, 1), (*second, 1), p, a, d)
    inverse = pow(z, -1, p)
    return x * inverse % p, y * inverse % p


def _add_edwards(
    first: tuple[int, int, int], second: tuple[int, int, int], p: int, a: int, d: int
) -> tuple[int, int, int]:
    (x1, y1, z1), (x2, y2, z2) = first, second
    z, xx, yy = z1 * z2 % p, x1 * x2 % p, y1 * y2 % p
    e = d * xx * yy % p
    f, g = z * z - e, z * z + e
    return z * f * ((x1 + y1) * (x2 + y2) - xx - yy) % p, z * g * (yy - a * xx) % p, f * g % p

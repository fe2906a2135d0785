# SPDX-License-Identifier: Apache-2.0
"""Half-delta divsteps, and the number of them that suffices.

A divstep takes (δ, f, g) with f odd to (1 - δ, g, (g - f)/2) when δ > 0 and g is odd, else to
(1 + δ, f, (g + (g mod 2)·f)/2) (Bernstein and Yang, Fast constant-time gcd computation and modular inversion, CHES
2019, section 8). It starts from δ = 1/2, which takes fewer steps than δ = 1 (P. Wuille, safegcd-bounds,
github.com/sipa/safegcd-bounds). Here D = δ - 1/2, an integer.
"""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, int]

PROVED = "machine-checked for every width (HOL Light, Divstep/divstep_bounds.ml, DIVSTEP_ENDTOEND_BITS_SIMPLE)"

PROVED_TWICE = {160: 371, 192: 445, 224: 519, 255: 590, 256: 593}
"""Results of `enough` for 2^bits - 1 and a reach of 2, which takes minutes; recomputed by the campaign tests."""

COMPARED_TWICE = 64
"""Bits up to which `steps_for_twice` was compared with `enough`."""


def steps_for(bits: int) -> int:
    """Divsteps after which g = 0 and f = ±gcd for every odd f and every g with 0 ≤ g ≤ f ≤ 2^bits.

    The bound of D. J. Bernstein, which he and J. Harrison proved in HOL Light (2023).
    """
    return -(-(9437 * bits + 1) // 4096)


def steps_for_twice(bits: int) -> int:
    """Divsteps after which g = 0 for every odd f < 2^bits and every g with 0 ≤ g ≤ 2f.

    From the table where it has the width, else `steps_for` of one bit more, which is at least the result of `enough`
    for every width compared, up to `COMPARED_TWICE`.
    """
    return PROVED_TWICE.get(bits, steps_for(bits + 1))


def source_of_twice(bits: int) -> str:
    """Reason why `steps_for_twice` is right, in words."""
    if bits in PROVED_TWICE:
        return f"convex hull of all states of {bits} bits"
    return f"the bound for one bit more, compared with convex hulls up to {COMPARED_TWICE} bits, not proved above"


def divstep(D: int, f: int, g: int) -> tuple[int, int, int, bool, bool]:
    """State after one step: D, f, g, whether g was odd, and whether f and g were exchanged."""
    odd = bool(g & 1)
    swap = odd and D >= 0
    if swap:
        return -D, g, (g - f) >> 1, odd, swap
    return D + 1, f, (g + (f if odd else 0)) >> 1, odd, swap


def matrix(D: int, f: int, g: int, k: int) -> tuple[int, int, int, int, int]:
    """State after k divsteps on low bits of f and g: D, and u, v, q, r with |u| + |v| ≤ 2^k and |q| + |r| ≤ 2^k."""
    u, v, q, r = 1, 0, 0, 1
    for _ in range(k):
        D, f, g, odd, swap = divstep(D, f, g)
        if swap:
            u, v, q, r = 2 * q, 2 * r, q - u, r - v
        elif odd:
            u, v, q, r = 2 * u, 2 * v, q + u, r + v
        else:
            u, v = 2 * u, 2 * v
    return D, u, v, q, r


def enough(largest: int, reach: int = 1) -> int:
    """The number of divsteps after which no real point of 0 ≤ g ≤ reach·f, f ≤ largest has |g| ≥ 1.

    For every D, a convex polygon contains all (f, g) that can have it; a step maps it by all branches, for either
    parity, and polygons of one D are joined. Coordinates are multiplied by 2^steps, so that they are integers.
    """
    polygons: dict[int, list[Point]] = {0: [(0, 0), (largest, 0), (largest, reach * largest)]}
    steps = 0
    while polygons:
        moved: dict[int, list[Point]] = {}
        for D, corners in polygons.items():
            moved.setdefault(D + 1, []).extend((2 * f, g) for f, g in corners)
            if D >= 0:
                moved.setdefault(-D, []).extend((2 * g, g - f) for f, g in corners)
            else:
                moved.setdefault(D + 1, []).extend((2 * f, g + f) for f, g in corners)
        steps += 1
        hulls = {D: _hull(points) for D, points in moved.items()}
        polygons = {D: hull for D, hull in hulls.items() if max(abs(g) for _, g in hull) >> steps}
    return steps


def _hull(points: Sequence[Point]) -> list[Point]:
    """Corners of the convex hull (monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(points: Sequence[Point]) -> list[Point]:
    hull: list[Point] = []
    for x, y in points:
        while len(hull) > 1:
            (x1, y1), (x2, y2) = hull[-2:]
            if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull

# SPDX-License-Identifier: Apache-2.0
"""Random curves, points and scalars, and operands that a point multiplier reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from .....catalog.points import multiply_point, small_curve_points
from .....contract.operands import draw, draw_above, draw_bad_modulus, one_in
from .....engines.ladder.codec import SMALL_PRIMES
from ..parameters.operands import EcpmOperands
from ..plan.formulas import BLIND, CURVE, POINT

SMALL_ORDERS = (2, 3, 4, 5, 6)
"""Orders of points for which a curve is made over any field."""


def draw_point(
    rng: Random, given: Mapping[str, int], p: EcpmOperands, primes: Sequence[int] = SMALL_PRIMES
) -> dict[str, int]:
    """Modulus, a, b, order, x and y: the given ones or the negative of the point, half the time; else a point of
    small order over the given field, or any point of a curve over one of the small fields."""
    kind, found = rng.randrange(8), None
    if kind < 2:
        found = draw_small_order(rng, given["modulus"])
    elif kind < 4 and primes:
        found = draw_small_field(rng, p, primes)
    if found is not None and found["order"] >> p.order_bits == 0:
        return found
    y = given["y"] if rng.randrange(2) else -given["y"] % given["modulus"]
    return {name: given[name] for name in ("modulus", "a", "b", "order", "x")} | {"y": y}


def draw_small_order(rng: Random, m: int) -> dict[str, int] | None:
    """A curve with a point of small order, and a multiple of that order; None where a draw gives no curve.

    Order 2: y = 0. Others by Tate's normal form y² + (1 - c)·x·y - b·y = x³ - b·x² with the point (0, 0) (Kubert,
    Proc. London Math. Soc. 33, 1976), turned into a short Weierstrass curve.
    """
    r, t = rng.choice(SMALL_ORDERS), rng.randrange(1, m)
    if r == 2:
        x, a = rng.randrange(m), rng.randrange(m)
        point, curve = (x, 0), (a, -(x**3 + a * x) % m)
    elif r == 3:
        x, slope, y = t * t * pow(3, -1, m) % m, t, rng.randrange(1, m)
        a = (2 * slope * y - 3 * x * x) % m  # the tangent of slope t meets the curve three times in the point
        point, curve = (x, y), (a, (y * y - x**3 - a * x) % m)
    else:
        b, c = {4: (t, 0), 5: (t, t), 6: (t + t * t, t)}[r]
        point, curve = _short(1 - c, -b, -b, m)
    a, b = curve
    if (4 * a**3 + 27 * b * b) % m == 0 or multiply_point(r, point, m, a) is not None:
        return None
    return {"modulus": m, "a": a, "b": b, "order": r * rng.randrange(1, 4), "x": point[0], "y": point[1]}


def _short(a1: int, a2: int, a3: int, m: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The point (0, 0) and a, b of y² + a1·x·y + a3·y = x³ + a2·x² as a short Weierstrass curve (Silverman, The
    Arithmetic of Elliptic Curves, III.1)."""
    b2, b4, b6 = a1 * a1 + 4 * a2, a1 * a3, a3 * a3
    c4, c6 = b2 * b2 - 24 * b4, -(b2**3) + 36 * b2 * b4 - 216 * b6
    return (3 * b2 % m, 108 * a3 % m), (-27 * c4 % m, -54 * c6 % m)


def draw_small_field(rng: Random, p: EcpmOperands, primes: Sequence[int] = SMALL_PRIMES) -> dict[str, int] | None:
    """A curve over a small field, its order, and any of its points; None where a draw gives no curve."""
    m = rng.choice([prime for prime in primes if prime >> p.n == 0])
    a, b = rng.randrange(m), rng.randrange(m)
    points = small_curve_points(m, a, b)
    if (4 * a**3 + 27 * b * b) % m == 0 or not points:
        return None
    x, y = rng.choice(points)
    return {"modulus": m, "a": a, "b": b, "order": len(points) + 1, "x": x, "y": y}


def draw_scalar(rng: Random, order: int, bits: int) -> int:
    """A scalar of at most `bits` bits: one time in two next to a multiple of the order, which 0 is."""
    if rng.randrange(2):
        return draw(rng, 1 << bits)
    near = rng.randrange(3) * order + rng.randrange(-2, 3)
    return near if 0 <= near < 1 << bits else draw(rng, 1 << bits)


def spoil(rng: Random, payload: Mapping[str, int], p: EcpmOperands) -> dict[str, int]:
    """One or two changes to a payload, such that it is reported, but for y at times becoming -y."""
    m, changes = payload["m"], {}
    kinds = ["modulus", "order", "range", "range", "off", "off", "off"]
    for kind in rng.sample(kinds, 2 if one_in(rng, 4) else 1):
        if kind == "modulus":
            changes["m"] = 3 if one_in(rng, 4) else draw_bad_modulus(rng, p.n)
        elif kind == "order":
            changes["order"] = 0
        elif kind == "range":
            name = rng.choice([name for name in (*POINT, *CURVE, BLIND) if name in payload])
            changes[name] = 0 if name == BLIND and one_in(rng, 2) else draw_above(rng, m, p.n)
        else:
            changes |= {"infinity": 0, "y": (payload["y"] + rng.randrange(1, m)) % m}
    return changes

# SPDX-License-Identifier: Apache-2.0
"""Point multiplication [k](x, y) on the twisted Edwards curve a·x² + y² = 1 + d·x²·y², a a square and d not one.

Such a curve has no point at infinity: (0, 1) is neutral.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from random import Random

from ..catalog import Curve, Modulus
from ..catalog.points import multiply_edwards
from ..catalog.resolve import is_prime
from ..contract.operands import draw
from ..contract.roles import Errors
from .curves import SMALL_FIELD, TABLE, curve_of_form
from .function import Domain, Function, Operands, Results, modulus_of, unless_reduced

_TRIED = 8
"""Curves over a small field of which one is chosen."""


def _edwards(domain: Domain) -> Curve:
    return curve_of_form(domain, "edwards", "point multiplication on an Edwards curve")


def is_square(value: int, p: int) -> bool:
    """Whether a number is a square other than 0 modulo an odd prime (Euler)."""
    return pow(value, (p - 1) // 2, p) == 1


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """The multiple of the point, or the error that the point is not on the curve."""
    if "a" in case and "d" in case:
        p, a, d = modulus_of(case, domain), case["a"], case["d"]
    else:
        curve = _edwards(domain)
        p, a, d = modulus_of(case, curve), curve.a, curve.b
    x, y = case["x"], case["y"]
    if (a * x * x + y * y - 1 - d * x * x * y * y) % p:
        return {"error": Errors.NOT_ON_CURVE}
    rx, ry = multiply_edwards(case["k"], (x % p, y % p), p, a, d)
    return {"rx": rx, "ry": ry} | unless_reduced(p, x, y)


def draw_small(rng: Random, p: int) -> dict[str, int]:
    """A complete curve over a small field, one of its points, and a scalar of as many bits as the field."""
    a = rng.choice([value for value in range(1, p) if is_square(value, p)])
    d = rng.choice([value for value in range(1, p) if not is_square(value, p)])
    points = [(x, y) for x in range(p) for y in range(p) if (a * x * x + y * y - 1 - d * x * x * y * y) % p == 0]
    x, y = rng.choice(points)
    return {"modulus": p, "a": a, "d": d, "k": draw(rng, 1 << p.bit_length()), "x": x, "y": y}


@lru_cache(maxsize=64)
def small_curve(p: int) -> Curve:
    """A complete curve over a small prime field, with a base point of prime order: of those with the least d the one
    whose base point has the largest order."""
    squares = {y * y % p: y for y in range(p // 2 + 1)}
    a = p - 1 if is_square(p - 1, p) else 1
    coefficients = islice((d for d in range(2, p) if d not in squares), _TRIED)
    order, d, x, y, count = max(_largest(p, a, d, squares) for d in coefficients)
    source = "the first complete curves over the field"
    return Curve(f"edwards over {p}", "edwards", p, a, d, x, y, order, count // order, source)


def _largest(p: int, a: int, d: int, squares: Mapping[int, int]) -> tuple[int, int, int, int, int]:
    """Largest prime that divides the number of points, d, a point of that order, and the number of points."""
    found: list[tuple[int, int]] = []
    for x in range(p):
        square = (1 - a * x * x) * pow(1 - d * x * x, -1, p) % p
        if square in squares:
            found += [(x, y) for y in {squares[square], (p - squares[square]) % p}]
    count = len(found)
    order = max(prime for prime in range(2, count + 1) if count % prime == 0 and is_prime(prime))
    multiples = (multiply_edwards(count // order, point, p, a, d) for point in sorted(found))
    order, (x, y) = next(((order, point) for point in multiples if point != (0, 1)), (2, (0, p - 1)))
    return order, d, x, y, count


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """A scalar below the order and any multiple of the base point; over a small field without a curve, any curve."""
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        return draw_small(rng, modulus.value)
    c = _edwards(curve)
    x, y = multiply_edwards(rng.randrange(1, c.order), (c.gx, c.gy), c.p, c.a, c.b)
    return {"k": draw(rng, c.order), "x": x, "y": y}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Scalars at both ends of the order; the base point, its negative, and the points of order 1 and 2."""
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        p = modulus.value
        drawn = draw_small(Random(p), p)
        named: dict[str, Operands] = {f"[{k}] of a curve": {**drawn, "k": k} for k in (0, 1, 2, p - 1, p)}
        return named | {"[1] neutral": {**drawn, "k": 1, "x": 0, "y": 1}}
    c = _edwards(curve)
    scalars = {"0": 0, "1": 1, "2": 2, "N-1": c.order - 1}
    points = {"G": (c.gx, c.gy), "-G": (c.p - c.gx, c.gy), "neutral": (0, 1), "of order 2": (0, c.p - 1)}
    cases: dict[str, Operands] = {
        f"[{s}]{n}": {"k": k, "x": x, "y": y} for s, k in scalars.items() for n, (x, y) in points.items()
    }
    return cases | {"[N+1]G": {"k": c.order + 1, "x": c.gx, "y": c.gy}}


FUNCTION = Function(
    name="edmul",
    formula="[k](x, y) = (rx, ry)",
    operands=("k", "x", "y"),
    results=("rx", "ry"),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=8,
    scalars=frozenset({"k"}),
    curve_form="edwards",
    constants={"a": lambda curve: curve.a, "d": lambda curve: curve.b},
    c_prototype="int mw_edmul(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, "
    "const uint32_t *x, const uint32_t *y, const struct mw_edwards *curve); "
    "int mw_edmul_base(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, "
    "size_t words);",
    c_built_in=("x", "y"),
    table=TABLE,
)

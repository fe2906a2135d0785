# SPDX-License-Identifier: Apache-2.0
"""Point multiplication [k](x, y) on y² = x³ + a·x + b."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..catalog.points import Point, multiply_point, small_curve_points
from ..contract.operands import draw
from ..contract.roles import Errors
from .curves import SMALL_FIELD, curve_of_form
from .function import Case, Domain, Function, MeasuredTable, Operands, Results, modulus_of, unless_reduced


def _weierstrass(domain: Domain) -> Curve:
    return curve_of_form(domain, "weierstrass", "point multiplication")


def evaluate(case: Case, domain: Domain) -> Results:
    """The multiple of the point, or the error that the point is not on the curve."""
    if "a" in case and "b" in case:
        p, a, b = modulus_of(case, domain), case["a"], case["b"]
    else:
        curve = _weierstrass(domain)
        p, a, b = modulus_of(case, curve), curve.a, curve.b
    x, y = case["x"], case["y"]
    point: Point = None
    if x is not None:
        if (y * y - x**3 - a * x - b) % p:
            return {"error": Errors.NOT_ON_CURVE}
        point = (x % p, y % p)
    result = multiply_point(case["k"], point, p, a)
    found: Results = {"infinity": True} if result is None else {"rx": result[0], "ry": result[1]}
    return found if x is None else found | unless_reduced(p, x, y)


def _random_small(rng: Random, p: int) -> dict[str, int]:
    """A curve over a small field, its group's order, one of its points, and a scalar."""
    points: list[tuple[int, int]] = []
    a = b = 0
    while not points:
        a, b = rng.randrange(p), rng.randrange(p)
        if (4 * a**3 + 27 * b * b) % p:
            points = small_curve_points(p, a, b)
    x, y = rng.choice(points)
    order = len(points) + 1
    k = rng.randrange(1 << (p.bit_length() + 1))
    return {"modulus": p, "a": a, "b": b, "order": order, "k": k, "x": x, "y": y}


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """A scalar below the order and any multiple of the base point; over a small field without a curve, any curve."""
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        return _random_small(rng, modulus.value)
    c = _weierstrass(curve)
    point = multiply_point(rng.randrange(1, c.order), (c.gx, c.gy), c.p, c.a)
    x, y = point or (None, None)
    return {"k": draw(rng, c.order), "x": x, "y": y}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Scalars at both ends of the order, a negative point and the point at infinity."""
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        drawn = _random_small(Random(modulus.value), modulus.value)
        scalars = (0, 1, 2, drawn["order"] - 1, drawn["order"])
        named: dict[str, Operands] = {f"[{k}] of a curve": {**drawn, "k": k} for k in scalars}
        return named | {"[1]∞": {**drawn, "k": 1, "x": None, "y": None}}
    c = _weierstrass(curve)
    base = {"x": c.gx, "y": c.gy}
    scalars = {"0": 0, "1": 1, "2": 2, "3": 3, "(N-1)/2": (c.order - 1) // 2, "N-2": c.order - 2, "N-1": c.order - 1}
    cases: dict[str, Operands] = {f"[{name}]G": {"k": k, **base} for name, k in scalars.items()}
    cases["[N-1](-G)"] = {"k": c.order - 1, "x": c.gx, "y": c.p - c.gy}
    cases["[1]∞"] = {"k": 1, "x": None, "y": None}
    return cases


_COLUMNS = (
    "bits", "modulus", "core", "target", "cycles", "Fmax, MHz", "ms", "LUT", "FF", "DSP", "BRAM",
    "LUT × ms", "better by", "DSP × ms", "constant latency",
)  # fmt: skip

FUNCTION = Function(
    name="ecpm",
    formula="[k](x, y) = (rx, ry)",
    operands=("k", "x", "y"),
    results=("rx", "ry"),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=4,
    scalars=frozenset({"k"}),
    points=(("x", "y"), ("rx", "ry")),
    curve_form="weierstrass",
    constants={"a": lambda curve: curve.a, "b": lambda curve: curve.b, "order": lambda curve: curve.order},
    c_prototype="int mw_ecpm(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, "
    "const uint32_t *x, const uint32_t *y, const struct mw_curve *curve);",
    table=MeasuredTable(
        "points",
        targets=("ecp5",),
        columns=_COLUMNS,
        order=("bits", "target", "cycles"),
        placed=True,
        baseline="r64-ladder",
    ),
)

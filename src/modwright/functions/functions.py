# SPDX-License-Identifier: Apache-2.0
"""What the cores compute, in plain integers: the oracles of the value level, and cases to try.

A case is a mapping of operand names to integers. It may carry its own `modulus` (and `a`, `b` of a curve), for
cores that take them at run time; else they come from the modulus or curve that is given beside it. Where a
function has no result, `evaluate` gives ``{"error": name}``, as a codec's `decode` does. Where an operand is not
reduced, it gives the results for its residue and the error: a core may refuse such operands or work on them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ..base.errors import UsageError
from ..catalog import Curve, Modulus
from ..catalog.points import Point, multiply_point, small_curve_points
from ..contract.operands import draw
from ..contract.roles import Errors

Case = Mapping[str, Any]
"""Operands by name; None stands for the coordinates of the point at infinity."""
Domain = Modulus | Curve | None
"""None where every case carries its own modulus."""


@dataclass(frozen=True)
class Function:
    """One function over a modulus or a curve.

    Parameters
    ----------
    name : str
        The part of a core's name before the slash.
    operands, results : tuple of str
        Names in a case, and in what `evaluate` returns.
    evaluate : callable
        ``evaluate(case, domain)`` gives the results, fully reduced, or `error`, or both (see above); a point at
        infinity is ``{"infinity": True}``.
    random : callable
        ``random(rng, modulus, curve)`` gives a case without error; long runs of equal bits and values near the
        ends of the range are drawn more often than a uniform choice would.
    edges : callable
        ``edges(modulus, curve)`` gives named cases without error.
    """

    name: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    evaluate: Callable[[Case, Domain], dict[str, Any]]
    random: Callable[[Random, Modulus | None, Curve | None], dict[str, Any]]
    edges: Callable[[Modulus | None, Curve | None], dict[str, dict[str, Any]]]


def modulus_of(case: Case, domain: Domain) -> int:
    """The modulus of a case: its own, else that of the domain."""
    if own := case.get("modulus"):
        return own
    return domain.p if isinstance(domain, Curve) else _value(domain)


def _value(modulus: Modulus | None) -> int:
    if modulus is None:
        raise UsageError("this function needs a modulus")
    return modulus.value


def _reduced(m: int, *values: int) -> dict[str, Any]:
    """The error of operands that are not below the modulus, nothing for others."""
    return {} if max(values) < m else {"error": Errors.NOT_REDUCED}


# --- x · y mod m, or x · y + x2 · y2 + ...


def _modmul(case: Case, domain: Domain) -> dict[str, Any]:
    """The product, or the sum of the products of all pairs that the case has."""
    m = modulus_of(case, domain)
    numbers = ["", *(str(k) for k in itertools.takewhile(lambda k: f"x{k}" in case, itertools.count(2)))]
    pairs = [(case[f"x{k}"], case[f"y{k}"]) for k in numbers]
    return {"z": sum(x * y for x, y in pairs) % m} | _reduced(m, *itertools.chain(*pairs))


def _random_modmul(rng: Random, modulus: Modulus | None, curve: Curve | None) -> dict[str, Any]:
    m = _value(modulus)
    return {"x": draw(rng, m), "y": draw(rng, m)}


def _edges_modmul(modulus: Modulus | None, curve: Curve | None) -> dict[str, dict[str, Any]]:
    m = _value(modulus)
    half = (m + 1) // 2
    return {
        "0 · 0": {"x": 0, "y": 0},
        "0 · (m-1)": {"x": 0, "y": m - 1},
        "(m-1) · 0": {"x": m - 1, "y": 0},
        "1 · 1": {"x": 1, "y": 1},
        "1 · (m-1)": {"x": 1, "y": m - 1},
        "(m-1) · (m-1)": {"x": m - 1, "y": m - 1},
        "2 · 2^-1": {"x": 2, "y": half},
        "(m-2) · 2^-1": {"x": m - 2, "y": half},
        "2^(n-1) · 2^(n-1)": {"x": 1 << (m.bit_length() - 1), "y": 1 << (m.bit_length() - 1)},
    }


# --- x, from one representation to another


def _basext(case: Case, domain: Domain) -> dict[str, Any]:
    """The value itself; the modulus is what values are below, though a core may take some more, and negative ones."""
    m = modulus_of(case, domain)
    return {"z": case["x"]} | _reduced(m, abs(case["x"]))


def _random_basext(rng: Random, modulus: Modulus | None, curve: Curve | None) -> dict[str, Any]:
    return {"x": draw(rng, _value(modulus))}


def _edges_basext(modulus: Modulus | None, curve: Curve | None) -> dict[str, dict[str, Any]]:
    m = _value(modulus)
    return {"0": {"x": 0}, "1": {"x": 1}, "m/2": {"x": m // 2}, "m-1": {"x": m - 1}}


# --- 1 / a mod m


def _modinv(case: Case, domain: Domain) -> dict[str, Any]:
    m = modulus_of(case, domain)
    try:
        return {"z": pow(case["a"], -1, m)} | _reduced(m, case["a"])
    except ValueError:
        return {"error": Errors.NO_INVERSE}


def _random_modinv(rng: Random, modulus: Modulus | None, curve: Curve | None) -> dict[str, Any]:
    while True:
        case = {"a": draw(rng, _value(modulus))}
        if modulus is not None and "z" in _modinv(case, modulus):
            return case


def _edges_modinv(modulus: Modulus | None, curve: Curve | None) -> dict[str, dict[str, Any]]:
    m = _value(modulus)
    half = (m + 1) // 2
    return {"1": {"a": 1}, "2": {"a": 2}, "2^-1": {"a": half}, "m-1": {"a": m - 1}, "m-2": {"a": m - 2}}


# --- base ^ exponent mod m


def _modexp(case: Case, domain: Domain) -> dict[str, Any]:
    m = modulus_of(case, domain)
    return {"z": pow(case["base"], case["exponent"], m)} | _reduced(m, case["base"])


def _random_modexp(rng: Random, modulus: Modulus | None, curve: Curve | None) -> dict[str, Any]:
    m = _value(modulus)
    return {"base": draw(rng, m), "exponent": draw(rng, m)}


def _edges_modexp(modulus: Modulus | None, curve: Curve | None) -> dict[str, dict[str, Any]]:
    m = _value(modulus)
    return {
        "0^0": {"base": 0, "exponent": 0},
        "0^1": {"base": 0, "exponent": 1},
        "(m-1)^0": {"base": m - 1, "exponent": 0},
        "1^(m-1)": {"base": 1, "exponent": m - 1},
        "2^(m-1)": {"base": 2, "exponent": m - 1},
        "(m-1)^1": {"base": m - 1, "exponent": 1},
        "(m-1)^(m-1)": {"base": m - 1, "exponent": m - 1},
        "2^2^(n-1)": {"base": 2, "exponent": 1 << (m.bit_length() - 1)},
    }


# --- [k](x, y) on y² = x³ + a·x + b


def _weierstrass(curve: Domain) -> Curve:
    if not isinstance(curve, Curve):
        raise UsageError("point multiplication needs a curve")
    if curve.form != "weierstrass":
        raise UsageError(f"{curve.name} is a {curve.form} curve", "a Weierstrass curve, such as secp256k1")
    return curve


def _ecpm(case: Case, domain: Domain) -> dict[str, Any]:
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
    found = {"infinity": True} if result is None else {"rx": result[0], "ry": result[1]}
    return found if x is None else found | _reduced(p, x, y)


SMALL_FIELD = 1 << 10
"""Below it the points of a curve are counted one by one, so that a field is enough to draw a curve and a point."""


def _random_small(rng: Random, p: int) -> dict[str, Any]:
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


def _random_ecpm(rng: Random, modulus: Modulus | None, curve: Curve | None) -> dict[str, Any]:
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        return _random_small(rng, modulus.value)
    c = _weierstrass(curve)
    point = multiply_point(rng.randrange(1, c.order), (c.gx, c.gy), c.p, c.a)
    x, y = point or (None, None)
    return {"k": draw(rng, c.order), "x": x, "y": y}


def _edges_ecpm(modulus: Modulus | None, curve: Curve | None) -> dict[str, dict[str, Any]]:
    if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
        drawn = _random_small(Random(modulus.value), modulus.value)
        named = {f"[{k}] of a curve": {**drawn, "k": k} for k in (0, 1, 2, drawn["order"] - 1, drawn["order"])}
        return named | {"[1]∞": {**drawn, "k": 1, "x": None, "y": None}}
    c = _weierstrass(curve)
    base = {"x": c.gx, "y": c.gy}
    scalars = {"0": 0, "1": 1, "2": 2, "3": 3, "(N-1)/2": (c.order - 1) // 2, "N-2": c.order - 2, "N-1": c.order - 1}
    cases: dict[str, dict[str, Any]] = {f"[{name}]G": {"k": k, **base} for name, k in scalars.items()}
    cases["[N-1](-G)"] = {"k": c.order - 1, "x": c.gx, "y": c.p - c.gy}
    cases["[1]∞"] = {"k": 1, "x": None, "y": None}
    return cases


FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        Function("modmul", ("x", "y"), ("z",), _modmul, _random_modmul, _edges_modmul),
        Function("basext", ("x",), ("z",), _basext, _random_basext, _edges_basext),
        Function("modinv", ("a",), ("z",), _modinv, _random_modinv, _edges_modinv),
        Function("modexp", ("base", "exponent"), ("z",), _modexp, _random_modexp, _edges_modexp),
        Function("ecpm", ("k", "x", "y"), ("rx", "ry"), _ecpm, _random_ecpm, _edges_ecpm),
    )
}
"""Every function by the name that starts a core's name."""


def find_function(name: str) -> Function:
    """Look a function up; UsageError when it has no plain form here."""
    if name not in FUNCTIONS:
        raise UsageError(f"no plain function is called {name!r}", f"one of {', '.join(FUNCTIONS)}")
    return FUNCTIONS[name]

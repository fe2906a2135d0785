# SPDX-License-Identifier: Apache-2.0
"""ECDSA on y² = x³ + a·x + b, a group of prime order: keys, signatures for a hash as an integer, verification.

FIPS 186-5, section 6; SEC 1, version 2.0, section 4.1. Of a hash that is longer than the order, `e` has the
leftmost bits. The operands of a case are those of its operation; others are 0 and are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import isqrt
from random import Random

import gmpy2

from ..base.errors import UsageError
from ..catalog import Curve, Modulus, require_prime_order
from ..catalog.points import add_points, multiply_point, small_curve_points
from ..contract.operands import draw
from ..contract.roles import Errors
from .curves import TABLE, curve_of_form
from .function import Domain, Function, Operands, Operation, Results
from .signature import NOTHING, SIGN, VERIFY, Scheme

KEYGEN = 0
"""Number of the operation that makes a public key."""


def _prime_order(domain: Domain) -> Curve:
    curve = curve_of_form(domain, "weierstrass", "ECDSA")
    require_prime_order("ECDSA", curve)
    return curve


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """The public key, the signature, or whether a signature is valid; or the error of the operands."""
    c = SCHEME.completed(case, domain)
    return _verify(c) if c["op"] == VERIFY else _make(c)


def _make(c: Mapping[str, int]) -> Results:
    """Public key or signature."""
    p, order, nonce = c["modulus"], c["order"], c["d" if c["op"] == KEYGEN else "k"]
    if not 0 < c["d"] < order or not 0 < nonce < order:
        return {"error": Errors.NOT_REDUCED}
    point = multiply_point(nonce, (c["gx"], c["gy"]), p, c["a"])
    if point is None:
        raise ValueError(f"{order:#x} is not the order of the base point")
    if c["op"] == KEYGEN:
        return {**NOTHING, "first": point[0], "second": point[1]}
    r = point[0] % order
    s = pow(nonce, -1, order) * (c["e"] + r * c["d"]) % order
    return {**NOTHING, "first": r, "second": s} if r and s else {"error": Errors.ZERO}


def _verify(c: Mapping[str, int]) -> Results:
    p, a, order, r, s, x, y = (c[name] for name in ("modulus", "a", "order", "r", "s", "qx", "qy"))
    if max(x, y) >= p:
        return {"error": Errors.NOT_REDUCED}
    if (y * y - x**3 - a * x - c["b"]) % p:
        return {"error": Errors.NOT_ON_CURVE}
    if not (0 < r < order and 0 < s < order):
        return NOTHING
    inverse = pow(s, -1, order)
    base = multiply_point(c["e"] * inverse % order, (c["gx"], c["gy"]), p, a)
    point = add_points(base, multiply_point(r * inverse % order, (x, y), p, a), p, a)
    return {**NOTHING, "accepted": int(point is not None and point[0] % order == r)}


@lru_cache(maxsize=4096)
def has_order(p: int, a: int, b: int, order: int, x: int, y: int) -> bool:
    """Whether (x, y) generates a curve over a prime field that has this order, a prime of at least 3.

    A point of prime order proves it, as twice that order exceeds the most points that a curve can have (Hasse).
    """
    most = p + 1 + isqrt(4 * p)
    return (
        bool(gmpy2.is_prime(p) and gmpy2.is_prime(order))
        and order > 2
        and most < 2 * order
        and (4 * a**3 + 27 * b * b) % p != 0
        and (y * y - x**3 - a * x - b) % p == 0
        and multiply_point(order, (x, y), p, a) is None
    )


@lru_cache(maxsize=64)
def small_curves(p: int) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]:
    """Curves of prime order over a small field, as a, b and points: some of those whose order has no more bits than p,
    and that have a key, nonce and hash with a signature."""
    found: list[tuple[int, int, tuple[tuple[int, int], ...]]] = []
    rng = Random(p)
    pairs = [(a, b) for a in range(p) for b in range(p) if (4 * a**3 + 27 * b * b) % p]
    for a, b in rng.sample(pairs, min(len(pairs), 200)):
        points = small_curve_points(p, a, b)
        order = len(points) + 1
        fits = points and order.bit_length() <= p.bit_length() and has_order(p, a, b, order, *points[0])
        if fits and any(x % order for x, _ in points):
            found.append((a, b, tuple(points)))
    return tuple(found)


def draw_curve(rng: Random, p: int) -> dict[str, int]:
    """A curve of prime order over a small field, with a base point."""
    found = small_curves(p)
    if not found:
        raise UsageError(f"no curve of prime order over {p} elements", "a prime of at least 5")
    a, b, points = rng.choice(found)
    x, y = rng.choice(points)
    return {"modulus": p, "a": a, "b": b, "order": len(points) + 1, "gx": x, "gy": y}


def draw_case(rng: Random, constants: Mapping[str, int], op: int) -> dict[str, int]:
    """Operands of one operation without error; a signature to verify is wrong one time in four."""
    order = constants["order"]
    d, e = 1 + draw(rng, order - 1), draw(rng, 1 << order.bit_length())
    while True:
        case = {**_blank(op), "d": d, "e": e, "k": 1 + draw(rng, order - 1)}
        signed = evaluate({**constants, **case, "op": SIGN}, None)
        if "error" not in signed:
            break
        e = (e + 1) % (1 << order.bit_length())
    key = evaluate({**constants, **case, "op": KEYGEN}, None)
    public = {"qx": int(key["first"]), "qy": int(key["second"])}
    if op == KEYGEN:
        return {**_blank(op), "d": d}
    if op == SIGN:
        return case | public
    r, s = int(signed["first"]), int(signed["second"])
    if not rng.randrange(4):
        s = 1 + draw(rng, order - 1)
    return {**_blank(op), "e": e, **public, "r": r, "s": s}


def _blank(op: int) -> dict[str, int]:
    return {"op": op} | dict.fromkeys(("d", "e", "k", "qx", "qy", "r", "s"), 0)


SCHEME = Scheme(("a", "b"), _prime_order, evaluate, draw_curve, draw_case, has_order)


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Keys, nonces and hashes at both ends of the order, and signatures under the base point and its negative."""
    rng = Random(0 if modulus is None else modulus.value)
    constants, own = SCHEME.own_curve(rng, modulus, curve)
    p, order, x, y = (constants[name] for name in ("modulus", "order", "gx", "gy"))
    longest = (1 << order.bit_length()) - 1
    cases: dict[str, Operands] = {}
    for name, d in {"1": 1, "2": 2, "N-1": order - 1}.items():
        cases[f"key of {name}"] = {**own, **_blank(KEYGEN), "d": d}
    for name, (d, qy) in {"1": (1, y), "N-1": (order - 1, p - y)}.items():
        for hash_name, e in {"0": 0, "N": order, "2^N-1": longest}.items():
            case = {**_blank(SIGN), "d": d, "e": e, "k": order - d, "qx": x, "qy": qy}
            cases[f"key {name} signs {hash_name}"] = {**own, **case}
            signed = evaluate({**constants, **case}, None)
            if "error" not in signed:
                numbers = {"r": int(signed["first"]), "s": int(signed["second"])}
                verified = {**_blank(VERIFY), "e": e, "qx": x, "qy": qy, **numbers}
                cases[f"key {name} verifies {hash_name}"] = {**own, **verified}
                cases[f"key {name} verifies {hash_name} with -s"] = {**own, **verified, "s": order - numbers["s"]}
    return {name: case for name, case in cases.items() if "error" not in evaluate({**constants, **_plain(case)}, None)}


def _plain(case: Operands) -> dict[str, int]:
    return {name: value for name, value in case.items() if value is not None}


FUNCTION = Function(
    name="ecdsa",
    formula="op(d, e, k, (qx, qy), r, s) = (first, second, accepted)",
    operands=("op", "d", "e", "k", "qx", "qy", "r", "s"),
    results=("first", "second", "accepted"),
    evaluate=evaluate,
    random=SCHEME.random,
    edges=edges,
    register_code=9,
    scalars=frozenset({"op", "d", "e", "k", "r", "s"}),
    curve_form="weierstrass",
    prime_order=True,
    constants=SCHEME.constants,
    crossed=False,
    operations={
        "keygen": Operation(KEYGEN, ("d",), {"qx": "first", "qy": "second"}),
        "sign": Operation(SIGN, ("d", "e", "k"), {"r": "first", "s": "second"}, ("qx", "qy")),
        "verify": Operation(VERIFY, ("e", "qx", "qy", "r", "s"), {"valid": "accepted"}),
    },
    c_prototype="""
    int mw_ecdsa_key(struct mw_device *device, uint32_t *qx, uint32_t *qy, const uint32_t *d,
                     const struct mw_group *group);
    int mw_ecdsa_sign(struct mw_device *device, uint32_t *r, uint32_t *s, const uint32_t *d, const uint32_t *e,
                      const uint32_t *k, const uint32_t *qx, const uint32_t *qy, const struct mw_group *group);
    int mw_ecdsa_verify(struct mw_device *device, const uint32_t *e, const uint32_t *qx, const uint32_t *qy,
                        const uint32_t *r, const uint32_t *s, const struct mw_group *group);
    """,
    table=TABLE,
)

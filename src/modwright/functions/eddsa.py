# SPDX-License-Identifier: Apache-2.0
"""EdDSA on the twisted Edwards curve a·x² + y² = 1 + d·x²·y²: k·B + h·P, S of a signature, verification.

RFC 8032, section 5.1, with hashes and encodings outside. `key` is the secret scalar, `k` that of R = k·B, `h` the hash
of R, public key and message as a number. P is the public key; `ry` is y of R, and `rs` the lowest bit of its x. A
signature is valid where s·B - h·P is R, without the cofactor, and s is below the order; the results for an s that
does not fit R and P are not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random

import gmpy2

from ..base.errors import UsageError
from ..catalog import Curve, Modulus
from ..catalog.points import add_edwards, multiply_edwards
from ..contract.operands import draw
from ..contract.roles import Errors
from .curves import TABLE, curve_of_form
from .edmul import is_square
from .function import Domain, Function, Operands, Operation, Results
from .signature import NOTHING, SIGN, VERIFY, Scheme

COMBINE = 0
"""Number of the operation that makes a point."""
DRAWS = 1000
"""Points of small curves that are drawn, at most: one in twelve over 7 elements has an odd order above 1, and none over
5."""


def _edwards(domain: Domain) -> Curve:
    return curve_of_form(domain, "edwards", "EdDSA")


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """The point, S of the signature, or whether a signature is valid; or the error of the operands."""
    c = SCHEME.completed(case, domain)
    p, a, d, x, y = (c[name] for name in ("modulus", "a", "d", "px", "py"))
    if max(x, y) >= p:
        return {"error": Errors.NOT_REDUCED}
    if (a * x * x + y * y - 1 - d * x * x * y * y) % p:
        return {"error": Errors.NOT_ON_CURVE}
    if c["op"] == COMBINE:
        rx, ry = _combined(c, c["k"], (x, y))
        return {**NOTHING, "first": rx, "second": ry}
    s = (c["k"] + c["h"] * c["key"]) % c["order"] if c["op"] == SIGN else c["s"]
    rx, ry = _combined(c, s, (-x % p, y))
    valid = s < c["order"] and (ry, rx & 1) == (c["ry"], c["rs"])
    if c["op"] == VERIFY:
        return {**NOTHING, "accepted": int(valid)}
    return {**NOTHING, "first": s} if valid else {"error": Errors.UNVERIFIED}


def _combined(c: Mapping[str, int], scalar: int, point: tuple[int, int]) -> tuple[int, int]:
    """The point scalar·B + h·point."""
    p, a, d = c["modulus"], c["a"], c["d"]
    base = multiply_edwards(scalar, (c["gx"], c["gy"]), p, a, d)
    return add_edwards(base, multiply_edwards(c["h"], point, p, a, d), p, a, d)


@lru_cache(maxsize=4096)
def has_order(p: int, a: int, d: int, order: int, x: int, y: int) -> bool:
    """Whether a curve over a prime field is complete, and the point (x, y) on it has an order that divides this one."""
    return (
        bool(gmpy2.is_prime(p))
        and is_square(a, p)
        and d > 0
        and not is_square(d, p)
        and (a * x * x + y * y - 1 - d * x * x * y * y) % p == 0
        and multiply_edwards(order, (x, y), p, a, d) == (0, 1)
    )


def draw_curve(rng: Random, p: int) -> dict[str, int]:
    """A complete curve over a small field, with a base point of odd order."""
    squares = [value for value in range(1, p) if is_square(value, p)]
    for _ in range(DRAWS):
        a, d = rng.choice(squares), rng.choice([value for value in range(1, p) if value not in squares])
        points = [(x, y) for x in range(p) for y in range(p) if (a * x * x + y * y - 1 - d * x * x * y * y) % p == 0]
        x, y = rng.choice(points)
        order = next(k for k in range(1, 2 * p + 9) if multiply_edwards(k, (x, y), p, a, d) == (0, 1))
        if order > 1 and order % 2:
            return {"modulus": p, "a": a, "d": d, "order": order, "gx": x, "gy": y}
    raise UsageError(f"no complete curve over {p} elements has a point of odd order", "a prime of at least 7")


def draw_case(rng: Random, constants: Mapping[str, int], op: int) -> dict[str, int]:
    """Operands of one operation without error; a signature to verify is wrong one time in four."""
    p, a, d, order = (constants[name] for name in ("modulus", "a", "d", "order"))
    limit, base = 1 << p.bit_length(), (constants["gx"], constants["gy"])
    key, k, h = draw(rng, limit), draw(rng, limit), draw(rng, limit)
    x, y = multiply_edwards(key, base, p, a, d)
    rx, ry = multiply_edwards(k, base, p, a, d)
    public = {"h": h, "px": x, "py": y}
    if op == COMBINE:
        return _case(op, k=k, **public)
    commitment = {"ry": ry, "rs": rx & 1}
    if op == SIGN:
        return _case(op, key=key, k=k, **public, **commitment)
    s = (k + h * key) % order if rng.randrange(4) else draw(rng, order)
    return _case(op, s=s, **public, **commitment)


def _case(op: int, **operands: int) -> dict[str, int]:
    return {"op": op, **dict.fromkeys(("key", "k", "h", "px", "py", "s", "ry", "rs"), 0), **operands}


SCHEME = Scheme(("a", "d"), _edwards, evaluate, draw_curve, draw_case, has_order)


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Scalars at both ends, points of order 1 and 2, and s beyond the order."""
    constants, own = SCHEME.own_curve(Random(0 if modulus is None else modulus.value), modulus, curve)
    p, order, x, y = (constants[name] for name in ("modulus", "order", "gx", "gy"))
    scalars = {"0": 0, "1": 1, "N-1": order - 1, "2^n-1": (1 << p.bit_length()) - 1}
    points = {"B": (x, y), "-B": (-x % p, y), "neutral": (0, 1), "of order 2": (0, p - 1)}
    cases: dict[str, Operands] = {
        f"[{k}]B + [{h}]{name}": {**own, **_case(COMBINE, k=scalars[k], h=scalars[h], px=px, py=py)}
        for k, h in (("0", "0"), ("1", "1"), ("N-1", "1"), ("1", "2^n-1"), ("2^n-1", "0"))
        for name, (px, py) in points.items()
    }
    known = {"h": 1, "px": x, "py": y, "ry": 1, "rs": 0}
    cases["R = 0 signed"] = {**own, **_case(SIGN, key=1, k=0, **known)}
    cases["R = 0 verified"] = {**own, **_case(VERIFY, s=1, **known)}
    if (order + 1).bit_length() <= p.bit_length():
        cases["s + N"] = {**own, **_case(VERIFY, s=order + 1, **known)}
    return cases


FUNCTION = Function(
    name="eddsa",
    formula="op(key, k, h, (px, py), s, ry, rs) = (first, second, accepted)",
    operands=("op", "key", "k", "h", "px", "py", "s", "ry", "rs"),
    results=("first", "second", "accepted"),
    evaluate=evaluate,
    random=SCHEME.random,
    edges=edges,
    register_code=10,
    scalars=frozenset({"op", "key", "k", "h", "s", "ry", "rs"}),
    curve_form="edwards",
    constants=SCHEME.constants,
    crossed=False,
    operations={
        "combine": Operation(COMBINE, ("k", "h", "px", "py"), {"x": "first", "y": "second"}),
        "sign": Operation(SIGN, ("key", "k", "h", "px", "py", "ry", "rs"), {"s": "first"}),
        "verify": Operation(VERIFY, ("h", "px", "py", "s", "ry", "rs"), {"valid": "accepted"}),
    },
    c_prototype="""
    int mw_eddsa_combine(struct mw_device *device, uint32_t *x, uint32_t *y, const uint32_t *k, const uint32_t *h,
                         const uint32_t *px, const uint32_t *py, const struct mw_edwards_group *group);
    int mw_eddsa_sign(struct mw_device *device, uint32_t *s, const uint32_t *key, const uint32_t *k, const uint32_t *h,
                      const uint32_t *px, const uint32_t *py, const uint32_t *ry, uint32_t rx,
                      const struct mw_edwards_group *group);
    int mw_eddsa_verify(struct mw_device *device, const uint32_t *h, const uint32_t *px, const uint32_t *py,
                        const uint32_t *s, const uint32_t *ry, uint32_t rx, const struct mw_edwards_group *group);
    """,
    table=TABLE,
)

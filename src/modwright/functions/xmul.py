# SPDX-License-Identifier: Apache-2.0
"""Multiplication of x-coordinates on y² = x³ + A·x² + x and its twist: X25519 and X448 of RFC 7748 over their curves.

With N bits of the modulus, as RFC 7748, section 5, decodes its operands:

    u    its N lowest bits, modulo the modulus
    k    where `clamp` is c > 0, its N lowest bits, the c lowest of them 0 and the highest 1; with c = 0 unchanged

`a24` is (A + 2) / 4. The result 0, of a point of small order, is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ..catalog import Curve, Modulus
from ..catalog.points import multiply_x
from ..contract.operands import draw
from ..contract.roles import Errors
from .curves import TABLE, curve_of_form
from .function import Domain, Function, Operands, Results, modulus_of

CLAMPS = (0, 2, 3)
"""Numbers of lowest bits that are cleared: 0 for a scalar without clamping, 2 and 3 for cofactors 4 and 8."""


def a24_of(curve: Curve) -> int:
    """Constant (A + 2) / 4 of a Montgomery curve."""
    return (curve.a + 2) * pow(4, -1, curve.p) % curve.p


def clamp_of(curve: Curve) -> int:
    """Bits of the cofactor, a power of two: scalars are multiples of it."""
    return curve.cofactor.bit_length() - 1


def decoded_scalar(k: int, clamp: int, bits: int) -> int:
    """The scalar after clamping."""
    if clamp == 0:
        return k
    return k % (1 << bits) >> clamp << clamp | 1 << (bits - 1)


def _montgomery(domain: Domain) -> Curve:
    return curve_of_form(domain, "montgomery", "multiplication of x-coordinates")


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """The x-coordinate of the multiple, or the error that it is 0."""
    if "a24" in case:
        p, a24, clamp = modulus_of(case, domain), case["a24"], case["clamp"]
    else:
        curve = _montgomery(domain)
        p, a24, clamp = modulus_of(case, curve), a24_of(curve), clamp_of(curve)
    bits = p.bit_length()
    z = multiply_x(decoded_scalar(case["k"], clamp, bits), case["u"] % (1 << bits), p, a24)
    return {"z": z} if z else {"error": Errors.ZERO}


def _own_curve(rng: Random, modulus: Modulus | None, curve: Curve | None) -> tuple[int, Operands]:
    """The prime, and the constants of its curve that a case has to carry: none for a given curve; any curve over a
    given field."""
    if curve is None and modulus is not None and modulus.prime:
        return modulus.value, {"a24": rng.randrange(2, modulus.value), "clamp": rng.choice(CLAMPS)}
    return _montgomery(curve).p, {}


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Any scalar and any u of as many bits as the prime; over a field without a curve, any curve over it."""
    p, own = _own_curve(rng, modulus, curve)
    limit = 1 << p.bit_length()
    return {**own, "k": draw(rng, limit), "u": draw(rng, limit)}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Scalars at both ends; the base point, numbers next to the prime, 2^N - 1, and points of order 1, 2 and 4."""
    p, own = _own_curve(Random(0 if modulus is None else modulus.value), modulus, curve)
    limit = 1 << p.bit_length()
    base = 9 % p if curve is None else curve.gx
    scalars = {"0": 0, "1": 1, "2^N - 1": limit - 1}
    points = {"base": base, "0": 0, "1": 1, "p - 1": p - 1, "p": p, "p + 1": p + 1, "2^N - 1": limit - 1}
    return {f"[{s}]({name})": {**own, "k": k, "u": u} for s, k in scalars.items() for name, u in points.items()}


FUNCTION = Function(
    name="xmul",
    formula="[k]u = z",
    operands=("k", "u"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=7,
    scalars=frozenset({"k", "u"}),
    curve_form="montgomery",
    constants={"a24": a24_of, "clamp": clamp_of},
    c_prototype="int mw_xmul(struct mw_device *device, uint32_t *z, const uint32_t *k, const uint32_t *u, "
    "const struct mw_montgomery *curve);",
    table=TABLE,
)

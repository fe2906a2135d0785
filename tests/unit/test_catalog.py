# SPDX-License-Identifier: Apache-2.0
"""The catalog's constants, checked by what they must satisfy: a wrong digit in any of them fails a test."""

import re
from itertools import count

import gmpy2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from modwright.base.errors import UsageError
from modwright.catalog import Curve, curves, moduli, resolve_curve, resolve_modulus
from modwright.catalog.expression import evaluate

SECP = ["160k1", "160r1", "160r2", "192k1", "192r1", "224k1", "224r1", "256k1", "256r1", "384r1", "521r1"]
BRAINPOOL = [f"P{bits}{kind}1" for bits in (160, 192, 224, 256, 320, 384, 512) for kind in "rt"]
OTHERS = ["sm2", "curve25519", "ed25519", "curve448", "ed448", "bls12-381", "bn254"]
NAMES = [f"secp{n}" for n in SECP] + [f"brainpool{n}" for n in BRAINPOOL] + OTHERS

SOURCE = re.compile(
    r"SEC 2 v[12]\.0, section 2\.\d\.\d|FIPS 186-4, D\.1\.2\.\d|RFC \d{4}, section \d\.\d|EIP-196 \(.*\), .*"
    r"|FIPS 203, section 2\.4|FIPS 204, section 4, table 1|Polygon Zero, Plonky2: .*, 2022"
    r"|GB/T 32918\.5-2017, section 4|GM/T 0003\.5-2012, section 2|draft-irtf-cfrg-[a-z-]+-\d\d, section [\d.]+"
)

every_curve = pytest.mark.parametrize("curve", curves(), ids=lambda c: c.name)


def inverse(x, p):
    return pow(x, -1, p)


def add(curve: Curve, first, second):
    """Group law in affine coordinates; None is the neutral element of a Weierstrass or Montgomery curve."""
    if curve.form == "edwards":
        return add_edwards(curve, first, second)
    if first is None or second is None:
        return first or second
    p, (x1, y1), (x2, y2) = curve.p, first, second
    square, scale = (0, 1) if curve.form == "weierstrass" else (curve.a, curve.b)
    linear = curve.a if curve.form == "weierstrass" else 1
    if x1 == x2 and (y1 + y2) % p == 0:
        return None
    if first == second:
        slope = (3 * x1 * x1 + 2 * square * x1 + linear) * inverse(2 * scale * y1, p) % p
    else:
        slope = (y2 - y1) * inverse(x2 - x1, p) % p
    x3 = (scale * slope * slope - square - x1 - x2) % p
    return x3, (slope * (x1 - x3) - y1) % p


def add_edwards(curve: Curve, first, second):
    p, (x1, y1), (x2, y2) = curve.p, first, second
    t = curve.b * x1 * x2 * y1 * y2
    x3 = (x1 * y2 + y1 * x2) * inverse(1 + t, p)
    y3 = (y1 * y2 - curve.a * x1 * x2) * inverse(1 - t, p)
    return x3 % p, y3 % p


def multiply(curve: Curve, k: int, point):
    """k·point, from the most significant bit."""
    result = neutral(curve)
    for bit in f"{k:b}":
        result = add(curve, result, result)
        if bit == "1":
            result = add(curve, result, point)
    return result


def neutral(curve: Curve):
    return (0, 1) if curve.form == "edwards" else None


def base(curve: Curve):
    return curve.gx, curve.gy


def test_the_catalog_is_complete():
    assert sorted(c.name for c in curves()) == sorted(NAMES)
    for bits in (192, 224, 256, 384, 521):
        assert resolve_curve(f"P-{bits}") is resolve_curve(f"secp{bits}r1")
        assert resolve_modulus(f"P-{bits}").value.bit_length() == bits


@every_curve
def test_field_and_order_are_prime(curve):
    assert gmpy2.is_prime(curve.p)
    assert gmpy2.is_prime(curve.order)


@every_curve
def test_the_curve_is_not_singular(curve):
    a, b, p = curve.a, curve.b, curve.p
    discriminant = {
        "weierstrass": 4 * a**3 + 27 * b * b,
        "montgomery": b * (a * a - 4),
        "edwards": a * b * (a - b),
    }[curve.form]
    assert discriminant % p


@every_curve
def test_the_base_point_has_the_order(curve):
    assert curve.contains(*base(curve))
    assert multiply(curve, curve.order, base(curve)) == neutral(curve)
    before = multiply(curve, curve.order - 1, base(curve))
    assert add(curve, before, base(curve)) == neutral(curve)
    assert before != neutral(curve)


@every_curve
def test_the_group_order_is_the_only_multiple_in_hasse_s_interval(curve):
    """|#E - (p + 1)| ≤ 2√p, and an order above 4√p has one multiple there: the cofactor is right."""
    assert (curve.cofactor * curve.order - curve.p - 1) ** 2 <= 4 * curve.p
    assert curve.order**2 > 16 * curve.p


@every_curve
def test_contains_refuses_other_points(curve):
    x, y = base(curve)
    assert not curve.contains(x, (y + 1) % curve.p)
    assert not curve.contains(x + curve.p, y)
    assert not curve.contains(x, y - curve.p)


@every_curve
def test_field_of_a_curve(curve):
    assert curve.field is resolve_modulus(curve.name)
    assert curve.field.value == curve.p


def test_field_of_a_curve_outside_the_catalog():
    curve = Curve("tiny", "weierstrass", 23, 1, 1, 0, 1, 7, 4, "Hankerson, Menezes, Vanstone 2004, example 3.5")
    assert (curve.field.value, curve.field.prime, curve.field.anonymous) == (23, True, True)


@pytest.mark.parametrize("name", ["ed25519", "ed448"])
def test_edwards_addition_is_complete(name):
    """The addition has no exception when a is a square and d is none (Bernstein and others 2008)."""
    curve = resolve_curve(name)
    assert gmpy2.legendre(curve.a, curve.p) == 1
    assert gmpy2.legendre(curve.b, curve.p) == -1


def test_every_source_is_a_document_and_section():
    for entry in (*curves(), *moduli()):
        for source in entry.source.split("; "):
            assert SOURCE.fullmatch(source), entry


def test_every_modulus_is_an_odd_prime_listed_once():
    assert len({m.value for m in moduli()}) == len(moduli())
    for modulus in moduli():
        assert modulus.prime and modulus.value % 2
        assert not modulus.anonymous
        assert gmpy2.is_prime(modulus.value)


def test_no_two_entries_share_a_name():
    for entries in (moduli(), curves()):
        names = [n.casefold().replace("-", "").replace("_", "") for e in entries for n in (e.name, *e.aliases)]
        assert len(set(names)) == len(names)


def test_every_curve_has_its_order_in_the_catalog():
    for curve in curves():
        for name in (curve.name, *curve.aliases):
            assert resolve_modulus(f"{name}-order").value == curve.order
    assert resolve_modulus("bls12-381-r").value == resolve_curve("bls12-381").order
    assert resolve_modulus("bn254-r").value == resolve_curve("bn254").order


CRYPTOGRAPHY = ["SECP192R1", "SECP224R1", "SECP256R1", "SECP256K1", "SECP384R1", "SECP521R1"] + [
    f"BrainpoolP{bits}R1" for bits in (256, 384, 512)
]


@pytest.mark.parametrize("name", CRYPTOGRAPHY)
def test_base_points_agree_with_cryptography(name):
    """Every curve that `cryptography` has: 9 of 9. The public key of 1 is the base point, of order - 1 its opposite."""
    theirs, ours = getattr(ec, name)(), resolve_curve(name)
    one = ec.derive_private_key(1, theirs).public_key().public_numbers()
    last = ec.derive_private_key(ours.order - 1, theirs).public_key().public_numbers()
    assert (one.x, one.y) == base(ours)
    assert (last.x, last.y) == (ours.gx, ours.p - ours.gy)


@pytest.mark.parametrize("bits", [160, 192, 224, 256, 320, 384, 512])
def test_brainpool_twists_are_isomorphic(bits):
    """RFC 5639, section 2.1: (x, y) -> (x·Z², y·Z³) maps the r1 curve to t1, whose a is -3."""
    r, t = resolve_curve(f"brainpoolP{bits}r1"), resolve_curve(f"brainpoolP{bits}t1")
    p = r.p
    z2 = t.gx * inverse(r.gx, p) % p
    z3 = t.gy * inverse(r.gy, p) % p
    assert (t.p, t.order, t.a) == (p, r.order, p - 3)
    assert pow(z2, 3, p) == z3 * z3 % p
    assert t.a == r.a * z2**2 % p
    assert t.b == r.b * z2**3 % p


def test_curve25519_and_ed25519_are_birationally_equivalent():
    """RFC 7748, section 4.1: (u, v) = ((1 + y)/(1 - y), √(-486664)·u/x); v up to its sign."""
    m, e = resolve_curve("curve25519"), resolve_curve("ed25519")
    p = m.p
    assert (1 + e.gy) * inverse(1 - e.gy, p) % p == m.gx
    assert m.gy**2 * e.gx**2 % p == -486664 * m.gx**2 % p
    assert e.b == -121665 * inverse(121666, p) % p
    assert e.gx % 2 == 0  # RFC 8032, section 5.1: the sign bit of the base point is 0


def test_curve448_and_ed448_are_4_isogenous():
    """RFC 7748, section 4.2: (u, v) = (y²/x², (2 - x² - y²)·y/x³) maps base point to base point."""
    m, e = resolve_curve("curve448"), resolve_curve("ed448")
    p, x, y = m.p, e.gx, e.gy
    assert y * y * inverse(x * x, p) % p == m.gx
    assert (2 - x * x - y * y) * y * inverse(x**3, p) % p == m.gy


def test_bls12_381_follows_from_its_parameter():
    """Barreto, Lynn and Scott's polynomials at z = -0xd201000000010000, and the derivation of the base point."""
    curve, z = resolve_curve("bls12-381"), -0xD201000000010000
    assert curve.order == z**4 - z**2 + 1
    assert curve.p == (z - 1) ** 2 * curve.order // 3 + z
    assert curve.cofactor == (z - 1) ** 2 // 3
    images = (multiply(curve, curve.cofactor, point) for point in least_points(curve))
    assert next(point for point in images if point is not None) == base(curve)


def least_points(curve: Curve):
    """Affine points by rising x, each with the lesser of its two y; p ≡ 3 (mod 4)."""
    for x in count():
        y = pow(x**3 + curve.b, (curve.p + 1) // 4, curve.p)
        if curve.contains(x, y):
            yield x, min(y, curve.p - y)


def test_bn254_follows_from_its_parameter():
    """Barreto and Naehrig's polynomials at t = 4965661367192848881."""
    curve, t = resolve_curve("bn254"), 4965661367192848881
    assert curve.p == 36 * t**4 + 36 * t**3 + 24 * t**2 + 6 * t + 1
    assert curve.order == curve.p - 6 * t**2


@pytest.mark.parametrize("text", ["0x" + "f" * 20000, "9" * 9865, "2^40000"])
def test_numbers_beyond_the_bound(text):
    with pytest.raises(UsageError, match="exceeds 32768 bits"):
        evaluate(text)

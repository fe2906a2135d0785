# SPDX-License-Identifier: Apache-2.0
"""The plain functions, against other ways to compute them."""

import itertools
import random
from math import gcd

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import UsageError
from modwright.catalog import Curve, Modulus, resolve_curve, resolve_modulus
from modwright.catalog.points import multiply_point
from modwright.contract.operands import draw
from modwright.contract.roles import Errors
from modwright.functions import all_functions, find_function

SMALL = Curve("tiny", "weierstrass", 17, 2, 2, 5, 1, 19, 1, "Paar and Pelzl, Understanding Cryptography, 9.1")
P15 = Modulus("15", 15, False, "test", anonymous=True)
P61 = Modulus("61", 61, True, "test", anonymous=True)


def evaluate(name, domain, **case):
    return all_functions()[name].evaluate(case, domain)


def test_modmul_modulo_15_by_repeated_addition():
    """225 cases of 225 possible."""
    for x, y in itertools.product(range(15), repeat=2):
        total = 0
        for _ in range(y):
            total = (total + x) % 15
        assert evaluate("modmul", P15, x=x, y=y) == {"z": total}


def test_modinv_modulo_15_by_search():
    """15 cases of 15 possible."""
    for a in range(15):
        inverses = [z for z in range(15) if a * z % 15 == 1]
        expected = {"z": inverses[0]} if gcd(a, 15) == 1 else {"error": "no inverse"}
        assert evaluate("modinv", P15, a=a) == expected


def test_modexp_modulo_15_by_repeated_multiplication():
    """240 cases: all bases, exponents below 16."""
    for base, exponent in itertools.product(range(15), range(16)):
        total = 1
        for _ in range(exponent):
            total = total * base % 15
        assert evaluate("modexp", P15, base=base, exponent=exponent) == {"z": total}


def test_operands_that_are_not_reduced():
    assert evaluate("modmul", P61, x=61, y=1) == {"z": 0, "error": "not reduced"}
    assert evaluate("modinv", P61, a=62) == {"z": 1, "error": "not reduced"}
    assert evaluate("modexp", P61, base=63, exponent=2) == {"z": 4, "error": "not reduced"}
    assert evaluate("ecpm", SMALL, k=1, x=22, y=1) == {"rx": 5, "ry": 1, "error": "not reduced"}


def test_a_case_may_carry_its_own_modulus():
    assert evaluate("modmul", P61, x=5, y=5, modulus=7) == {"z": 4}
    assert evaluate("ecpm", resolve_curve("P-256"), k=2, x=5, y=1, modulus=17, a=2, b=2) == {"rx": 6, "ry": 3}


def test_multiples_on_a_tiny_curve():
    """The 19 multiples of the base point, as the book lists them; 40 scalars, twice around the group."""
    listed = [(5, 1), (6, 3), (10, 6), (3, 1), (9, 16), (16, 13), (0, 6), (13, 7), (7, 6)]
    listed += [(x, -y % 17) for x, y in reversed(listed)]
    for k in range(40):
        expected = {"infinity": True} if k % 19 == 0 else dict(zip(("rx", "ry"), listed[k % 19 - 1], strict=True))
        assert evaluate("ecpm", SMALL, k=k, x=5, y=1) == expected
        assert evaluate("ecpm", SMALL, k=k, x=None, y=None) == {"infinity": True}


@pytest.mark.parametrize(("name", "kind"), [("P-256", ec.SECP256R1), ("secp256k1", ec.SECP256K1)])
def test_multiples_against_openssl(name, kind):
    """6 random scalars a curve."""
    curve, rng = resolve_curve(name), random.Random(1)
    for _ in range(6):
        k = rng.randrange(1, curve.order)
        numbers = ec.derive_private_key(k, kind()).public_key().public_numbers()
        assert multiply_point(k, (curve.gx, curve.gy), curve.p, curve.a) == (numbers.x, numbers.y)


def test_point_off_the_curve():
    assert evaluate("ecpm", SMALL, k=1, x=5, y=2) == {"error": "not on the curve"}


def test_only_weierstrass_curves_and_known_functions():
    with pytest.raises(UsageError, match="edwards"):
        evaluate("ecpm", resolve_curve("ed25519"), k=1, x=0, y=1)
    with pytest.raises(UsageError, match="needs a curve"):
        evaluate("ecpm", P61, k=1, x=0, y=1)
    with pytest.raises(UsageError, match="no plain function is called 'sqrt'"):
        find_function("sqrt")


@given(st.integers(3, 2**80), st.randoms())
def test_drawn_values_are_below_the_modulus(modulus, rng):
    assert 0 <= draw(rng, modulus) < modulus


def test_ends_of_the_range_are_drawn_often():
    """2000 draws below 2^64: a uniform choice would meet none of these."""
    rng = random.Random(2)
    seen = {draw(rng, 2**64) for _ in range(2000)}
    assert {0, 1, 2, 3, 2**64 - 1, 2**64 - 2, 2**64 - 3, 2**64 - 4} <= seen


@pytest.mark.parametrize("name", all_functions())
@pytest.mark.parametrize("field", ["61", "2^255-19", "secp256k1"])
def test_random_and_edge_cases_have_no_error(name, field):
    """No error but the result 0 of points of small order, which a function may have among its edges."""
    function = find_function(name)
    modulus, curve, rng = resolve_modulus(field), None, random.Random(3)
    if function.over_curve:
        named = {"weierstrass": "secp256k1", "montgomery": "curve25519", "edwards": "ed25519"}[function.curve_form]
        curve = SMALL if function.curve_form == SMALL.form and field != "secp256k1" else resolve_curve(named)
        modulus = curve.field
    cases = list(function.edges(modulus, curve).values())
    cases += [function.random(rng, modulus, curve) for _ in range(5)]
    for case in cases:
        result = function.evaluate(case, curve or modulus)
        assert set(case) == set(function.operands)
        assert set(result) in ({"infinity"}, set(function.results)) or result == {"error": Errors.ZERO}


@given(st.integers(1, 2**64), st.integers(0, 2**200))
def test_inverse_and_power_agree(a, exponent):
    """a^-1 by the extended Euclidean algorithm and by Fermat, modulo 2^89 - 1."""
    modulus = resolve_modulus("2^89-1")
    inverse = evaluate("modinv", modulus, a=a)["z"]
    assert inverse == evaluate("modexp", modulus, base=a, exponent=modulus.value - 2)["z"]
    assert evaluate("modmul", modulus, x=a, y=inverse) == {"z": 1}

# SPDX-License-Identifier: Apache-2.0
"""Names, numbers and expressions."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import UsageError
from modwright.catalog import curves, moduli, resolve_curve, resolve_modulus
from modwright.catalog.expression import MAXIMUM_BITS, evaluate, normalise

P25519 = 2**255 - 19
P448 = 2**448 - 2**224 - 1
MERSENNE_127 = 2**127 - 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("secp256k1", 2**256 - 2**32 - 977),
        ("P-256", 2**256 - 2**224 + 2**192 + 2**96 - 1),
        ("p256", 2**256 - 2**224 + 2**192 + 2**96 - 1),
        ("Prime256v1", 2**256 - 2**224 + 2**192 + 2**96 - 1),
        ("SECP521R1", 2**521 - 1),
        ("25519", P25519),
        ("Curve25519", P25519),
        ("ed25519", P25519),
        ("X25519", P25519),
        ("ed448", P448),
        ("ed448-Goldilocks", P448),
        ("BLS12_381", resolve_curve("bls12-381").p),
        ("bls12381", resolve_curve("bls12-381").p),
        ("bls12-381-r", resolve_curve("bls12-381").order),
        ("bls12-381-order", resolve_curve("bls12-381").order),
        ("alt_bn128", resolve_curve("bn254").p),
        ("bn254-r", resolve_curve("bn254").order),
        ("P-256-order", resolve_curve("secp256r1").order),
        ("ed25519-order", 2**252 + 27742317777372353535851937790883648493),
        ("25519-order", 2**252 + 27742317777372353535851937790883648493),
        (" sm2 ", 2**256 - 2**224 - 2**96 + 2**64 - 1),
    ],
)
def test_names(text, value):
    modulus = resolve_modulus(text)
    assert (modulus.value, modulus.prime, modulus.anonymous) == (value, True, False)


def test_every_name_and_spelling_resolves():
    for modulus in moduli():
        for name in (modulus.name, *modulus.aliases):
            assert resolve_modulus(name) is modulus
            assert resolve_modulus(name.upper()) is modulus
    for curve in curves():
        for name in (curve.name, *curve.aliases):
            assert resolve_curve(name) is curve
            assert resolve_curve(name.swapcase()) is curve


@pytest.mark.parametrize(
    ("text", "value", "name"),
    [
        ("65537", 65537, "65537"),
        ("65_537", 65537, "65537"),
        ("0x1_0001", 65537, "0x10001"),
        ("0XFfF1", 65521, "0xfff1"),
        ("2^127-1", MERSENNE_127, "2^127-1"),
        ("2**127 - 1", MERSENNE_127, "2^127-1"),
        (" 2 ^ 127\t- 1 ", MERSENNE_127, "2^127-1"),
        ("(2^4-1)*(2^4+1)", 255, "(2^4-1)*(2^4+1)"),
        ("2^2^3-1", 255, "2^2^3-1"),
        ("-2^2+9", 5, "-2^2+9"),
        ("--7", 7, "--7"),
        ("(-1)^99999+4", 3, "(-1)^99999+4"),
        ("0x10*0x10+1", 257, "0x10*0x10+1"),
        ("25519-0", 25519, "25519-0"),
        ("0x63af", 25519, "0x63af"),
    ],
)
def test_numbers_and_expressions(text, value, name):
    modulus = resolve_modulus(text)
    assert (modulus.value, modulus.name, modulus.anonymous) == (value, name, True)
    assert resolve_modulus(modulus.name) == modulus


def test_a_catalog_name_wins_over_a_number():
    assert resolve_modulus("25519").value == P25519
    assert resolve_modulus("25_519").value == P25519


def test_moduli_are_equal_when_their_values_are():
    assert resolve_modulus("2^16+1") == resolve_modulus("65537") == resolve_modulus("0x10001")
    assert resolve_modulus("2^16+1") != resolve_modulus("2^16+3")


@pytest.mark.parametrize(
    ("text", "prime"),
    [("3", True), ("9", False), ("2^127-1", True), ("2^67-1", False), ("2^89-1", True), ("3215031751", False)],
)
def test_primality_of_anonymous_numbers(text, prime):
    """2^67 - 1 has no small factor; 3215031751 is a strong pseudoprime to the bases 2, 3, 5 and 7."""
    assert resolve_modulus(text).prime is prime


def test_the_largest_modulus_in_decimal_hexadecimal_and_as_an_expression():
    top = 2**MAXIMUM_BITS - 3
    sys_limit = sys.get_int_max_str_digits()
    assert len(hex(top)) - 2 == MAXIMUM_BITS // 4 and sys_limit < 4933
    assert resolve_modulus(hex(top)).value == top
    assert resolve_modulus(f"2^{MAXIMUM_BITS}-3").value == top
    assert resolve_modulus(decimal(top)).value == top
    assert resolve_modulus(f"3 + {decimal(top - 5)} + 2").value == top


def decimal(value: int) -> str:
    """Decimal digits of a value that str() refuses, by hand."""
    high, low = divmod(value, 10**4000)
    return f"{high}{low:04000d}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("65536", "65536 is even"),
        ("2^255", r"2\^255 is even"),
        ("1", "1 is below 3"),
        ("2", "2 is below 3"),
        ("0", "0 is below 3"),
        ("-17", "-17 is below 3"),
        ("2^4-2^5", "is below 3"),
        ("25-519", "25-519 is below 3"),
        ("0^9^4", "is below 3"),
        (f"2^{MAXIMUM_BITS}+1", f"has {MAXIMUM_BITS + 1} bits; at most {MAXIMUM_BITS}"),
        ("0x1" + "0" * 4095 + "1", f"has {MAXIMUM_BITS + 1} bits; at most {MAXIMUM_BITS}"),
        ("9" * 9000, "has 29898 bits; at most 16384"),
        ("9" * 9866, "exceeds 32768 bits"),
        ("9" * 1_000_000, "exceeds 32768 bits"),
        ("2^99999999999", "exceeds 32768 bits"),
        ("3^30000", "exceeds 32768 bits"),
        ("9^9^9^9", "exceeds 32768 bits"),
        ("(2^30000)*(2^30000)", "exceeds 32768 bits"),
        ("2^-1", "a negative exponent"),
        ("2^255-", "malformed expression"),
        ("2^(255-19", "malformed expression"),
        ("2^255-19)", "malformed expression"),
        ("2 55", "malformed expression"),
        ("2^255-k", "not a digit, an operator or a parenthesis"),
        ("17%5", "not a digit, an operator or a parenthesis"),
        ("17/5", "cannot read 17/5"),
        ("1e5", "not an expression of integers"),
        ("0x", "malformed expression"),
        ("0xfg", "not a digit, an operator or a parenthesis"),
        ("1.5", "not a digit, an operator or a parenthesis"),
        ("3(5)", "not an expression of integers"),
        ("3 - (abc)", "not an expression of integers"),
        ("-" * 101 + "5", "more than 100 operators"),
        ("(" * 101 + "5" + ")" * 101, "more than 100 operators"),
        ("7" + "+0" * 100_000, "more than 100 operators"),
        ("5+" + "9" * 5000, "has 16610 bits; at most 16384"),
        ("", "no modulus is called ''"),
        ("x" * 5000, "no modulus is called"),
        ("a\0b", "no modulus is called"),
        ("__import__('os')", "no modulus is called"),
    ],
    ids=lambda text: text[:24].replace("\0", "0"),
)
def test_errors(text, message):
    with pytest.raises(UsageError, match=message) as caught:
        resolve_modulus(text)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("secp256k2", "secp256k1"),
        ("p-257", "P-256"),
        ("curve25518", "curve25519"),
        ("brainpoolP256", "brainpoolP256r1"),
        ("bls12-377", "bls12-381"),
        ("secp256k1-ordr", "secp256k1-order"),
    ],
)
def test_an_unknown_name_gets_the_nearest_ones(text, near):
    with pytest.raises(UsageError, match="no modulus is called") as caught:
        resolve_modulus(text)
    assert near in caught.value.hint
    if "order" not in near:
        with pytest.raises(UsageError, match="no curve is called") as caught:
            resolve_curve(text)
        assert near in caught.value.hint


def test_a_number_is_no_curve():
    with pytest.raises(UsageError, match="no curve is called '2\\^255-19'"):
        resolve_curve("2^255-19")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("561", "its smallest factor is 3$"),
        ("2^67+1", "its smallest factor is 3$"),
        ("65521*65537", "its smallest factor is 65521$"),
        ("65537*65539", "it has no factor below 65536$"),
        ("2^67-1", "it has no factor below 65536$"),
    ],
)
def test_a_composite_is_refused_where_a_prime_is_needed(text, reason):
    assert not resolve_modulus(text).prime
    with pytest.raises(UsageError, match=f"is composite, and a prime is needed here: {reason}"):
        resolve_modulus(text, prime_needed=True)


def test_a_prime_is_taken_where_a_prime_is_needed():
    assert resolve_modulus("2^127-1", prime_needed=True).value == MERSENNE_127
    assert resolve_modulus("secp256k1", prime_needed=True) is resolve_modulus("secp256k1")


SPACE = st.sampled_from(["", " ", "  ", "\t"])
INTEGERS = st.integers(min_value=0, max_value=2**64)
LITERALS = st.one_of(
    INTEGERS.map(lambda n: (str(n), n)),
    INTEGERS.map(lambda n: (hex(n), n)),
    INTEGERS.map(lambda n: (f"{n:_}", n)),
    INTEGERS.map(lambda n: (f"0x{n:_X}", n)),
)


@st.composite
def operations(draw, operands):
    """An operation on two parenthesised operands, as text and value."""
    (left, x), (right, y) = draw(operands), draw(operands)
    operator = draw(st.sampled_from("+-*^"))
    if operator == "^":
        right, y = draw(st.integers(0, 5).map(lambda n: (str(n), n)))
        operator = draw(st.sampled_from(["^", "**"]))
    value = {"+": x + y, "-": x - y, "*": x * y}.get(operator)
    if value is None:
        value = x**y
    a, b = draw(SPACE), draw(SPACE)
    return f"({left}){a}{operator}{b}({right})", value


EXPRESSIONS = st.recursive(LITERALS, operations, max_leaves=6)


@given(EXPRESSIONS)
def test_expressions_have_the_value_they_were_built_with(expression):
    text, value = expression
    assert evaluate(text) == value
    assert evaluate(normalise(text)) == value
    if value >= 3 and value % 2:
        modulus = resolve_modulus(text)
        assert modulus.value == resolve_modulus(hex(value)).value == value


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 3), st.integers(0, 3), st.integers(0, 50))
def test_precedence(a, b, c, d, e):
    assert evaluate(f"{a} - {b}^{c}^{d} * {e} + {a}") == a - ((b ** (c**d)) * e) + a
    assert evaluate(f"-{b}^{c}") == -(b**c)


@given(st.one_of(st.text("0123456789abxX_+-*^()% \n"), st.text()))
def test_no_text_gives_anything_but_a_modulus_or_a_usage_error(text):
    try:
        modulus = resolve_modulus(text)
    except UsageError:
        return
    assert modulus.value % 2 and modulus.value >= 3
    assert resolve_modulus(modulus.name) == modulus


# --- names of orders, and names that mean several things


@pytest.mark.parametrize("curve", curves(), ids=lambda c: c.name)
def test_orders_and_fields_under_the_names_that_people_try(curve):
    for name in (curve.name, *curve.aliases):
        for spelling in ("{}-order", "{}.n", "{}.order", "{} order", "{}.q", "{}.fr", "{}-scalar"):
            assert resolve_modulus(spelling.format(name)).value == curve.order
        for spelling in ("{}.p", "{}.field", "{}.fp"):
            assert resolve_modulus(spelling.format(name)).value == curve.p


@pytest.mark.parametrize("text", ["P-384.n", "p384n", "P384-N", "p384_order", "nistp384n", "secp384r1 order"])
def test_the_order_of_p384(text):
    assert resolve_modulus(text) == resolve_modulus("P-384-order")


@pytest.mark.parametrize("resolve", [resolve_modulus, resolve_curve])
@pytest.mark.parametrize("text", ["goldilocks", "Goldilocks", "GOLDI_LOCKS"])
def test_a_name_with_two_meanings_is_refused_with_both(resolve, text):
    with pytest.raises(UsageError, match=r"has 2 meanings: ed448 \(448 bits\) or goldilocks64 \(64 bits\)"):
        resolve(text)


def test_fields_that_belong_to_no_curve():
    assert resolve_modulus("ML-KEM-q").value == 3329
    assert resolve_modulus("mldsa").value == 8380417
    assert resolve_modulus("goldilocks64").value == 2**64 - 2**32 + 1
    assert resolve_modulus("ed448-goldilocks").value == 2**448 - 2**224 - 1

# SPDX-License-Identifier: Apache-2.0
"""X25519 and small Montgomery curves modulo 2^n - c: digits, cycles, every operand, vectors, constant control."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.catalog import resolve_curve
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.contract.roles import Errors
from modwright.cores.xmul.pseudo_mersenne.hardware.core import PseudoMersenneDatapath
from modwright.cores.xmul.pseudo_mersenne.model.digits import Digits
from modwright.cores.xmul.pseudo_mersenne.parameters import ZERO
from modwright.cores.xmul.pseudo_mersenne.plan import formulas
from modwright.cores.xmul.pseudo_mersenne.plan.fold import group_of, terms_of
from modwright.cores.xmul.pseudo_mersenne.plan.inversion import exponent_of
from modwright.cores.xmul.pseudo_mersenne.plan.microcode import make_program
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence
from modwright.simulate import verify

from ..tools import needs
from .conftest import CommandLine
from .control_words import words_of
from .test_xmul import AFTER, XMUL, case_of, every_operand, iterated, little, wycheproof

CORE = find("xmul/pseudo-mersenne-ladder")
DATA = Path(__file__).parents[1] / "data"
compiled = needs("compiled-simulator", why="X25519 has 27,000 cycles")


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


# --- plan


@given(st.integers(1, 2**12))
def test_a_factor_is_the_sum_of_its_terms(factor):
    terms = terms_of(factor)
    assert sum(sign << at for sign, at in terms) == factor
    assert len(terms) <= factor.bit_count()


@given(st.integers(1, 40), st.integers(1, 4))
def test_a_group_is_the_smallest_that_ends_in_one(count, levels):
    size = group_of(count, levels)
    assert size**levels >= count
    assert size == 1 or (size - 1) ** levels < count


@given(st.integers(5, 530), st.integers(0, 500))
def test_the_power_is_the_inverse(n, half):
    c = 2 * half + 1
    if c + 2 < 1 << (n - 1):
        assert exponent_of(n, c) == 2**n - c - 2


@pytest.mark.parametrize("rows", [1, 2])
def test_the_words_of_a_step_are_read_before_they_are_written_again(store, rows):
    """Every value is read from its own step: addresses and writes, cycle by cycle over three steps."""
    loop = make_program(make(store, curve="curve25519", rows=rows).parameters).loop
    for name, placed in loop.placed.items():
        for cycle, _, value in placed.adds:
            source = loop.placed.get(value) or loop.placed.get(f"{value}'")
            if source is not None:
                made = source.made - (0 if value in loop.placed else loop.period)
                assert made < cycle - 2 < made + loop.period, (name, value)


def test_the_cycles_of_x25519(store):
    """Two rows of blocks take fewer than was asked for; one row has a seventh more than two thirds of the cycles of a
    runtime curve."""
    assert make(store, curve="curve25519").schedule.latency == 27_402
    assert make(store, curve="curve25519", rows=1).schedule.latency == 47_397


# --- digits


@pytest.mark.parametrize("modulus", ["127", "2^13-1", "509", "2^61-1", "2^221-3", "2^255-19", "2^521-1"])
def test_products_of_the_largest_digits(store, modulus):
    """Operands at their bounds stay below those of a product, and in their class."""
    p = make(store, modulus).parameters
    digits = Digits(p)
    x = digits.pack([p.largest_operand - p.rotated, *[p.largest_operand] * (p.count - 1)])
    found = digits.multiply(x, digits.unpack(x))
    assert (digits.value(found) - digits.value(x) ** 2) % p.modulus == 0
    assert all(digit <= p.result[min(k, 2)] for k, digit in enumerate(digits.unpack(found)))


@pytest.mark.parametrize("modulus", ["31", "127", "509"])
def test_the_exact_residue_of_all_digits(store, modulus):
    p, rng = make(store, modulus).parameters, random.Random(3)
    digits = Digits(p)
    for _ in range(2000):
        packed = digits.pack(rng.randrange(p.result[min(k, 2)] + 1) for k in range(p.count))
        assert digits.exact(packed) == digits.value(packed) % p.modulus
    top = digits.pack(p.result[min(k, 2)] for k in range(p.count))
    assert digits.exact(top) == digits.value(top) % p.modulus


# --- small fields in the RTL


@compiled
def test_every_operand_over_31_elements(store):
    """Every scalar and u of five bits."""
    found = verify(make(store, "31"), every_operand(31, 4, 0, 5))
    assert found.failed == []


@compiled
@pytest.mark.campaign
def test_every_operand_over_31_elements_clamped(store):
    """Scalars as they are and clamped, on a curve with one point of order 2 and on one with three."""
    cases = [case for a24 in (2, 4) for clamp in (0, 2, 3) for case in every_operand(31, a24, clamp, 5)]
    assert verify(make(store, "31"), cases).failed == []


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{}, {"rows": 1}, {"width": 5}, {"target": "ecp5"}])
def test_every_operand_over_127_elements(store, options):
    """Every scalar and u of seven bits, on three curves."""
    prepared = make(store, "127", **options)
    for a24, clamp in ((2, 0), (60, 2), (33, 3)):
        found = verify(prepared, every_operand(127, a24, clamp, 7))
        assert found.failed == []


@compiled
def test_a_wrong_formula_is_seen(tmp_path, monkeypatch):
    """AA in place of BB. The model has the formula of the step from the same place, so the plain function says it."""
    wrong = tuple(
        formulas.Product(product.name, formulas.plus("AA", "F"), product.y) if product.name == "Z2'" else product
        for product in formulas.STEP
    )
    monkeypatch.setattr("modwright.cores.xmul.pseudo_mersenne.plan.placement.STEP", wrong)
    assert verify(make(Store(tmp_path), "31"), every_operand(31, 4, 0, 5)[200:240]).failed


# --- X25519 in the RTL


@pytest.fixture(scope="module")
def x25519(store):
    return make(store, curve="curve25519", target="ecp5")


@compiled
def test_the_vectors_of_x25519(x25519):
    found = verify(x25519, vectors.load(DATA / "vectors" / "xmul-curve25519.json").cases)
    assert (found.failed, found.passed) == ([], 2)


@compiled
def test_some_of_wycheproof(x25519):
    """The first case of the result 0, and of a u that is not reduced."""
    rows = wycheproof()
    zero = next(case_of(row) for row in rows if "error" in case_of(row))
    above = next(case_of(row) for row in rows if "NonCanonicalPublic" in row["flags"])
    found = verify(x25519, [zero, above])
    assert found.failed == []


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("rows", [1, 2])
def test_every_case_of_wycheproof(store, rows):
    prepared = make(store, curve="curve25519", target="ecp5", rows=rows)
    found = verify(prepared, [case_of(row) for row in wycheproof()])
    assert found.failed == []
    assert found.passed == 518


@compiled
@pytest.mark.campaign
def test_a_thousand_rounds_of_the_iterated_test(x25519):
    """In the model and on the hardware."""
    cases = list(iterated("curve25519", 1000))
    assert cases[-1]["z"] == little(AFTER["curve25519", 1000])
    found = verify(x25519, cases)
    assert (found.failed, found.passed) == ([], 1000)


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("modulus", ["2^61-1", "2^127-1", "2^221-3", "2^521-1"])
def test_other_primes_of_the_form(store, modulus):
    prepared, rng = make(store, modulus, target="ecp5"), random.Random(modulus)
    plain = {"a24": 2, "clamp": 0, "k": 0, "u": 0}
    cases = [{PAYLOAD: prepared.codec.draw(rng, plain)} for _ in range(20)]
    assert verify(prepared, cases).failed == []


# --- errors and control


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, 0),
        ({"u": 0}, ZERO),
        ({"u": 31}, ZERO),
        ({"k": 0}, ZERO),
        ({"k": 0, "clamp": 2}, 0),
        ({"u": 0xE6, "k": 0xE5}, 0),
    ],
)
def test_errors(store, changes, error):
    """z is 0 with one."""
    prepared = make(store, "31")
    payload = prepared.codec.encode({"a24": 4, "clamp": 0, "k": 5, "u": 6}) | changes
    result = prepared.core.model(prepared.parameters, prepared.schedule).run(payload).payload
    assert result["error"] == error
    assert error == 0 or result["z"] == 0
    assert verify(prepared, [{PAYLOAD: payload}], simulator="pure").failed == []


def control_words(prepared, values):
    """The control word of every cycle of one operation."""
    path = PseudoMersenneDatapath(prepared.parameters, prepared.schedule)
    inputs = [(getattr(path, name), value) for name, value in values]
    return words_of(path, inputs, path.start, path.done, lambda: path.player.word.as_value())


def test_control_words_are_the_same_for_all_operands(store):
    """Those of the schedule; also for the result 0."""
    prepared = make(store, "31")
    code = prepared.schedule.microcode
    expected = [code.layout.pack(word) for word in code.issued()]
    payload = prepared.codec.encode({"a24": 4, "clamp": 0, "k": 5, "u": 6})
    for changes in ({}, {"k": 31, "clamp": 3}, {"u": 0}):
        found = control_words(prepared, tuple((payload | changes).items()))
        assert found[: len(expected)] == expected
        assert not any(found[len(expected) :])


def test_the_netlist_says_the_same_of_addresses(store):
    """Both addresses of the words depend on operands, and no write enable."""
    found = dependence(make(store, "31"))
    kinds = {one.kind for one in found.dependents if "words" in one.name}
    assert kinds == {"read address", "write address"}


# --- requests


@pytest.mark.parametrize("curve", ["ed25519", "P-256"])
def test_other_forms_are_refused(curve):
    with pytest.raises(UsageError, match="Montgomery curves") as error:
        CORE.derive(Request.make(CORE, curve=curve))
    assert "curve25519, curve448" in error.value.hint


@pytest.mark.parametrize(
    ("modulus", "rule"),
    [
        ("2^255-21", "P is a prime"),
        ("2^448-2^224-1", r"c·2\^\(N·w - n\) < 2\^w"),
        ("967", r"c·2\^\(N·w - n\) < 2\^w"),
        ("7", "P >= 17"),
        ("2^607-1", "bits of p <= 521"),
    ],
)
def test_primes_of_another_form_are_refused(modulus, rule):
    with pytest.raises(ParameterError, match=rule) as error:
        CORE.derive(Request.make(CORE, modulus=modulus))
    assert "xmul/montgomery-ladder" in error.value.hint


def test_a_number_of_one_digit_is_refused():
    with pytest.raises(ParameterError, match="N >= 2") as error:
        CORE.derive(Request.make(CORE, modulus="127", options={"width": 7}))
    assert error.value.hint == "a smaller width"


def test_a_request_without_a_prime_is_refused():
    with pytest.raises(UsageError, match="needs a modulus"):
        CORE.derive(Request.make(CORE))


@compiled
def test_vectors_on_the_command_line(capsys, tmp_path):
    run = CommandLine(capsys)
    path = DATA / "vectors" / "xmul-curve25519.json"
    assert run("simulate", CORE.name, "--curve", "curve25519", "--vectors", path) == 0
    assert "2 of 2 cases passed" in run.out
    assert "2^n - c" in run.fails(4, "simulate", CORE.name, "--curve", "x448", "--random", 1)


def test_the_error_is_one_of_the_runtime_core():
    """By its name: the numbers of codes are each core's own."""
    other = find("xmul/montgomery-ladder").smallest().o["error"].role.codes.values()
    assert CORE.smallest().o["error"].role.codes == {ZERO: Errors.ZERO}
    assert Errors.ZERO in other


def test_the_curve_of_a_request_is_that_of_cases_without_constants(store):
    payload = make(store, curve="x25519").codec.encode({"k": 8, "u": 9})
    assert payload == {"a24": XMUL.curve_constants(resolve_curve("x25519"))["a24"], "clamp": 3, "k": 8, "u": 9}

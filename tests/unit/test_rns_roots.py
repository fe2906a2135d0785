# SPDX-License-Identifier: Apache-2.0
"""Multiplications whose operands are stored times roots: bases, roots, cycles, products, every operand of a small P."""

import random
from itertools import product

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.catalog import resolve_modulus
from modwright.functions.cases import random_cases
from modwright.rns.roots import doubly_rooted_bases, hat_factors, rooted_bases, square_root, square_roots
from modwright.simulate import verify

from ..tools import needs
from .rns_montgomery_cases import derive
from .rns_montgomery_hardware import MULTIPLIERS, make

P256 = "2^256-2^224+2^192+2^96-1"


@pytest.mark.parametrize("prime", [3, 17, 97, 257, 241])
def test_a_root_of_every_square(prime):
    squares = {x * x % prime for x in range(1, prime)}
    for x in range(1, prime):
        root = square_root(x, prime)
        assert (root * root % prime == x) == (x in squares)
        assert root <= prime // 2


@pytest.mark.parametrize(
    ("field", "width", "count"),
    [("P-192", 17, 12), ("P-256", 17, 16), ("secp256k1.p", 20, 14), ("P-384", 20, 20), ("61", 10, 1), ("1009", 9, 2)],
)
def test_every_factor_of_a_found_base_is_a_square(field, width, count):
    p = resolve_modulus(field).value
    A, B = rooted_bases(width, count, p)
    roots = square_roots(-p, A)
    assert [r * r % a for r, a in zip(roots, A.moduli, strict=True)] == list(hat_factors(-p, A))
    assert (A.count, B.count) == (count, count)


@pytest.mark.parametrize(
    ("field", "width", "count"), [("P-256", 17, 16), ("P-256", 20, 14), ("61", 9, 1), ("1009", 9, 2)]
)
def test_every_factor_of_both_bases_is_a_square(field, width, count):
    p = resolve_modulus(field).value
    A, B = doubly_rooted_bases(width, count, p)
    for number, base in ((-p, A), (A.product, B)):
        roots = square_roots(number, base)
        assert [r * r % a for r, a in zip(roots, base.moduli, strict=True)] == list(hat_factors(number, base))
    assert not {*A.u} & {*B.u}


def test_a_base_that_is_too_long_is_refused():
    with pytest.raises(ParameterError, match="squares modulo each"):
        rooted_bases(17, 64, 3)


def test_cycles_at_256_bits(store):
    """A product and its reduction less: 48 cycles for 53, one every 44 for 49."""
    plain, rooted = (make("modmul/rns-kbe", store, P256, roots=roots) for roots in (False, True))
    assert (plain.schedule.latency, plain.schedule.interval) == (53, 49)
    assert (rooted.schedule.latency, rooted.schedule.interval) == (48, 44)
    assert rooted.parameters.engine.fold_cycles == plain.parameters.engine.fold_cycles
    n = rooted.parameters.n
    slots = sum(step.resource == "multiply-accumulate" for step in rooted.schedule.steps)
    assert n * slots == 2 * n * n + 3 * n


@pytest.mark.parametrize(
    ("name", "width", "single", "double", "folds"),
    [
        ("modmul/rns-kbe", 17, (48, 44), (50, 45), (2, 3)),
        ("modmul/rns-kbe", 18, (46, 42), (45, 41), (2, 2)),
        ("modmul/rns-hbe", 17, (43, 24), (42, 26), (2, 3)),
        ("modmul/rns-hbe", 20, (39, 22), (35, 22), (2, 2)),
    ],
)
def test_cycles_with_roots_in_both_bases(name, width, single, double, folds, store):
    """As many products, without a wait of the first for the second; worth it where primes need no more folds."""
    once, twice = (make(name, store, P256, width=width, roots=True, second_roots=both) for both in (False, True))
    assert [(one.schedule.latency, one.schedule.interval) for one in (once, twice)] == [single, double]
    assert (once.parameters.engine.fold_cycles, twice.parameters.engine.fold_cycles) == folds
    counts = [sum(step.resource == "multiply-accumulate" for step in one.schedule.steps) for one in (once, twice)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("options", [{}, {"roots": True, "kappa": 2}, {"roots": True, "rowers": 2}])
def test_what_roots_in_both_bases_need_is_said(options):
    with pytest.raises(UsageError, match="second_roots needs roots"):
        derive("modmul/rns-kbe", "1009", width=10, second_roots=True, **options)


@pytest.mark.parametrize("name", MULTIPLIERS)
@pytest.mark.parametrize(("modulus", "both"), [("3", False), ("61", False), ("61", True), (P256, False), (P256, True)])
def test_models_multiply(name, modulus, both, store):
    one = make(name, store, modulus, roots=True, second_roots=both)
    codec, p, rng = one.codec, one.parameters.modulus, random.Random(3)
    cases = [*codec.edges().values(), *({"x": rng.randrange(p), "y": rng.randrange(p)} for _ in range(20))]
    for case in cases:
        found = codec.decode(one.model.run(codec.encode(case)).payload)
        assert (found["z"], found["error"]) == (case["x"] * case["y"] % p, None)


def test_without_a_root_the_certificate_fails():
    p = derive("modmul/rns-kbe", "1009", width=9, roots=True)
    assert next(row for row in p.certificate.inequalities if row.name == "roots").holds


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("name", MULTIPLIERS)
@pytest.mark.parametrize("both", [False, True])
def test_every_product_modulo_61(name, both, store):
    """In the RTL, of all reduced operands."""
    one = make(name, store, "61", width=9, channels=2, roots=True, second_roots=both)
    found = verify(one, [{"x": x, "y": y} for x, y in product(range(61), repeat=2)])
    assert found.failed == []
    assert found.passed == 61 * 61


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize(("local", "both"), [(False, False), (True, False), (True, True)])
def test_products_of_256_bits(local, both, store):
    """In the RTL: the edges and 1000 random products, with results as operands again."""
    one = make("modmul/rns-kbe", store, P256, roots=True, second_roots=both, local=local)
    cases = [*one.codec.edges().values(), *random_cases(one, 1000, seed=5)]
    assert verify(one, cases).failed == []
    assert verify(one, cases[:300], chained=True).failed == []

# SPDX-License-Identifier: Apache-2.0
"""Multiplications whose operands are stored times roots: bases, roots, cycles, products, every operand of a small P."""

import random
from itertools import product

import pytest

from modwright.base.errors import ParameterError
from modwright.catalog import resolve_modulus
from modwright.functions.cases import random_cases
from modwright.rns.roots import hat_factors, rooted_bases, square_root, square_roots
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
    roots = square_roots(p, A)
    assert [r * r % a for r, a in zip(roots, A.moduli, strict=True)] == list(hat_factors(p, A))
    assert (A.count, B.count) == (count, count)


def test_a_base_that_is_too_long_is_refused():
    with pytest.raises(ParameterError, match="square modulo each"):
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


@pytest.mark.parametrize("name", MULTIPLIERS)
@pytest.mark.parametrize("modulus", ["3", "61", P256])
def test_models_multiply(name, modulus, store):
    one = make(name, store, modulus, roots=True)
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
def test_every_product_modulo_61(name, store):
    """In the RTL, of all reduced operands."""
    one = make(name, store, "61", width=9, channels=2, roots=True)
    found = verify(one, [{"x": x, "y": y} for x, y in product(range(61), repeat=2)])
    assert found.failed == []
    assert found.passed == 61 * 61


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("local", [False, True])
def test_products_of_256_bits(local, store):
    """In the RTL: the edges and 1000 random products, with results as operands again."""
    one = make("modmul/rns-kbe", store, P256, roots=True, local=local)
    cases = [*one.codec.edges().values(), *random_cases(one, 1000, seed=5)]
    assert verify(one, cases).failed == []
    assert verify(one, cases[:300], chained=True).failed == []

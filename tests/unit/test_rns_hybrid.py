# SPDX-License-Identifier: Apache-2.0
"""Hybrid position-residue multiplication: primes, conditions, the model; what every core keeps is in tests/contract."""

import random

import gmpy2
import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.cores.modmul.rns_hybrid.trials import FOUR, TWO
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rns import hybrid
from modwright.simulate import Stalls, verify

from ..tools import needs

P256 = "0xfef48022d21977df58c9c0ec58c72702e5d3394f956f80e06c560dbb1754f8b7"
CORE = find("modmul/rns-hpr")
FORMS = [(P256, 17, 8, 2, 1), (TWO, 16, 2, 2, 4), (FOUR, 20, 2, 4, 6)]
compiled_only = needs("compiled-simulator")


def make(store, modulus, **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, target="generic", options=options), store)


@pytest.mark.parametrize(("modulus", "width", "count", "degree", "spare"), FORMS)
def test_primes_are_the_first_that_the_search_finds(modulus, width, count, degree, spare, store):
    P = int(modulus, 16)
    base = next(hybrid.search(width - spare, count, degree))
    assert base.product**degree - 2 == P
    assert gmpy2.is_prime(P)
    p = make(store, modulus, width=width, degree=degree).parameters
    assert base == p.A
    assert p.spare == spare


@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize(("modulus", "width", "degree"), [(f[0], f[1], f[3]) for f in FORMS])
def test_model(modulus, width, degree, c, store):
    """Products of random numbers, of largest coefficients, and of few small ones, chained: coefficients below K."""
    one = make(store, modulus, width=width, degree=degree, c=c)
    p, rng, operands = one.parameters, random.Random(c), one.codec.operands
    top = p.bound - 1
    kinds = ((0, 1), (top, top + 1), (0, p.hybrid.radix), (0, top + 1))
    for _ in range(150):
        x, y = (tuple(rng.randrange(*rng.choice(kinds)) for _ in range(degree)) for _ in range(2))
        for _ in range(3):
            payload = one.model.run(operands["x"].write(x) | operands["y"].write(y)).payload
            z = one.codec.results["z"].read(payload)
            assert max(z) < p.bound
            assert p.hybrid.value(z) == p.hybrid.value(x) * p.hybrid.value(y) % p.modulus
            x = z


@compiled_only
@pytest.mark.parametrize("c", [1, 2])
def test_rtl_of_a_small_prime(c, store):
    """Edge cases and 1000 random ones, some with stalls, and chained; tens of thousands below in campaigns."""
    one = make(store, TWO, width=16, c=c)
    cases = edge_cases(one) + random_cases(one, 1000, seed=2)
    assert verify(one, cases).failed == []
    assert verify(one, cases[-300:], stalls=Stalls(3, 30, 60)).failed == []
    assert verify(one, cases, chained=True).failed == []


@compiled_only
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{}, {"c": 2}, {"latency": 5}])
def test_rtl_at_256_bits(options, store):
    one = make(store, P256, **options)
    cases = edge_cases(one)[:200] + random_cases(one, 20_000, seed=4)
    assert verify(one, cases).failed == []
    assert verify(one, cases[:2000], chained=True).failed == []


def test_cycles_at_256_bits(store):
    one = make(store, P256)
    assert one.parameters.engine.rowers == 8
    assert one.schedule.latency == one.schedule.interval == 95


@pytest.mark.parametrize(
    ("modulus", "options"),
    [
        ("2^255-19", {}),
        (P256, {"degree": 4}),
        (P256, {"width": 20}),
        (hex((2**12 - 3) ** 2 - 2), {"width": 13}),  # one modulus, and too little room in B
        (hex((2**16 - 15) ** 2 - 2), {"c": 2}),  # one modulus has no row of two
    ],
)
def test_what_has_not_the_form_is_refused(modulus, options):
    with pytest.raises(ParameterError):
        CORE.derive(Request.make(CORE, modulus=modulus, target="generic", options=options))


def test_a_modulus_is_needed():
    with pytest.raises(UsageError, match="modulus"):
        CORE.derive(Request.make(CORE))


def test_operands_are_below_the_modulus(store):
    one = make(store, TWO, width=16)
    with pytest.raises(ValueError, match="not below"):
        one.codec.encode({"x": one.parameters.modulus, "y": 0})


def test_codec_by_the_roles(store):
    """Any representatives are read, a coefficient at its limit is not, and in a result it is an error."""
    one = make(store, TWO, width=16)
    p, x, z = one.parameters, one.codec.operands["x"], one.codec.results["z"]
    assert (
        p.i["x_a"].note
        == f"2 coefficients of x, lowest first, by 2 residues each, below {p.bound:#x}; any representatives"
    )
    operands = one.codec.encode({"x": 5, "y": 7})
    more = {**operands, "x_b": tuple(r + m for r, m in zip(operands["x_b"], p.B.moduli * 2, strict=True))}
    inside, outside = (p.bound - 1, 0), (0, p.bound)
    assert one.codec.read(more).case == {"x": 5, "y": 7}
    assert one.codec.read(operands | x.write(inside)).case["x"] == p.bound - 1
    assert one.codec.read(operands | x.write(outside)) is None
    assert one.codec.decode(z.write(inside) | {"error": 0})["error"] is None
    assert one.codec.decode(z.write(outside) | {"error": 0})["error"] == "bound"
    assert one.codec.feedback() == [("z_a", "x_a"), ("z_b", "x_b")]

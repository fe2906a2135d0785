# SPDX-License-Identifier: Apache-2.0
"""Base extensions by a redundant residue and by mixed radix digits: every value of small bases, cycles, comparison."""

import random
from dataclasses import replace

import pytest

from modwright.base.errors import ParameterError
from modwright.contract.roles import Errors
from modwright.functions.cases import random_cases
from modwright.prepared.registry import find
from modwright.rns import Base, mixed_radix
from modwright.rns.extension import find_bases
from modwright.rns.redundant import redundant_extension
from modwright.simulate import verify

from ..tools import needs
from .rns_montgomery_cases import derive
from .rns_montgomery_hardware import make

REDUNDANT, MIXED = "basext/shenoy-kumaresan", "basext/mixed-radix"
P256 = "2^256-2^224+2^192+2^96-1"


def test_the_redundant_residue_gives_h_for_every_number():
    """All numbers of two moduli of 8 bits: from low bits alone the multiple of A above X; and from the hats in full."""
    extension = redundant_extension(*find_bases(8, 2))
    source = extension.source
    for x in range(source.product):
        hats = extension.hats(source.to_residues(x))
        total = sum(hat * c for hat, c in zip(hats, source.cofactors, strict=True))
        assert total - extension.quotient(hats, x % 256) * source.product == x
        assert x % 64 or extension.quotient(hats, x % 256) == extension.estimate(hats)


def test_a_wrong_weight_of_the_redundant_residue_is_seen():
    extension = redundant_extension(*find_bases(8, 2))
    other = replace(extension, source=Base(8, (extension.source.u[0], 119)))
    every = [extension.hats(extension.source.to_residues(x)) for x in range(0, extension.source.product, 97)]
    found = [other.quotient(hats, 97 * k % 256) == extension.estimate(hats) for k, hats in enumerate(every)]
    assert not all(found)


def test_digits_of_every_number_compare_as_the_numbers_do():
    base = Base(8, (1, 3))
    limit = 12345
    digits = mixed_radix.digits_of(limit, base)
    for x in range(0, base.product, 3):
        own = mixed_radix.digits_of(x, base)
        assert sum(v * w for v, w in zip(own, mixed_radix.weights(base), strict=True)) == x
        assert mixed_radix.below(own, digits) == (x < limit)


@pytest.mark.parametrize(("name", "local", "cycles", "interval"), [
    (REDUNDANT, False, 27, 22), (REDUNDANT, True, 33, 25), (MIXED, False, 117, 112), (MIXED, True, 184, 176),
])  # fmt: skip
def test_cycles_at_256_bits(name, local, cycles, interval, store):
    one = make(name, store, P256, local=local)
    assert (one.parameters.n, one.schedule.latency, one.schedule.interval) == (16, cycles, interval)


def test_as_many_cycles_as_by_an_estimate(store):
    for width in (17, 20, 24, 28):
        ours, estimated = (make(name, store, P256, width=width) for name in (REDUNDANT, "basext/kbe"))
        if ours.parameters.n == estimated.parameters.n:
            assert ours.schedule.latency == estimated.schedule.latency


def test_the_redundant_residue_extends_the_whole_range():
    """Numbers of which an estimate with σ = 1/2 takes the lower half."""
    ours, estimated = derive(REDUNDANT, P256), derive("basext/kbe", P256)
    assert ours.limit == min(ours.A.product, ours.B.product) > estimated.limit


@pytest.mark.parametrize("modulus", ["3", "61", "2^64-59", P256])
def test_models_extend(modulus, store):
    rng = random.Random(4)
    for name in (REDUNDANT, MIXED):
        one = make(name, store, modulus)
        m = one.parameters.modulus
        cases = [*one.codec.edges().values(), *({"x": rng.randrange(m)} for _ in range(40))]
        for case in cases:
            found = one.codec.decode(one.model.run(one.codec.encode(case)).payload)
            right = name == REDUNDANT or case["x"] < m
            assert (found["z"], found["error"]) == ((case["x"], None) if right else (0, Errors.NOT_REDUCED))


def test_a_product_before_the_sum_needs_a_latency_of_three():
    assert next(option for option in find(REDUNDANT).options if option.name == "latency").minimum == 3


def test_too_few_channels_are_refused():
    for name in (REDUNDANT, MIXED):
        with pytest.raises(ParameterError, match="range"):
            derive(name, P256, channels=15)


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("name", [REDUNDANT, MIXED])
@pytest.mark.parametrize("local", [False, True])
def test_every_number_of_two_moduli_of_8_bits(name, local, store):
    """In the RTL: all that residues in A hold, those that are refused as well."""
    one = make(name, store, "40009", width=8, channels=2, local=local)
    limit = one.parameters.limit if name == REDUNDANT else one.parameters.A.product
    found = verify(one, [{"x": x} for x in range(limit)])
    assert found.failed == []
    assert found.passed == limit > 60_000


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("name", [REDUNDANT, MIXED])
def test_numbers_of_256_bits(name, store):
    """In the RTL, with and without local rowers: the edges and 1000 random numbers, some beyond the modulus."""
    for local in (False, True):
        one = make(name, store, P256, local=local)
        assert verify(one, [*one.codec.edges().values(), *random_cases(one, 1000, seed=5)]).failed == []

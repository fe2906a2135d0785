# SPDX-License-Identifier: Apache-2.0
"""Comparison in residues: every pair below small moduli, every difference, cycles, refusals."""

import itertools
import random

import pytest

from modwright.base.errors import ParameterError
from modwright.rns import mixed_radix
from modwright.simulate import verify

from ..tools import needs
from .rns_montgomery_cases import derive
from .rns_montgomery_hardware import make

NAME = "comparison/mixed-radix"
P256 = "2^256-2^224+2^192+2^96-1"


def wrong(one, pairs):
    """Pairs whose bits the model gives wrong."""
    for x, y in pairs:
        found = one.codec.decode(one.model.run(one.codec.encode({"x": x, "y": y})).payload)
        if (found["less"], found["equal"]) != (x < y, x == y):
            yield x, y


@pytest.mark.parametrize("modulus", ["3", "61"])
def test_every_pair_below_a_small_modulus(modulus, store):
    one = make(NAME, store, modulus, width=8, channels=2)
    assert not list(wrong(one, itertools.product(range(int(modulus)), repeat=2)))


def test_every_difference_below_the_largest_modulus(store):
    """Of two moduli of 8 bits: the largest odd P, with differences of both signs; the next one is refused."""
    most = 255 * 125
    one = make(NAME, store, str(most), width=8, channels=2)
    assert one.parameters.A.moduli == (255, 251)
    top = most - 1
    pairs = ((d, 0) if d >= 0 else (0, -d) for d in range(-top, most, 7))
    assert not list(wrong(one, pairs))
    assert not list(wrong(one, [(top, 0), (0, top), (top, top), (top - 1, top), (top, top - 1)]))
    with pytest.raises(ParameterError, match="below"):
        derive(NAME, str(most + 2), width=8, channels=2)


def test_a_limit_off_by_one_is_seen(store):
    one = make(NAME, store, "31875", width=8, channels=2)
    weight = mixed_radix.weights(one.parameters.A)[-1]
    object.__setattr__(one.parameters, "limit_digit", one.parameters.limit_digit - 1)
    assert list(wrong(one, [(one.parameters.limit_digit * weight, 0)]))


@pytest.mark.parametrize(("local", "cycles", "interval"), [(False, 99, 92), (True, 163, 152)])
def test_cycles_at_256_bits(local, cycles, interval, store):
    one = make(NAME, store, P256, local=local)
    assert (one.parameters.n, one.schedule.latency, one.schedule.interval) == (16, cycles, interval)


def test_numbers_of_256_bits_next_to_each_other(store):
    one, rng = make(NAME, store, P256), random.Random(6)
    m, weights = one.parameters.modulus, mixed_radix.weights(one.parameters.A)
    numbers = [rng.randrange(m) for _ in range(10)]
    near = [(x, (x + sign * weight) % m) for x in numbers for weight in weights for sign in (-1, 1)]
    assert not list(wrong(one, [*near, *((x, x) for x in numbers)]))


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("local", [False, True])
def test_every_pair_of_small_numbers_in_the_rtl(local, store):
    one = make(NAME, store, "125", width=8, local=local)
    pairs = [{"x": x, "y": y} for x in range(125) for y in range(125)]
    found = verify(one, pairs)
    assert (found.failed, found.passed) == ([], len(pairs))

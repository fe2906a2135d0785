# SPDX-License-Identifier: Apache-2.0
"""Bases, conversion both ways, the search, and the error bound of the cox, against plain integers."""

import math
import random
from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.rns import Base, find_base, signed_digits
from modwright.rns.base import candidates
from modwright.rns.bounds import CoxBound, estimate
from modwright.rns.conversion import FromResidues, ToResidues

TABLE_1 = (1, 5, 9, 17, 33, 65, 257, 513)
"""u of the paper's eight 66-bit moduli 2^66 - 2^t - 1 and 2^66 - 1 (Mehrabi 2019, Table 1)."""


@pytest.mark.parametrize("width", [8, 16, 66, 72])
def test_a_base_has_pairwise_coprime_moduli_of_its_width(width):
    base = find_base(width, count=6)
    assert base.count == len(base.moduli) == 6
    assert all(1 << (width - 1) < m <= 1 << width for m in base.moduli)
    assert all(math.gcd(a, b) == 1 for a, b in product(base.moduli, repeat=2) if a != b)
    assert math.lcm(*base.moduli) == base.product


def test_the_published_base_is_accepted_with_its_product():
    base = Base(66, TABLE_1)
    assert base.product.bit_length() == 528
    assert base.moduli[0] == (1 << 66) - 1


@given(st.integers(0, Base(66, TABLE_1).product - 1), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_conversion_and_back_with_any_representatives(x, multiples):
    base = Base(66, TABLE_1)
    residues = base.to_residues(x)
    assert residues == tuple(x % m for m in base.moduli)
    other = [r + k * m for r, k, m in zip(residues, multiples, base.moduli, strict=True)]
    assert base.from_residues(residues) == base.from_residues(other) == x


def test_conversion_is_exhaustive_for_a_small_base():
    """All 255·256 = 65280 values."""
    base = Base(8, (0, 1))
    assert all(base.from_residues(base.to_residues(x)) == x for x in range(base.product))


@pytest.mark.parametrize(
    ("width", "u", "message"),
    [
        (7, (1,), "8 to 72 bits"),
        (73, (1,), "8 to 72 bits"),
        (8, (), "at least one"),
        (8, (128,), "0 <= u < 2^7"),
        (8, (-1,), "0 <= u < 2^7"),
        (8, (1, 1), "share the factor 255"),
        (8, (0, 6), "share the factor 2"),
        (66, (129, 9), "share the factor 5"),
    ],
)
def test_a_bad_base_is_named(width, u, message):
    with pytest.raises(UsageError, match=message.replace("^", r"\^")):
        Base(width, u)


def test_the_search_meets_its_conditions():
    first = find_base(16, count=5, odd=True)
    second = find_base(16, bits_above=first.product, coprime_to=15, avoid=first.moduli)
    assert all(m % 2 for m in first.moduli)
    assert second.product >= first.product
    assert second.product // max(second.moduli) < first.product
    assert math.gcd(second.product, 15 * first.product) == 1
    assert list(first.u) == sorted(first.u)


def test_the_search_says_when_there_are_too_few():
    """At 8 bits at most one modulus may be divisible by each of the few small primes."""
    with pytest.raises(ParameterError, match="there are not enough"):
        find_base(8, count=60)
    with pytest.raises(ValueError, match="exactly one"):
        find_base(16)


def test_candidates_come_cheapest_first():
    us = list(islice(candidates(16, 200, prime=True), 20))
    costs = [(len(signed_digits(u)), u) for u in us]
    assert costs == sorted(costs)
    assert 15 in us  # 2^16 - 15 is the largest 16-bit prime
    assert not any(u in us for u in (1, 2, 3, 5, 17 - 14))


def exact_alpha(moduli, xi):
    return sum((Fraction(x, m) for x, m in zip(xi, moduli, strict=True)), Fraction(0)).__floor__()


@pytest.mark.parametrize("f", [1, 4])
def test_the_error_of_the_cox_is_a_bound_and_is_reached_nearly(f):
    """All 256·255 vectors of two 8-bit moduli."""
    bound = CoxBound(8, (256, 255), f, 0)
    worst = Fraction(0)
    for xi in product(range(256), range(255)):
        true = Fraction(xi[0], 256) + Fraction(xi[1], 255)
        cut = Fraction(sum(x >> (8 - f) for x in xi), 1 << f)
        assert true >= cut
        worst = max(worst, true - cut)
    assert worst <= bound.error
    assert bound.error - worst < Fraction(1, 255)


@pytest.mark.parametrize("offset", range(8))
def test_the_conditions_of_the_cox_decide_exactness(offset):
    """Every X of a base of 12-bit product: where both conditions hold, the estimate is α."""
    base = Base(8, (1, 3))
    bound = CoxBound(8, base.moduli, 3, offset)
    largest = (((1 << 3) - offset) * base.product - 1) >> 3
    low, high = bound.exact(largest)
    good = all(
        estimate(8, 3, offset, xi) == exact_alpha(base.moduli, xi)
        for xi in (
            tuple(x * i % m for i, m in zip(base.inverses, base.moduli, strict=True)) for x in range(largest + 1)
        )
    )
    assert high.holds
    assert not bound.exact(largest + 1)[1].holds
    if low.holds:
        assert good
    if offset == 0:
        assert not low.holds
        assert not good


def test_largest_values_of_the_cox():
    bound = CoxBound(8, (255, 253), 4, 5, largest=(255, 255))
    assert bound.largest_sum == 15 + 15 + 5
    assert bound.largest_alpha == 2
    assert CoxBound(8, (255, 253), 4, 5).largest_alpha == 1
    assert CoxBound(8, (256, 256), 4, 4).delta == Fraction(1, 4)


@pytest.mark.parametrize("modulus", [(1 << 89) - 1, (1 << 64) - 59, 12345])
def test_binary_operands_become_representatives(modulus):
    base = find_base(16, bits_above=modulus**2)
    plan = ToResidues(base, modulus, 1)
    source = random.Random(1)
    for x in (0, 1, modulus - 1, *(source.randrange(modulus) for _ in range(200))):
        residues = plan.apply(x)
        assert all(r < 1 << 16 for r in residues)
        assert tuple(r % m for r, m in zip(residues, base.moduli, strict=True)) == base.to_residues(x)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("modulus", [(1 << 89) - 1, (1 << 64) - 59])
def test_residues_become_binary_again(modulus, exact):
    base = find_base(16, bits_above=modulus**2 << 8)
    plan = FromResidues(base, modulus, 4 * modulus, 16, exact)
    source = random.Random(2)
    for z in (0, 1, modulus, 4 * modulus - 1, *(source.randrange(4 * modulus) for _ in range(200))):
        xi = [z * inverse % m for inverse, m in zip(base.inverses, base.moduli, strict=True)]
        value = plan.apply(xi)
        assert value % modulus == z % modulus
        assert value < (modulus if exact else plan.bound)

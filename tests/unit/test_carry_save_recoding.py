# SPDX-License-Identifier: Apache-2.0
"""Digits of multipliers and quotients in plain integers."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.cores.modmul.carry_save.plan import (
    LONGEST,
    SPLIT,
    VariableDigit,
    booth_digits,
    digit_statistics,
    plain_digits,
    recode,
)


def value_of(digits):
    """Σ of variable digits, and the places that they cover."""
    value = places = 0
    for digit in digits:
        value += digit.nz * (-1) ** digit.neg << (places + digit.a)
        places += digit.a + 1
    return value, places


@given(st.data(), st.integers(1, 200))
def test_variable_digits_give_x_back(data, bits):
    x = data.draw(st.integers(0, 2**bits - 1))
    for places in (bits + 1, bits + 2):
        digits = list(recode(x, places))
        assert value_of(digits) == (x, places)
        assert all(0 <= digit.a < LONGEST for digit in digits)
        for one, other in pairwise(digits):
            assert not (one.nz and other.nz and other.a == 0), "two non-zero digits in neighbouring places"


def test_the_papers_example():
    """254855 takes 19 places, one more than it has bits; the paper's third digit, (0,2), should be (0,3)."""
    digits = list(recode(254855, 19))
    assert digits == [
        VariableDigit(1, 1, 0),
        VariableDigit(1, 0, 2),
        VariableDigit(0, 0, 2),
        VariableDigit(1, 1, 0),
        VariableDigit(1, 0, 2),
        VariableDigit(1, 1, 2),
        VariableDigit(0, 0, 2),
        VariableDigit(1, 0, 1),
    ]


@given(st.data(), st.integers(1, 8), st.integers(1, 40))
def test_digits_of_fixed_length(data, bits, count):
    x = data.draw(st.integers(0, 2 ** (bits * count) - 1))
    digits = plain_digits(x, bits, count)
    assert sum(d << (bits * n) for n, d in enumerate(digits)) == x
    assert all(0 <= d < 1 << bits for d in digits)
    booth = booth_digits(x // 2, bits, count)
    assert sum(d << (bits * n) for n, d in enumerate(booth)) == x // 2
    assert all(abs(d) <= 1 << (bits - 1) for d in booth)


def test_split_of_quotients():
    """Table IV: two rows, of which only the second may be negative."""
    for q, (q1, q2) in enumerate(SPLIT):
        assert q == q1 + q2
        assert q1 in (1, 2, 4, 8)
        assert q2 in (-1, 1, 2)


@pytest.mark.parametrize("bits", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("domain", [1, 2])
def test_statistics_against_all_multipliers(bits, domain):
    """2^bits of 2^bits multipliers."""
    counts = [sum(1 for _ in recode(x, bits + domain)) for x in range(1 << bits)]
    found = digit_statistics(bits, bits + domain)
    mean = Fraction(sum(counts), len(counts))
    assert found.mean == mean
    assert found.variance == Fraction(sum(c * c for c in counts), len(counts)) - mean**2
    assert (found.least, found.most) == (min(counts), max(counts))


@pytest.mark.parametrize(("bits", "mean", "deviation", "most"), [(512, 220.4, 3.2, 257), (1024, 439.8, 4.5, 513)])
def test_statistics_of_long_multipliers(bits, mean, deviation, most):
    """The mean is 3n/7, where the paper has n/3."""
    found = digit_statistics(bits, bits + 1)
    assert round(float(found.mean), 1) == mean
    assert round(float(found.variance) ** 0.5, 1) == deviation
    assert (found.least, found.most) == (-(-(bits + 1) // LONGEST), most)
    assert abs(found.mean - Fraction(3 * bits, 7)) < 2

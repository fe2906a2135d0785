# SPDX-License-Identifier: Apache-2.0
"""Larger radices of the plus-minus inversion: with 2 and 3 the paper's algorithm, pass by pass."""

from math import gcd
from random import Random

import pytest

from modwright.engines.plus_minus import BTMI, counter
from modwright.papers.radices import COUNTED, OF_FUSED, Radices, exhausted, sampled
from modwright.tables.inversion import radix_table

P = 2**61 - 1


def test_two_and_three_are_the_binary_ternary_algorithm():
    ours, known, random = Radices((3,)).counter(P), counter(BTMI, P), Random(4)
    assert all(ours(a) == known(a) for a in (random.randrange(1, P) for _ in range(300)))


@pytest.mark.parametrize("name", COUNTED)
def test_every_operand_of_a_small_prime_ends(name):
    count = COUNTED[name].counter(1009)
    assert all(sum(count(a)) > 0 for a in range(2, 1009))


def test_divisors_and_gains():
    radices = COUNTED["2, 3, 5"]
    assert radices.divisors == (2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60)
    assert all(radices.divisor(x) == gcd(x, 60) for x in range(1, 200))
    assert [radices.gain(d) for d in (2, 3, 4, 5, 12)] == [2, 3, 4, 4, 7]


def test_more_primes_take_fewer_passes():
    random = Random(5)
    operands = [random.randrange(1, P) for _ in range(200)]
    passes = [sum(sum(radices.counter(P)(a)) for a in operands) for radices in COUNTED.values()]
    assert passes[0] > passes[2] > passes[1] > passes[3]


def test_neither_5_nor_7_takes_fewer_passes_than_more_twos_and_threes():
    fused, both = sampled(OF_FUSED, P), sampled("2, 3, 5, 7", P)
    assert fused.passes < both.passes
    assert (fused.constants, both.constants, fused.small, both.small) == (42, 69, 144, 420)


def test_counts_over_all_operands_are_those_of_the_counter():
    count, every = COUNTED["2, 3, 5"].counter(1009), exhausted("2, 3, 5", 1009)
    passes = [sum(count(a)) for a in range(1, 1009)]
    assert (every.passes, every.most) == (pytest.approx(sum(passes) / 1008), max(passes))


def test_most_passes_stay_below_the_proved_bound():
    table = radix_table()
    most, bound = (table.headings.index(name) for name in ("passes, most of 300", "passes, proved bound"))
    proved = [row for row in table.rows if row[bound] != "–"]
    assert len(proved) == 2
    assert all(int(row[most]) <= int(row[bound].replace(",", "")) for row in proved)

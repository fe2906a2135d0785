# SPDX-License-Identifier: Apache-2.0
"""The estimate of α: proved with the offset that the rule asks for, refuted with one less."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from modwright.prove import cox
from modwright.prove.proof import PROVED
from modwright.rns import find_base
from modwright.rns.bounds import CoxBound, estimate


def small(count, slack, f=4, width=8):
    moduli = find_base(width, count=count).moduli
    least = least_offset(CoxBound(width, moduli, f, 0))
    return CoxBound(width, moduli, f, least + slack)


def least_offset(bound, below=Fraction(0)):
    return cox.least_offset(bound.error, below, bound.f)


def wrong(bound, gammas):
    """Whether the estimate of one vector differs from α, for a Z that the condition admits."""
    total = 1
    for m in bound.moduli:
        total *= m
    value = sum(g * (total // m) for g, m in zip(gammas, bound.moduli, strict=True))
    alpha, z = divmod(value, total)
    admitted = z << bound.f < ((1 << bound.f) - bound.offset) * total
    return admitted and estimate(bound.width, bound.f, bound.offset, gammas) != alpha


@pytest.mark.parametrize("count", [2, 3])
def test_the_least_offset_is_proved(count):
    assert cox.prove_estimate(small(count, 0)) == PROVED


@pytest.mark.parametrize("count", [2, 3])
def test_one_less_is_refuted_by_a_vector_that_shows_it(count):
    bound = small(count, -1)
    verdict = cox.prove_estimate(bound)
    gammas = [int(value, 16) for _, value in re.findall(r"(gamma_\d) = (0x[0-9a-f]+)", verdict.detail)]
    assert verdict.status == "refuted"
    assert len(gammas) == count
    assert wrong(bound, gammas)


@pytest.mark.parametrize("slack", [-1, 0, 1])
def test_the_solver_agrees_with_every_vector(slack):
    """All 255·256 vectors of two moduli."""
    bound = small(2, slack)
    found = any(wrong(bound, gammas) for gammas in product(*(range(m) for m in bound.moduli)))
    assert (cox.prove_estimate(bound).status == "refuted") is found


def test_an_offset_of_zero_is_refuted():
    assert cox.prove_estimate(CoxBound(8, (256, 255, 253), 4, 0)).status == "refuted"


@pytest.mark.parametrize(("offset", "status"), [(16, "proved"), (8, "proved"), (7, "refuted"), (0, "refuted")])
def test_the_slack_of_a_core_decides(offset, status):
    """Eight moduli of 66 bits with q = 8: D = 8 is the least, Mehrabi's D = 16 has room."""
    moduli = [(1 << 66) - u for u in (1, 5, 9, 17, 33, 65, 257, 513)]
    bound = CoxBound(66, moduli, 8, offset)
    assert least_offset(bound) == 8
    assert cox.prove_cox(bound.obligation()).status == status
    assert f"D = {offset}" in cox.describe_cox(bound.obligation())


@pytest.mark.parametrize(("offset", "status"), [(128, "proved"), (72, "proved"), (71, "refuted"), (64, "refuted")])
def test_values_below_zero_take_a_larger_offset(offset, status):
    """A quarter of the product below 0, of 256: 64 more than without."""
    moduli = [(1 << 66) - u for u in (1, 5, 9, 17, 33, 65, 257, 513)]
    bound = CoxBound(66, moduli, 8, offset)
    owed = bound.obligation(Fraction(1, 4))
    assert least_offset(bound, Fraction(1, 4)) == 72
    assert cox.prove_cox(owed).status == status
    assert f"D = {offset}" in cox.describe_cox(owed)


@pytest.mark.parametrize("slack", [-1, 0])
def test_the_solver_agrees_with_every_vector_and_signed_value(slack):
    """All vectors of two moduli, with every quotient that leaves at most a quarter of the product below 0."""
    bound, below = small(2, 0), Fraction(1, 4)
    bound = replace(bound, offset=least_offset(bound, below) + slack)
    verdict = cox.prove_estimate(bound, below)
    assert (verdict.status == "refuted") is any(
        signed_wrong(bound, below, gammas) for gammas in product(*(range(m) for m in bound.moduli))
    )


def signed_wrong(bound, below, gammas):
    """Whether the estimate differs from a quotient that the condition admits."""
    total = bound.moduli[0] * bound.moduli[1]
    value = gammas[0] * bound.moduli[1] + gammas[1] * bound.moduli[0]
    found = estimate(bound.width, bound.f, bound.offset, gammas)
    return any(
        q != found
        and value - q * total >= -int(below * total)
        and (value - q * total) << bound.f < ((1 << bound.f) - bound.offset) * total
        for q in (value // total, value // total + 1)
    )

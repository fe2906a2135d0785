# SPDX-License-Identifier: Apache-2.0
"""What random bases would need: one certificate for every choice of A among the moduli of a multiplier, and memory."""

import random
from fractions import Fraction
from math import comb

import pytest

from modwright.catalog import resolve_modulus
from modwright.rns import Base
from modwright.rns.extension import Extension, Reduction, find_bases

from .rns_montgomery_hardware import make

P256 = "2^256-2^224+2^192+2^96-1"
BLOCK_RAM = 1024
"""Words of 18 bits in a block RAM of an ECP5."""


def pool(modulus, width, count):
    """The u of both bases, the smallest first."""
    A, B = find_bases(width, count, coprime_to=modulus)
    return sorted((*A.u, *B.u))


def reduction(modulus, width, f, a, b):
    """A reduction by KBE between two choices of moduli."""
    A, B = Base(width, tuple(a)), Base(width, tuple(b))
    return Reduction(modulus, Extension(A, B, 1, f, 0), Extension(B, A, 1, f, 1 << (f - 1)))


def failing(found):
    return {one.name for one in found.inequalities() if not one.holds}


@pytest.mark.parametrize(
    ("modulus", "width", "count", "f"), [(P256, 17, 16, 5), (P256, 20, 14, 5), ("2^384-317", 17, 24, 6)]
)
def test_one_certificate_is_for_every_choice(modulus, width, count, f):
    """Errors of a cox grow with the u, and products shrink: the largest u in both bases at once are worse than any."""
    p = resolve_modulus(modulus).value
    u = pool(p, width, count)
    worst = reduction(p, width, f, u[count:], u[count:])
    assert failing(worst) == {"bases"}
    draws = random.Random(1)
    for _ in range(20):
        a = draws.sample(u, count)
        drawn = reduction(p, width, f, a, [other for other in u if other not in a])
        assert not failing(drawn)
        assert drawn.growth <= worst.growth


def test_a_bit_less_of_the_cox_has_none():
    p = resolve_modulus(P256).value
    u = pool(p, 17, 16)
    assert "cox2-low" in failing(reduction(p, 17, 4, u[16:], u[16:]))


def test_words_of_a_choice(store):
    """Of the constants of a rower: two factors, and a weight for each hat of both extensions; next to them addends."""
    one = make("modmul/rns-kbe", store, P256)
    n, words = one.parameters.n, len(one.parameters.engine.constants(0))
    assert (n, words) == (16, 34)
    addends = sum(extension.largest_h + 1 for extension in one.parameters.engine.extensions)
    assert addends == 33
    assert BLOCK_RAM // (words + addends) == 15
    assert comb(2 * n, n) == 601_080_390
    assert Fraction(2**n, comb(2 * n, n)) < Fraction(1, 9000)
    assert (one.schedule.latency, one.schedule.interval) == (53, 49)

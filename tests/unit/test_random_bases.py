# SPDX-License-Identifier: Apache-2.0
"""Random bases: one certificate for every choice among the moduli, memory, and products in every draw."""

import random
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from modwright.base.errors import ParameterError
from modwright.catalog import resolve_modulus
from modwright.functions.rns import PRODUCT
from modwright.rns import Base
from modwright.rns.extension import Extension, Reduction, find_bases
from modwright.simulate import verify

from ..tools import needs
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


# --- products in drawn bases

NAME = "rns/random-bases"


def cases(one, pairs):
    """Products in every draw."""
    pairs, draws = list(pairs), range(len(one.parameters.drawn))
    return [{"op": PRODUCT, "x": x, "y": y, "draw": draw} for draw in draws for x, y in pairs]


@pytest.mark.parametrize("modulus", ["61", P256])
def test_every_draw_gives_the_product(modulus, store):
    one, rng = make(NAME, store, modulus, draws=8 if modulus == P256 else 4), random.Random(2)
    p = one.parameters.modulus
    for case in cases(one, [(rng.randrange(p), rng.randrange(p)) for _ in range(6)]):
        payload = one.codec.encode(case)
        found = one.model.run(payload).payload
        assert found["drawn"] == case["draw"] == payload["draw"]
        assert one.codec.decode(found)["z"] == case["x"] * case["y"] % p


def test_a_number_has_other_residues_in_every_draw(store):
    one = make(NAME, store, P256)
    seen = {one.codec.encode(case)["x"] for case in cases(one, [(12345, 1)])}
    assert len(seen) == 4
    bases = {frozenset(part.A.moduli) for part in one.parameters.drawn}
    assert len(bases) == 4


@pytest.mark.parametrize(("local", "cycles"), [(False, 53), (True, 65)])
def test_cycles_are_those_of_fixed_bases(local, cycles, store):
    one, fixed = (make(name, store, P256, local=local) for name in (NAME, "modmul/rns-kbe"))
    assert one.schedule.latency == one.schedule.interval == fixed.schedule.latency == cycles
    assert one.parameters.engine.fold_cycles == fixed.parameters.engine.fold_cycles


def test_the_certificate_is_worse_than_that_of_every_draw(store):
    for options in ({"seed": 1}, {"seed": 2, "draws": 16}):
        p = make(NAME, store, P256, **options).parameters
        assert all(not failing(part.reduction) for part in p.drawn)
        assert max(part.reduction.growth for part in p.drawn) <= p.worst.growth


def test_a_result_read_in_another_draw_is_wrong(store):
    one = make(NAME, store, "61")
    found = one.model.run(one.codec.encode({"op": PRODUCT, "x": 2, "y": 3, "draw": 1})).payload
    assert one.codec.decode({**found, "drawn": 0})["z"] != 6


def test_choices_among_many_channels(store):
    """More of them than a range of Python may be long."""
    members = make(NAME, store, "1409", width=23, channels=102).parameters.members
    assert len(set(members)) == len(members) == 4
    assert {len(row) for row in members} == {102}


def test_more_draws_than_choices_are_refused(store):
    with pytest.raises(ParameterError, match="8 draws of"):
        make(NAME, store, "61", width=10, channels=2, draws=8)


@pytest.mark.campaign
@needs("compiled-simulator")
@pytest.mark.parametrize("local", [False, True])
def test_every_product_modulo_61_in_every_draw(local, store):
    """In the RTL, of all reduced operands."""
    one = make(NAME, store, "61", width=9, channels=2, local=local)
    every = cases(one, product(range(61), repeat=2))
    found = verify(one, every)
    assert (found.failed, found.passed) == ([], 4 * 61 * 61)

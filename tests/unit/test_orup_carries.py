# SPDX-License-Identifier: Apache-2.0
"""Carries of the conversion through limbs of ones, which random operands never have: operands made for them."""

import random

import pytest

from modwright.contract.operands import PAYLOAD
from modwright.cores.modmul.orup.extremes.carries import most_passed, passed, stopped
from modwright.cores.modmul.orup.model import OrupModel
from modwright.engines.orup.hardware import converter
from modwright.engines.orup.interleaved import GROUP
from modwright.simulate.runs import Run, simulate_random

from .devices import core

NAME = "modmul/orup-interleaved"
BITS = [160, 256, 521]


def last_sums(bits, store):
    """The parameters, and the last S of every directed case by its name."""
    prepared = core(NAME, store, options={"bits": bits})
    p, model = prepared.parameters, OrupModel(prepared.parameters, prepared.schedule)
    found = {}
    for name, case in prepared.extremes.directed().items():
        payload = case[PAYLOAD]
        *_, found[name] = model.states(payload["x"], payload["y"], payload["m"])
    return p, found


@pytest.mark.parametrize("bits", BITS)
def test_each_limb_and_all_of_them_pass_a_carry(bits, store):
    p, found = last_sums(bits, store)
    runs = {name: passed(p, last) for name, last in found.items() if " through " in name}
    assert len(runs) == (p.limbs - 2) + (p.limbs > 3)
    assert sorted(runs.values()) == [1] * (p.limbs - 2) + [most_passed(p)] * (p.limbs > 3)


@pytest.mark.parametrize("bits", BITS)
def test_each_group_of_bits_of_each_limb_alone_stops_a_carry(bits, store):
    p, found = last_sums(bits, store)
    stops = set.union(*(stopped(p, last) for last in found.values()))
    assert stops == {(g, k) for g in range(1, p.limbs - 1) for k in range(-(-p.limb // GROUP))}


def test_operands_at_random_reach_none_of_it(store):
    """300 products: a limb of 54 ones is not among them, nor one with a single group of bits that is not."""
    prepared = core(NAME, store, options={"bits": 160})
    p, model = prepared.parameters, OrupModel(prepared.parameters, prepared.schedule)
    m, rng = pow(1 << p.K, -1, (1 << 159) + 7), random.Random(1)
    for _ in range(300):
        *_, last = model.states(rng.randrange(m << (p.K + 1)), rng.randrange(m << (p.K + 1)), m)
        assert (passed(p, last), stopped(p, last)) == (0, set())


def test_two_limbs_have_no_carry_to_pass(store):
    p, found = last_sums(80, store)
    assert (p.limbs, found, most_passed(p)) == (2, {}, 0)


FAULTS = {
    "no limb passes a carry": lambda ones: ones & 0,
    "one group of ones is enough": lambda ones: ones | ~1,
    "the top group is not looked at": lambda ones: ones | 1 << (len(ones) - 1),
}


@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_flags_are_seen(fault, store, monkeypatch):
    """By `simulate` at 160 bits, with few random operations."""
    flags = converter.ParallelConverter._ones
    monkeypatch.setattr(converter.ParallelConverter, "_ones", lambda *args: FAULTS[fault](flags(*args)))
    prepared = core(NAME, store, options={"bits": 160})
    assert simulate_random(prepared, 10, Run("compiled")).failed

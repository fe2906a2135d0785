# SPDX-License-Identifier: Apache-2.0
"""Binary inversion by divsteps: how many are enough, model, RTL. What every core must keep is in tests/contract."""

import random
from math import gcd
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError
from modwright.contract.request import Request
from modwright.cores.modinv.binary_divstep.hardware import InversionDatapath
from modwright.cores.modinv.binary_divstep.model import inverse
from modwright.cores.modinv.binary_divstep.parameters import LEAST_SLICE
from modwright.engines.divsteps import divstep, enough, steps_for
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import Stimulus, run, verify

from ..certificates.binaries import registers_wrong
from ..tools import needs

VECTORS = sorted((Path(__file__).parents[1] / "data" / "vectors").glob("modinv-*.json"))
BUILT_IN, RUN_TIME = "modinv/binary-divstep", "modinv/binary-divstep-rt"
NEEDS_COMPILER = needs("compiled-simulator")


def make(name, store, target="generic", field=None, modulus=None, **options):
    core = find(name)
    return prepare(core, Request.make(core, field=field, modulus=modulus, target=target, options=options), store)


# --- how many divsteps


def used(f, g):
    """Steps until g = 0."""
    D = count = 0
    while g:
        D, f, g, *_ = divstep(D, f, g)
        count += 1
    return count


@pytest.mark.parametrize("bits", range(2, 9))
def test_the_bound_holds_for_every_pair(bits):
    """All (f, g) with f odd and 0 <= g <= f < 2^bits."""
    most = max(used(f, g) for f in range(1, 1 << bits, 2) for g in range(f + 1))
    assert most <= enough((1 << bits) - 1) <= steps_for(bits)


@pytest.mark.parametrize(
    "bits", [pytest.param(b, marks=[] if b in (9, 24, 39, 64) else [pytest.mark.campaign]) for b in range(9, 65, 5)]
)
def test_the_bound_is_that_of_the_hull(bits):
    """To a step: the hull is of real points, the proof of integers. 4 widths of 56 possible, 12 in the long run."""
    assert abs(steps_for(bits) - enough((1 << bits) - 1)) <= 1


@pytest.mark.campaign
@pytest.mark.parametrize(("bits", "steps"), [(160, 369), (192, 443), (224, 517), (255, 588), (256, 590), (384, 885)])
def test_hulls_of_whole_operands(bits, steps):
    assert enough((1 << bits) - 1) == steps_for(bits) == steps


# --- the model


@pytest.mark.parametrize("m", [3, 15, 61, 105, 251, 1009])
def test_model_for_every_operand(m):
    for a in range(m):
        found = inverse(a, m, steps_for(m.bit_length()))
        assert found == (pow(a, -1, m) if gcd(a, m) == 1 else None)


# --- parameters


@pytest.mark.parametrize(
    ("options", "latency"),
    [({}, 614), ({"slices": 2}, 606), ({"slices": 1}, 599), ({"steps": 2}, 304), ({"steps": 4}, 157)],
)
def test_cycles_at_256_bits(options, latency):
    """590 divsteps (safegcd-bounds), rounded up to whole cycles; 8 + 3 for each slice around them; halvings."""
    core = find(BUILT_IN)
    p = core.derive(Request.make(core, field="P-256", options=options))
    schedule = core.schedule(p)
    assert p.needed == 590
    assert schedule.latency == p.cycles + 5 + 3 * p.slices + p.halving_cycles == latency
    assert schedule.constant_time


@pytest.mark.parametrize("options", [{"slices": 2, "steps": 2}, {"slices": 9}])
def test_slices_that_cannot_be(options):
    core = find(BUILT_IN)
    with pytest.raises(ParameterError, match="slices"):
        core.derive(Request.make(core, modulus=0x3FFFF5, options=options))


@pytest.mark.parametrize("slices", [1, 2, 3, 5])
@pytest.mark.parametrize("modulus", [231, 509, 1155])
def test_cofactors_stay_in_their_range(modulus, slices):
    """Every operand: d and e by corrections with an old sign, and the last e between -M and M."""
    core = find(BUILT_IN)
    if (modulus.bit_length() + 1) // slices < LEAST_SLICE:
        slices = 1
    p = core.derive(Request.make(core, modulus=modulus, target="generic", options={"slices": slices}))
    assert all(registers_wrong(p, a, inverse(a, modulus, p.steps)) is None for a in range(modulus))


# --- the hardware


@pytest.mark.parametrize("name", [BUILT_IN, RUN_TIME])
@pytest.mark.parametrize("shape", [{"steps": 1}, {"steps": 3}, {"slices": 2}, {"slices": 3}])
@NEEDS_COMPILER
def test_every_operand_of_a_small_modulus(name, shape, store):
    """All a below 2M: those without an inverse give the error, those from M on the inverse of a - M."""
    options = {} if name == BUILT_IN else {"bits": 8}
    prepared = make(name, store, modulus=231, **shape, **options)
    found = verify(prepared, [{"a": a} for a in range(462)])
    assert found.failed == []
    assert found.cycles == dict.fromkeys(("min", "median", "max"), prepared.schedule.latency)


@pytest.mark.parametrize("slices", [1, 2])
@NEEDS_COMPILER
def test_every_modulus_and_operand_of_a_run_time_modulus(slices, store):
    """Every m of 6 bits, the even ones refused, and every a of 7 bits."""
    prepared = make(RUN_TIME, store, bits=6, slices=slices)
    i, o = prepared.parameters.i, prepared.parameters.o
    words = [i.pack({"a": a, "m": m}) for m in range(64) for a in range(128)]
    trace = run(prepared, Stimulus(words))
    for word, result in zip(words, trace.words, strict=True):
        given, got = i.unpack(word), o.unpack(result)
        a, m = given["a"], given["m"]
        if m % 2 == 0 or m < 3:
            assert got == {"z": 0, "error": 1}
        elif a >= 2 * m:
            assert got == {"z": 0, "error": 2}
        elif gcd(a, m) > 1:
            assert got == {"z": 0, "error": 3}
        else:
            assert got == {"z": pow(a, -1, m), "error": 0}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
@NEEDS_COMPILER
def test_vectors(path, store):
    file = vectors.load(path)
    prepared = make(BUILT_IN, store, field=file.field)
    found = verify(prepared, file.cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed > 10


@pytest.mark.campaign
@NEEDS_COMPILER
def test_a_hundred_thousand_random_operands(store):
    """10^5 of 2^256 possible."""
    prepared = make(BUILT_IN, store, field="P-256", steps=2)
    rng = random.Random(31)
    found = verify(prepared, ({"a": rng.randrange(1, prepared.parameters.modulus)} for _ in range(100_000)))
    assert found.failed == []
    assert found.passed == 100_000


def test_the_control_is_the_same_for_every_operand():
    """The clock in which each phase begins and ends, in the RTL: 8 operands, with and without an inverse."""
    core = find(BUILT_IN)
    p = core.derive(Request.make(core, modulus=1155, target="generic", options={"slices": 2}))
    schedule = core.schedule(p)
    traces = {trace_of(InversionDatapath(p, schedule), a) for a in (0, 1, 2, 3, 1154, 1155, 1000, 2309)}
    assert len(traces) == 1
    assert sum(next(iter(traces))) == 1


def trace_of(path, a):
    """`done` in every cycle of an inversion."""
    seen = []

    async def bench(ctx):
        ctx.set(path.a, a)
        ctx.set(path.start, 1)
        await ctx.tick()
        ctx.set(path.start, 0)
        for _ in range(path.schedule.latency):
            seen.append(ctx.get(path.done))
            await ctx.tick()

    simulator = Simulator(path)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return tuple(seen)

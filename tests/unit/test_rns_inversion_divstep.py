# SPDX-License-Identifier: Apache-2.0
"""Constant-time inversion in residues: constants, model, RTL. What every core must keep is in tests/contract."""

import random
from fractions import Fraction
from math import gcd
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError
from modwright.contract.request import Request
from modwright.cores.modinv.rns_divstep.hardware import DivstepDatapath
from modwright.cores.modinv.rns_divstep.model import matrix
from modwright.engines.divsteps import COMPARED_TWICE, PROVED_TWICE, enough, source_of_twice, steps_for_twice
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs

CORE = "modinv/rns-divstep"
VECTORS = sorted((Path(__file__).parents[1] / "data" / "vectors").glob("modinv-*.json"))
NEEDS_COMPILER = needs("compiled-simulator")
PRIMES = [p for p in range(5, 252) if all(p % q for q in range(2, p))]


def request_for(field=None, modulus=None, target="generic", **options):
    return Request.make(find(CORE), field=field, modulus=modulus, target=target, options=options)


def make(store, **selection):
    return prepare(find(CORE), request_for(**selection), store)


# --- constants


@pytest.mark.parametrize(
    ("field", "width", "n", "cycles"),
    [
        ("P-192", 20, 11, 685),
        ("P-256", 20, 14, 893),
        ("P-384", 20, 21, 1335),
        ("P-521", 20, 28, 1777),
        ("P-256", 17, 17, 1023),
        ("P-256", 36, 9, 611),
        ("P-521", 17, 32, 2011),
    ],
)
def test_sizes_and_cycles(field, width, n, cycles):
    core = find(CORE)
    p = core.derive(request_for(field=field, width=width))
    schedule = core.schedule(p)
    assert (p.n, schedule.latency) == (n, cycles)
    assert schedule.constant_time
    assert p.certificate.failing is None


def test_a_thousand_cycles_are_enough_at_256_bits():
    core = find(CORE)
    for field in ("P-256", "secp256k1"):
        assert core.schedule(core.derive(request_for(field=field))).latency <= 1000


@pytest.mark.parametrize("width", [17, 20, 22, 24, 29, 33, 36])
@pytest.mark.parametrize("field", ["secp192k1", "P-224", "P-256", "2^255-19", "P-521"])
def test_certificates(field, width):
    p = find(CORE).derive(request_for(field=field, width=width))
    assert p.certificate.failing is None
    assert all(gcd(m, 2) == 1 for m in p.base.moduli)


@pytest.mark.parametrize("options", [{"k": 12, "width": 12}, {"k": 5, "steps": 2, "width": 12}])
def test_a_round_that_does_not_fit_is_refused(options):
    with pytest.raises(ParameterError, match="divsteps a round"):
        find(CORE).derive(request_for(modulus=1009, **options))


@pytest.mark.parametrize("bits", [*range(2, 33, 3), 48, COMPARED_TWICE])
def test_bound_for_operands_up_to_twice_the_modulus(bits):
    """13 widths of 63 possible up to 64 bits."""
    assert steps_for_twice(bits) >= enough((1 << bits) - 1, 2)


@pytest.mark.campaign
@pytest.mark.parametrize("bits", sorted(PROVED_TWICE))
def test_hulls_of_whole_operands_up_to_twice_the_modulus(bits):
    assert enough((1 << bits) - 1, 2) == PROVED_TWICE[bits]


@pytest.mark.parametrize(("bits", "words"), [(160, "convex hull of all states"), (177, "not proved above")])
def test_the_certificate_says_what_the_bound_rests_on(bits, words):
    assert words in source_of_twice(bits)


# --- the model


def test_rows_of_the_matrix():
    """|u| + |v| and |q| + |r| are at most 2^k; 20,000 states, k up to 20."""
    rng = random.Random(2)
    for _ in range(20_000):
        k = rng.randint(1, 20)
        f, g, D = rng.getrandbits(k) | 1, rng.getrandbits(k), rng.randint(-30, 30)
        _, u, v, q, r = matrix(D, f, g, k)
        assert max(abs(u) + abs(v), abs(q) + abs(r)) <= 1 << k


@pytest.mark.parametrize("modulus", [5, 7, 11, 13, 15, 21, 105, 251])
def test_model_for_every_operand(modulus):
    core = find(CORE)
    p = core.derive(request_for(modulus=modulus, width=12))
    model = core.model(p, core.schedule(p))
    for a in range(2 * modulus):
        z = model.invert(a)
        if gcd(a, modulus) > 1:
            assert z is None
        else:
            assert z * a % modulus == 1
            assert 0 < z < p.bound


@pytest.mark.parametrize("field", ["secp192k1", "P-224", "P-256", "2^255-19", "P-521"])
def test_values_in_the_rowers_stay_in_the_cox_window(field):
    """Every class modulo 12; the largest |D'| of 100 operands against the bound that the cox is made for."""
    core = find(CORE)
    p = core.derive(request_for(field=field))
    model = core.model(p, core.schedule(p))
    seen = []
    divided = model._divided
    model._divided = lambda x: seen.append(abs(x)) or divided(x)
    rng = random.Random(5)
    for _ in range(100):
        assert model.invert(rng.randrange(1, p.modulus)) is not None
    assert Fraction(max(seen), p.engine.most) <= 1


# --- the hardware


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vectors_in_the_model(path, store):
    file = vectors.load(path)
    prepared = make(store, field=file.field)
    for case in file.cases_for(prepared.core, prepared.request):
        payload = prepared.model.run(prepared.codec.encode(case)).payload
        found = prepared.codec.decode(payload)
        assert (found["error"] is not None) if "error" in case else (found["error"], found["z"]) == (None, case["z"])


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=[] if p.stem.endswith("P-256") else [pytest.mark.campaign]) for p in VECTORS],
)
@NEEDS_COMPILER
def test_vectors(path, store):
    """Those of P-256 on every run, and those of the other fields in campaigns: the model has all of them above."""
    file = vectors.load(path)
    prepared = make(store, field=file.field)
    p = prepared.parameters
    edges = [case for name, case in prepared.codec.edges().items() if name[0] not in "23" or name[-1] in "05"]
    found = verify(prepared, [*file.cases_for(prepared.core, prepared.request), *edges])
    assert found.failed == []
    assert found.cycles == dict.fromkeys(("min", "median", "max"), prepared.schedule.latency)
    assert found.passed > 60
    assert p.modulus == file.modulus


@pytest.mark.parametrize(
    "modulus", [pytest.param(p, marks=[] if p in (5, 13, 251) else [pytest.mark.campaign]) for p in PRIMES]
)
@NEEDS_COMPILER
def test_every_operand_of_a_small_prime(modulus, store):
    """All a below 2P, of every prime from 5 to 251; three primes on every run."""
    prepared = make(store, modulus=modulus, width=11)
    found = verify(prepared, [{"a": a} for a in range(2 * modulus)])
    assert found.failed == []


@pytest.mark.campaign
@NEEDS_COMPILER
def test_a_hundred_thousand_random_operands(store):
    """10^5 of 2^256 possible."""
    prepared = make(store, field="P-256")
    rng = random.Random(32)
    found = verify(prepared, ({"a": rng.randrange(1, prepared.parameters.modulus)} for _ in range(100_000)))
    assert found.failed == []
    assert found.passed == 100_000


def test_the_control_is_the_same_for_every_operand():
    """All control fields in every cycle, in the RTL; 8 operands, with and without an inverse."""
    core = find(CORE)
    p = core.derive(request_for(modulus=105, width=11))
    schedule = core.schedule(p)
    traces = {trace_of(DivstepDatapath(p, schedule), p.base.to_residues(a)) for a in (0, 1, 2, 3, 104, 105, 64, 209)}
    assert len(traces) == 1
    trace = next(iter(traces))
    assert len(trace) == schedule.latency
    assert len(set(trace)) > p.times.period // 2


def trace_of(path, residues):
    """Every control field and `done`, in every cycle of an inversion."""
    seen = []

    async def bench(ctx):
        for k, residue in enumerate(residues):
            ctx.set(path.a[k], residue)
        ctx.set(path.start, 1)
        for _ in range(path.schedule.latency):
            fields = tuple(ctx.get(path.control.field(name)) for name in sorted(path.control.widths))
            seen.append((*fields, ctx.get(path.done)))
            await ctx.tick()
            ctx.set(path.start, 0)
            for k in range(len(residues)):
                ctx.set(path.a[k], 0)

    simulator = Simulator(path)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return tuple(seen)

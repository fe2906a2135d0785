# SPDX-License-Identifier: Apache-2.0
"""The multiplier with pipelined quotients: constants, model, hardware.

What every core must keep is tested in tests/contract.
"""

import dataclasses
import json
import random
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError, UsageError
from modwright.contract import domain_of
from modwright.contract.request import Request
from modwright.cores.modmul.orup import ORUP
from modwright.engines.orup.ahead import BAD_MODULUS, OUT_OF_RANGE
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.rtl.streams import layout
from modwright.simulate import Stimulus, run, verify

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "carry_save"
SMALL = [
    {"digit": 2, "tile": 3, "delay": 3},
    {"digit": 3, "tile": 3, "delay": 3},
    {"digit": 4, "tile": 7, "delay": 5},
    {"digit": 5, "tile": 6, "delay": 4},
]
"""Digits and tiles of the same and of different widths, and every place for a register."""
IDS = [f"k{o['digit']}-w{o['tile']}-d{o['delay']}" for o in SMALL]


def make(n, store, target="generic", modulus=None, **options):
    return prepare(ORUP, Request.make(ORUP, modulus=modulus, target=target, options={"bits": n, **options}), store)


def parameters(n, target="generic", **options):
    """Parameters; nothing is built."""
    return ORUP.derive(Request.make(ORUP, target=target, options={"bits": n, **options}))


def payload(p, x, y, modulus):
    """Operands for a modulus."""
    return {"x": x, "y": y, "m": pow(1 << p.K, -1, modulus), "modulus": modulus}


def bound_of(p, m):
    """Operands are below it."""
    return m << (p.K + 1)


def moduli(n, rng, count):
    """Odd moduli of n bits, of all four classes of bits 2 and 1 in turn."""
    return [rng.getrandbits(n - 3) << 3 | 1 << (n - 1) | (2 * k + 1) % 8 for k in range(count)]


def values(bound, rng):
    """0, 1, runs and alternating bits, the ends of the range, and random values, all below `bound`."""
    ones = (1 << (bound.bit_length() - 1)) - 1
    fixed = [0, 1, ones, ones // 3, ones // 3 * 2, ones // 5, bound - 1, (ones + 1) % bound]
    return [*fixed, *(rng.randrange(bound) for _ in range(3))]


def check_product(p, given, found):
    """A result without error against plain integers."""
    m, modulus, z = given["m"], given["modulus"], found["z"]
    assert found == {"z": z, "m": m, "modulus": modulus, "error": 0}
    assert z < bound_of(p, m)
    difference = (z << p.T) - given["x"] * given["y"]
    assert difference % ((m << p.K) - 1) == 0
    assert difference % modulus == 0


# --- constants


@pytest.mark.parametrize(
    ("n", "target", "k", "N", "blocks", "latency"),
    [
        (512, "ecp5", 18, 34, 63, 52),
        (1024, "ecp5", 18, 62, 119, 81),
        (2048, "ecp5", 18, 119, 233, 144),
        (4096, "ecp5", 18, 233, 461, 271),
        (512, "xc7", 17, 36, 47, 54),
        (1024, "xc7", 17, 66, 90, 85),
        (2048, "xc7", 17, 126, 175, 151),
        (4096, "xc7", 17, 247, 346, 284),
        (64, "generic", 17, 9, 0, 24),
    ],
)
def test_constants(n, target, k, N, blocks, latency):
    p = parameters(n, target)
    schedule = ORUP.schedule(p)
    assert (p.k, p.N, p.blocks, schedule.latency) == (k, N, blocks, latency)
    assert latency == (p.N + p.d + 1) + p.limbs + p.d + 3
    assert schedule.interval == latency + 1
    assert schedule.constant_time


def test_what_a_user_of_the_domain_is_told():
    p = parameters(512, "xc7")
    montgomery = domain_of(p.i)
    assert (montgomery.T, montgomery.guard) == (17 * 36, 17 * 5)


@pytest.mark.parametrize("options", SMALL, ids=IDS)
@pytest.mark.parametrize("n", [5, 64, 521, 4096])
def test_certificates_hold_and_less_does_not(n, options):
    p = parameters(n, **options)
    assert p.certificate.failing is None
    for change, name in (
        ({"N": p.N - 1}, "result"),
        ({"chunks": p.chunks - 1}, "width"),
        ({"d": 2}, "delay"),
        ({"w": p.k - 1, "chunks": p.w * p.chunks}, "quotient"),
    ):
        assert dataclasses.replace(p, **change).certificate.failing.name == name
    assert p.largest_chunk_sum(p.largest_carry - 1) >= p.largest_carry << p.w, "a smaller carry would not do"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"modulus": "0xffff1", "options": {"bits": 16}}, ParameterError),
        ({}, UsageError),
        ({"target": "xc7", "options": {"bits": 64, "digit": 18}}, ParameterError),
        ({"target": "ecp5", "options": {"bits": 64, "tile": 19}}, ParameterError),
        ({"options": {"bits": 64, "digit": 12, "tile": 10}}, ParameterError),
    ],
)
def test_requests_that_cannot_be_met(change, error):
    request = Request.make(ORUP, **change)
    with pytest.raises(error):
        ORUP.derive(request)


def test_codec_refuses_what_has_no_montgomery_form(store):
    codec = make(8, store).codec
    for modulus in (0, 1, 2, 100, 257):
        with pytest.raises(ValueError, match="modulus"):
            codec.encode({"x": 1, "y": 1, "modulus": modulus})
    with pytest.raises(ValueError, match="negative"):
        codec.encode({"x": -1, "y": 1, "modulus": 101})


# --- the model


@pytest.mark.parametrize("options", [*SMALL, {}], ids=[*IDS, "k17"])
def test_every_state_is_the_sum_that_the_digits_say(options, store):
    """S against plain integers after each digit, its bounds and its carries; 9 moduli of 64 bits, 11 x 3 operands."""
    prepared = make(64, store, **options)
    p, model, rng = prepared.parameters, prepared.model, random.Random(2)
    for modulus in [*moduli(64, rng, 8), 3]:
        m = pow(1 << p.K, -1, modulus)
        bound = bound_of(p, m)
        for x in values(bound, rng):
            for y in (bound - 1, 1, rng.randrange(bound)):
                S, quotients, Q = 0, [], 0
                for i, state in enumerate(model.states(x, y, m)):
                    quotients.append(S % (1 << p.k))
                    late = quotients[i - p.d] if i >= p.d else 0
                    Q += late << (p.k * i)
                    S = (S >> p.k) + late * m + (x >> (p.k * i)) % (1 << p.k) * y
                    assert model.value(state) == S <= p.largest_sum
                    assert state.word >> (p.w * p.chunks) == 0
                    assert max(state.carries) <= p.largest_carry
                assert i == p.digits - 1
                dropped = sum(q << (p.k * j) for j, q in enumerate(quotients[-p.d :]))
                given = payload(p, x, y, modulus)
                found = model.run(given).payload
                check_product(p, given, found)
                assert found["z"] == (S << (p.k * p.d)) + dropped
                assert S.bit_length() <= p.last_sum_bits


# --- hardware


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize("first", ["x", "y"])
@pytest.mark.parametrize("options", [SMALL[0], pytest.param(SMALL[1], marks=pytest.mark.campaign)], ids=IDS[:2])
def test_all_of_one_operand_for_every_m_of_4_bits(first, options, store):
    """All words of one operand, reduced or not, with a drawn one for the other: 16 x 2^13 (digits of 2 bits) or 16 x
    2^17 (3 bits) of 2^30 or 2^38 words; every m there is, and the modulus that it belongs to is not looked at."""
    exhaust(make(4, store, **options), first, range(16), 1)


@pytest.mark.campaign
@pytest.mark.parametrize("first", ["x", "y"])
def test_all_of_one_operand_for_every_m_of_5_bits(first, store):
    """All words of one operand with 24 of the other: 32 x 2^14 x 24 = 12582912 of 2^33 words."""
    exhaust(make(5, store, **SMALL[0]), first, range(32), 24)


def exhaust(prepared, first, some_m, count):
    """All words of one operand with these m and some words of the other, two of which are 0 and the largest one."""
    p, rng = prepared.parameters, random.Random(7)
    second = "y" if first == "x" else "x"
    tag = {"modulus": 3}
    for m in some_m:
        bound = bound_of(p, m)
        largest = max(0, bound - 1)
        others = [rng.randrange(max(1, bound))] if count == 1 else [0, largest, bound % (1 << p.operand_bits)]
        others += [rng.randrange(max(1, bound)) for _ in range(count - len(others))]
        for other in others:
            operands = range(1 << p.operand_bits)
            words = [p.i.pack({first: value, second: other, "m": m} | tag) for value in operands]
            for value, result in zip(operands, run(prepared, Stimulus(words)).words, strict=True):
                z, _, _, error = p.o.unpack(result).values()
                if m == 0:
                    assert (z, error) == (0, BAD_MODULUS)
                elif max(value, other) >= bound:
                    assert (z, error) == (0, OUT_OF_RANGE)
                else:
                    assert error == 0
                    assert z < bound
                    assert ((z << p.T) - value * other) % ((m << p.K) - 1) == 0


@pytest.mark.parametrize("options", [*SMALL, {"digit": 17, "tile": 24}], ids=[*IDS, "k17-w24"])
def test_chunks_and_carries_are_the_models(options, store):
    """S in every cycle of the loop; 6 products of 24 bits, edge operands among them."""
    prepared = make(24, store, **options)
    p, rng = prepared.parameters, random.Random(3)
    cases = []
    for modulus in moduli(24, rng, 6):
        bound = bound_of(p, pow(1 << p.K, -1, modulus))
        cases.append(payload(p, rng.choice([bound - 1, rng.randrange(bound)]), rng.randrange(bound), modulus))
    core = ORUP.build(p, prepared.schedule)
    seen = []

    async def bench(context):
        context.set(core.o.ready, 1)
        for case in cases:
            context.set(core.i.payload, layout(p.i).const(case))
            context.set(core.i.valid, 1)
            states = []
            while not context.get(core.o.valid):
                running = context.get(core.loop.run)
                await context.tick()
                context.set(core.i.valid, 0)
                if running:
                    carries = tuple(context.get(core.loop.carries[j]) for j in range(p.chunks - 1))
                    states.append((context.get(core.loop.word), carries))
            seen.append(states)
            await context.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    for case, states in zip(cases, seen, strict=True):
        assert states == [tuple(state) for state in prepared.model.states(case["x"], case["y"], case["m"])]


@pytest.mark.parametrize("options", SMALL, ids=IDS)
def test_edges_and_errors_over_several_limbs(options, store):
    """Bits, values and cycles over 3 limbs or more: moduli of all classes and sizes, edge operands, broken ones."""
    prepared = make(40, store, limb=16, **options)
    p, rng = prepared.parameters, random.Random(4)
    assert p.limbs >= 3
    operands = []
    for modulus in [*moduli(40, rng, 4), *moduli(17, rng, 4), 3, (1 << 40) - 1]:
        bound = bound_of(p, pow(1 << p.K, -1, modulus))
        operands += [payload(p, x, y, modulus) for x in values(bound, rng) for y in (1, bound - 1)]
    good = len(operands)
    regular = payload(p, 5, 7, modulus)
    bound, top = bound_of(p, regular["m"]), (1 << p.operand_bits) - 1
    small = payload(p, 0, 0, 5)
    bad_moduli = [{"m": 0}, {"m": 0, "x": 0, "y": 0}, *({"modulus": broken} for broken in (0, 1, 2, 6, 1 << 39))]
    out_of_range = [{"x": bound}, {"y": bound}, {"x": top}, {"y": top}, {"x": top, "y": top}]
    operands += [regular | change for change in (*bad_moduli, *out_of_range)]
    operands += [small | {name: bound_of(p, small["m"]) << shift} for name in "xy" for shift in range(0, 30, 5)]
    trace = run(prepared, Stimulus([p.i.pack(o) for o in operands]))
    for number, (given, result) in enumerate(zip(operands, trace.words, strict=True)):
        outcome, found = prepared.model.run(given), p.o.unpack(result)
        assert found == outcome.payload
        assert trace.valid[number] - trace.accepted[number] == outcome.cycles
        if number < good:
            check_product(p, given, found)
        else:
            expected = BAD_MODULUS if number < good + len(bad_moduli) else OUT_OF_RANGE
            assert (found["z"], found["error"]) == (0, expected)


@needs("compiled-simulator", why="512 bits")
@pytest.mark.parametrize(
    ("n", "target"),
    [
        (512, "ecp5"),
        pytest.param(512, "xc7", marks=pytest.mark.campaign),
        pytest.param(1024, "ecp5", marks=pytest.mark.campaign),
        pytest.param(1024, "xc7", marks=pytest.mark.campaign),
        pytest.param(2048, "ecp5", marks=pytest.mark.campaign),
        pytest.param(2048, "xc7", marks=pytest.mark.campaign),
    ],
)
def test_products_of_an_independent_model(n, target, store):
    """Each case has a modulus of its own; on ECP5 through the blocks that are instantiated."""
    path = DATA / f"modmul-odd{n}.json"
    prepared = make(n, store, target, hex((1 << n) - 3))
    found = verify(prepared, vectors.load(path).cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == len(json.loads(path.read_text(encoding="utf-8"))["cases"]) == (8 if n == 512 else 15)
    assert set(found.cycles.values()) == {prepared.schedule.latency}


@pytest.mark.campaign
@pytest.mark.parametrize(("n", "count"), [(512, 100_000), (1024, 10_000), (2048, 200)])
def test_random_products(n, count, store):
    """Moduli of all four classes, edge operands up to the bound and random ones; values against plain integers."""
    prepared = make(n, store)
    p, rng = prepared.parameters, random.Random(n)
    done = 0
    while done < count:
        cases = []
        for modulus in moduli(n, rng, 40):
            m = pow(1 << p.K, -1, modulus)
            bound = bound_of(p, m)
            pairs = [(x, rng.choice([bound - 1, rng.randrange(bound)])) for x in values(bound, rng)]
            pairs += [(rng.randrange(bound), rng.randrange(bound)) for _ in range(20)]
            cases += [{"x": x, "y": y, "m": m, "modulus": modulus} for x, y in pairs]
        results = run(prepared, Stimulus([p.i.pack(case) for case in cases])).words
        for given, result in zip(cases, results, strict=True):
            check_product(p, given, p.o.unpack(result))
        done += len(cases)

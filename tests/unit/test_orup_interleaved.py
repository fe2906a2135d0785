# SPDX-License-Identifier: Apache-2.0
"""The multiplier with several products in turn: constants, slots that never meet, every S in the hardware.

What every core must keep is tested in tests/contract; what it shares with the one in test_orup.py, there.
"""

import dataclasses
import random
from math import gcd
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import ParameterError, UsageError, VerificationError
from modwright.contract.request import Request
from modwright.cores.modmul.orup import INTERLEAVED
from modwright.cores.modmul.orup.schedule.interleaved import first
from modwright.engines.orup.ahead import BAD_MODULUS, OUT_OF_RANGE
from modwright.engines.orup.interleaved import MOST_SLOTS, STEP
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.rtl.streams import layout
from modwright.simulate import Stalls, Stimulus, run, verify

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "carry_save"
SMALL = {"digit": 2, "tile": 3}
"""Seven bits of operands for a modulus of four."""


def make(n, store, target="generic", modulus=None, **options):
    request = Request.make(INTERLEAVED, modulus=modulus, target=target, options={"bits": n, **options})
    return prepare(INTERLEAVED, request, store)


def parameters(n, target="generic", **options):
    """Parameters; nothing is built."""
    return INTERLEAVED.derive(Request.make(INTERLEAVED, target=target, options={"bits": n, **options}))


def payload(p, x, y, modulus):
    """Operands for a modulus."""
    return {"x": x, "y": y, "m": pow(1 << p.K, -1, modulus), "modulus": modulus}


def expected(p, given):
    """Error and, without one, the class of z modulo M~; in plain integers."""
    m, modulus = given["m"], given["modulus"]
    if m == 0 or modulus % 2 == 0 or modulus < 3:
        return BAD_MODULUS
    return OUT_OF_RANGE if max(given["x"], given["y"]) >= m << (p.K + 1) else 0


def check(p, given, found):
    """A result against plain integers."""
    error, z, m = expected(p, given), found["z"], given["m"]
    assert found == {"z": z, "m": m, "modulus": given["modulus"], "error": error}
    if error:
        assert z == 0
    else:
        assert z < m << (p.K + 1)
        assert ((z << p.T) - given["x"] * given["y"]) % ((m << p.K) - 1) == 0


# --- constants


@pytest.mark.parametrize(
    ("n", "target", "N", "slots", "blocks", "interval", "latency"),
    [
        (160, "ecp5", 10, 4, 19, 11, 54),
        (192, "ecp5", 12, 4, 23, 13, 62),
        (256, "ecp5", 16, 4, 31, 17, 78),
        (384, "ecp5", 23, 5, 45, 24, 130),
        (521, "ecp5", 31, 5, 59, 32, 170),
        (1024, "ecp5", 58, 4, 115, 59, 246),
        (2048, "ecp5", 115, 5, 229, 116, 590),
        (256, "xc7", 17, 5, 23, 18, 100),
        (64, "generic", 5, 5, 0, 6, 40),
    ],
)
def test_constants(n, target, N, slots, blocks, interval, latency):
    p = parameters(n, target)
    schedule = INTERLEAVED.schedule(p)
    assert (p.N, p.slots, p.blocks, schedule.interval, schedule.latency) == (N, slots, blocks, interval, latency)
    assert latency == (p.N + 1) * p.slots + 10
    assert schedule.constant_time


@pytest.mark.parametrize("n", [4, 5, 24, 64, 160, 521, 1024])
@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_no_cycle_of_the_row_is_empty(n, target):
    """I cycles between products that take I steps each; other distances are refused where steps would meet."""
    p = parameters(n, target)
    schedule = INTERLEAVED.schedule(p)
    assert gcd(p.slots, p.digits) == 1
    assert schedule.interval == p.digits
    steps = {step * p.slots for step in range(p.digits)}
    assert schedule.forbidden == {distance for distance in steps if distance >= p.digits}


@pytest.mark.parametrize(
    ("n", "slots", "d", "blocks", "interval", "latency"),
    [(256, 2, 1, 32, 21, 50), (256, 3, 1, 32, 19, 68), (512, 2, 1, 60, 35, 78), (1024, 2, 1, 116, 63, 134)],
)
def test_fewer_slots_take_a_quotient_a_digit_late(n, slots, d, blocks, interval, latency):
    p = parameters(n, "ecp5", slots=slots)
    schedule = INTERLEAVED.schedule(p)
    assert (p.d, p.blocks, schedule.interval, schedule.latency) == (d, blocks, interval, latency)
    assert latency == p.digits * slots + 14 - slots


def test_slots_with_a_common_factor_cost_cycles():
    """I = 24 steps in 4 slots: starts 24 apart would meet, starts 25 apart do not."""
    assert INTERLEAVED.schedule(parameters(384, "ecp5", slots=4)).interval == 25


def test_every_width_has_slots_without_a_common_factor():
    """Up to 8192 bits, for the digits of both families of blocks."""
    longest = max(-(-(8192 + 2 * k + 2) // k) + 1 for k in (17, 18))
    for digits in range(3, longest + 1):
        assert any(gcd(slots, digits) == 1 for slots in range(STEP, MOST_SLOTS + 1))


@pytest.mark.parametrize("options", [SMALL, {"digit": 4, "tile": 7, "slots": 6}, {}], ids=["k2", "k4", "k17"])
@pytest.mark.parametrize("n", [5, 521])
def test_certificates_hold_and_less_does_not(n, options):
    p = parameters(n, **options)
    assert p.certificate.failing is None
    for change, name in (
        ({"N": p.N - 1}, "result"),
        ({"chunks": p.chunks - 1}, "width"),
        ({"slots": STEP - 1}, "slots"),
    ):
        assert dataclasses.replace(p, **change).certificate.failing.name == name
    assert p.largest_chunk_sum(p.largest_carry - 1) >= p.largest_carry << p.w, "a smaller carry would not do"
    assert p.largest_shifted + 2 * p.largest_part == p.largest_chunk_sum(p.largest_carry)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"modulus": "0xffff1", "options": {"bits": 16}}, ParameterError),
        ({}, UsageError),
        ({"target": "xc7", "options": {"bits": 64, "digit": 18}}, ParameterError),
        ({"options": {"bits": 64, "digit": 12, "tile": 10}}, ParameterError),
        ({"options": {"bits": 64, "slots": 1}}, UsageError),
    ],
)
def test_requests_that_cannot_be_met(change, error):
    with pytest.raises(error):
        INTERLEAVED.derive(Request.make(INTERLEAVED, **change))


# --- the model


def test_every_modulus_and_every_pair_of_operands_of_three_bits(store):
    """The model with all m of 3 bits and every x and y: 8 x 64 x 64 words of 6 bits, out of range as well."""
    prepared = make(4, store, **SMALL)
    p = dataclasses.replace(prepared.parameters, n=3)
    assert p.certificate.failing is None
    model = type(prepared.model)(p, prepared.schedule)
    for m in range(8):
        for x in range(1 << p.operand_bits):
            for y in range(1 << p.operand_bits):
                given = {"x": x, "y": y, "m": m, "modulus": 3}
                check(p, given, model.run(given).payload)


@pytest.mark.parametrize("options", [SMALL, {"digit": 5, "tile": 8}, {}], ids=["k2", "k5", "k17"])
def test_the_last_state_is_the_result(options, store):
    """S against plain integers after each digit, its bounds and carries; largest and drawn operands of 64 bits."""
    prepared = make(64, store, **options)
    p, model, rng = prepared.parameters, prepared.model, random.Random(2)
    for modulus in [3, (1 << 64) - 1, *(rng.getrandbits(64) | 1 for _ in range(4))]:
        bound = pow(1 << p.K, -1, modulus) << (p.K + 1)
        for x, y in ((bound - 1, bound - 1), (0, bound - 1), (rng.randrange(bound), rng.randrange(bound))):
            given = payload(p, x, y, modulus)
            S = 0
            for i, state in enumerate(model.states(x, y, given["m"])):
                S = (S >> p.k) + S % (1 << p.k) * given["m"] + (x >> (p.k * i)) % (1 << p.k) * y
                assert model.value(state) == S <= p.largest_sum
                assert max(state.carries) <= p.largest_carry
            assert model.run(given).payload["z"] == S
            check(p, given, {"z": S, "m": given["m"], "modulus": modulus, "error": 0})


# --- hardware


@needs("compiled-simulator", why="tens of thousands of operations")
@pytest.mark.parametrize("slots", [None, 2])
@pytest.mark.parametrize("one", ["x", "y"])
def test_all_of_one_operand_for_every_m_of_4_bits(one, slots, store):
    """All words of one operand, out of range as well, with 3 of the other and every m: 16 x 2^7 x 3 of 2^18 words."""
    prepared = make(4, store, **SMALL, slots=slots)
    rng, second, words = random.Random(7), "y" if one == "x" else "x", 1 << prepared.parameters.operand_bits
    for m in range(16):
        bound = m << (prepared.parameters.K + 1)
        for other in (max(0, bound - 1), rng.randrange(max(1, bound)), words - 1):
            exhaust(prepared, [{one: value, second: other, "m": m, "modulus": 3} for value in range(words)])


@pytest.mark.campaign
def test_all_operands_for_every_m_of_4_bits(store):
    """Every x, y and m: 2^18 words."""
    prepared = make(4, store, **SMALL)
    for m in range(16):
        for x in range(128):
            exhaust(prepared, [{"x": x, "y": y, "m": m, "modulus": 3} for y in range(128)])


def exhaust(prepared, cases):
    """Results of these against plain integers."""
    p = prepared.parameters
    results = run(prepared, Stimulus([p.i.pack(case) for case in cases])).words
    for given, result in zip(cases, results, strict=True):
        check(p, given, p.o.unpack(result))


@pytest.mark.parametrize(
    "options",
    [
        {"digit": 2, "tile": 3},
        {"digit": 4, "tile": 7, "slots": 6},
        {"digit": 17, "tile": 24},
        {"digit": 5, "tile": 6, "slots": 2},
        {"digit": 5, "tile": 6, "slots": 3},
    ],
    ids=["k2-w3", "k4-w7-6", "k17-w24", "k5-w6-2", "k5-w6-3"],
)
def test_chunks_and_carries_of_every_slot_are_the_models(options, store):
    """S after each step of 9 products of 24 bits that come as close to each other as they may."""
    prepared = make(24, store, **options)
    p, schedule, rng = prepared.parameters, prepared.schedule, random.Random(3)
    cases = []
    for modulus in [(1 << 24) - 3, *(rng.getrandbits(24) | 1 << 23 | 1 for _ in range(8))]:
        bound = pow(1 << p.K, -1, modulus) << (p.K + 1)
        cases.append(payload(p, rng.choice([bound - 1, rng.randrange(bound)]), rng.randrange(bound), modulus))
    core = INTERLEAVED.build(p, schedule)
    starts, words = [], []

    async def bench(context):
        context.set(core.o.ready, 1)
        while not starts or len(words) < starts[-1] + schedule.latency:
            left = cases[len(starts) :]
            context.set(core.i.valid, bool(left))
            if left:
                context.set(core.i.payload, layout(p.i).const(left[0]))
            carries = tuple(context.get(core.loop.carries[j]) for j in range(p.chunks - 1))
            if left and context.get(core.i.ready):
                starts.append(len(words))
            words.append((context.get(core.loop.word), carries))
            await context.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert starts[-1] - starts[0] == 8 * schedule.interval
    for case, start in zip(cases, starts, strict=True):
        seen = [words[start + first(p) + step * p.slots] for step in range(1, p.digits + 1)]
        assert seen == [tuple(state) for state in prepared.model.states(case["x"], case["y"], case["m"])]


def test_operations_that_would_meet_are_kept_apart(store):
    """With an admission that only keeps the interval, irregular operations meet in the ring, and lost."""
    right = make(6, store, modulus="61", digit=3)
    assert right.schedule.forbidden
    stalls, cases = Stalls(seed=3, i=70, o=0), random_cases(right, 40, seed=1)
    assert verify(right, cases, simulator="pure", stalls=stalls).failed == []
    careless = dataclasses.replace(right.schedule)
    careless.__dict__["forbidden"] = frozenset()
    built = dataclasses.replace(INTERLEAVED, build=lambda p, s: INTERLEAVED.build(p, careless))
    with pytest.raises(VerificationError, match="no result of operation"):
        verify(dataclasses.replace(right, core=built), cases, simulator="pure", stalls=stalls)


@pytest.mark.parametrize(("n", "slots"), [(5, 4), (16, 2), (16, 4)])
def test_moduli_shorter_than_a_digit(n, slots, store):
    """Digits of 17 bits: operands, good ones and those to be refused, are compared with a modulus in whole digits."""
    prepared = make(n, store, slots=slots)
    assert prepared.parameters.k > n
    cases = edge_cases(prepared, products=False) + random_cases(prepared, 40, seed=n)
    found = verify(prepared, cases, simulator="pure")
    assert found.failed == [] and found.passed == len(cases)


@needs("compiled-simulator", why="blocks are instances")
@pytest.mark.parametrize("slots", [2, 3, 4, 5])
def test_blocks_that_are_instantiated(slots, store):
    """40 random products of 48 bits through the blocks of ECP5, with registers for the way and without."""
    prepared = make(48, store, "ecp5", hex((1 << 48) - 59), slots=slots)
    assert prepared.parameters.blocks == (7 if slots >= STEP else 8)
    found = verify(prepared, random_cases(prepared, 40, seed=2))
    assert found.failed == []
    assert found.interval == prepared.schedule.interval


@pytest.mark.campaign
@needs("compiled-simulator", why="512 bits")
@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_products_of_an_independent_model(target, store):
    """Each case has a modulus of its own."""
    prepared = make(512, store, target, hex((1 << 512) - 3))
    found = verify(prepared, vectors.load(DATA / "modmul-odd512.json").cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == 8
    assert set(found.cycles.values()) == {prepared.schedule.latency}

# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multipliers in hardware: every value of small bases, the vectors, long runs.

What every core must keep is tested in tests/contract.
"""

import json
import random

import pytest

from modwright.base.errors import ParameterError
from modwright.functions.cases import edge_cases, random_cases
from modwright.simulate import Stalls, Stimulus, available_simulator, run, verify

from .rns_montgomery_hardware import DATA, EXTENSIONS, MULTIPLIERS, compiled_only, make

P256 = "2^256-2^224+2^192+2^96-1"
COMPILED = available_simulator() == "compiled"
PURE = 200
"""Operations that the pure simulator gets where the compiled one gets all."""


def few(values, seed):
    """All of them, or a sample where there is no compiler."""
    values = list(values)
    return values if COMPILED else random.Random(seed).sample(values, min(PURE, len(values)))


def extended(prepared, values):
    """Results of the core for integers, which may be beyond those that the codec takes."""
    p = prepared.parameters
    trace = run(prepared, Stimulus([p.i.pack({"x": p.A.to_residues(x)}) for x in values]))
    return [p.o.unpack(word)["z"] for word in trace.words]


# --- every value


@pytest.mark.parametrize("sigma", ["1/2", "7/8"])
@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_value_of_two_channels_of_8_bits(name, sigma, store):
    """X < (1 - σ)·A, and the negative ones that come out right: all of them."""
    one = make(name, store, "1009", width=8, channels=2, sigma=sigma)
    p = one.parameters
    values = few(range(p.least, p.limit), 1)
    for x, z in zip(values, extended(one, values), strict=True):
        assert z == p.B.to_residues(x)


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_value_of_two_channels_without_offset(name, store):
    """X or X + A for every X < A, and X + A only for 0 < X < E·A; both do come."""
    one = make(name, store, "61", width=8, channels=2, sigma="0")
    p = one.parameters
    product = p.A.product
    more = 0
    values = few(range(product), 2) if COMPILED else list(range(PURE))
    for x, z in zip(values, extended(one, values), strict=True):
        if z != p.B.to_residues(x):
            assert z == p.B.to_residues(x + product)
            assert 0 < x < p.extension.error * product
            more += 1
    assert more > 0


@compiled_only
@pytest.mark.parametrize("name", EXTENSIONS)
def test_values_of_four_channels_of_8_bits(name, store):
    """60,000 values of about 2^31 possible: at random, and near 0, E·A, A/4 and A/2."""
    one = make(name, store, "2^28-57", width=8, channels=4, sigma="3/4" if name == "basext/hbe" else "1/2")
    p = one.parameters
    rng = random.Random(4)
    values = [rng.randrange(p.least, p.limit) for _ in range(40_000)]
    for near in (0, int(p.extension.error * p.A.product) % p.limit, p.limit // 2, p.limit - 1, p.least):
        values += [x for x in range(near - 2000, near + 2000) if p.least <= x < p.limit]
    for x, z in zip(values, extended(one, values), strict=True):
        assert z == p.B.to_residues(x)


@pytest.mark.parametrize("modulus", ["31", pytest.param("61", marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("name", "width"), [("modmul/rns-kbe", 8), ("modmul/rns-hbe", 9)])
def test_every_product_of_a_small_modulus(name, width, modulus, store):
    """Every pair of operands below the bound: two channels of 8 or 9 bits in either base."""
    one = make(name, store, modulus, width=width, channels=2)
    bound = one.parameters.bound
    cases = few([{"x": x, "y": y} for x in range(bound) for y in range(bound)], 5)
    found = verify(one, cases)
    assert found.failed == []
    assert found.passed == len(cases)


# --- hats that wait for the bus


@pytest.mark.parametrize(
    ("modulus", "options", "wait", "interval"),
    [("secp256k1", {}, 0, 24), ("secp384r1", {"width": 24}, 1, 26), ("secp384r1", {}, 4, 32), ("secp521r1", {}, 6, 42)],
)
def test_operations_overlap_however_many_rows_there_are(modulus, options, wait, interval, store):
    """The rows of both extensions and the gap between them, in which the next operation's first products are made."""
    one = make("modmul/rns-hbe", store, modulus, **options)
    schedule, rows = one.schedule, one.parameters.engine.rows
    first, second = (schedule.step(f"{name}: row 1").start for name in ("ŝ", "s"))
    assert schedule.interval == interval == second - first + rows
    assert [step.busy for step in schedule.steps if step.resource == "held hats"] == ([wait] if wait else [])


@compiled_only
@pytest.mark.campaign
@pytest.mark.parametrize(("channels", "local"), [(18, False), (24, True)])
def test_products_of_which_the_hats_wait(channels, local, store):
    """Many channels for a small modulus: rows are many, operands few."""
    one = make("modmul/rns-hbe", store, "1009", width=17, channels=channels, local=local)
    assert one.schedule.step("q̂ held").busy > 0
    cases = edge_cases(one)[:60] + random_cases(one, 40, seed=7)
    assert verify(one, cases).failed == []
    assert verify(one, cases, stalls=Stalls(7, 30, 60)).failed == []
    assert verify(one, cases, chained=True).failed == []


# --- options past the paper at full width

PAST = [
    ("basext/hbe", {"c": 3}),
    ("basext/hbe", {"c": 4, "cox": "sum", "sigma": "15/16"}),
    ("basext/hbe", {"rowers": 4}),
    ("basext/kbe", {"rowers": 5, "sigma": "0"}),
    ("modmul/rns-hbe", {"c": 3, "kappa": 2}),
    ("modmul/rns-hbe", {"c": 4, "first": "none"}),
    ("modmul/rns-hbe", {"rowers": 4, "kappa": 3}),
    ("modmul/rns-hbe", {"output": "exact"}),
    ("modmul/rns-kbe", {"rowers": 4, "output": "exact", "first": "none"}),
]


@compiled_only
@pytest.mark.campaign
@pytest.mark.parametrize(("name", "options"), PAST)
def test_options_at_256_bits(name, options, store):
    """Edge cases and 1000 random ones, with stalls and without, and chained."""
    one = make(name, store, P256, **options)
    cases = edge_cases(one)[:200] + random_cases(one, 1000, seed=18)
    assert verify(one, cases).failed == []
    assert verify(one, cases[:400], stalls=Stalls(19, 30, 60)).failed == []
    if one.codec.feedback():
        assert verify(one, cases[:400], chained=True).failed == []


@compiled_only
@pytest.mark.parametrize(("c", "sigma"), [(3, "1/2"), (3, "0"), (4, "15/16")])
def test_values_of_rows_of_three_and_four(c, sigma, store):
    """20,000 values of one row of 8-bit or two rows of 12-bit channels: random, and near the ends."""
    width, n = (10, 3) if c == 3 else (12, 8)
    one = make("basext/hbe", store, "1009", width=width, channels=n, c=c, sigma=sigma)
    p = one.parameters
    product = p.A.product
    low, high = (p.least, p.limit) if p.exact else (0, product)
    rng = random.Random(c)
    values = [rng.randrange(low, high) for _ in range(16_000)]
    for near in (0, int(p.extension.error * product), high - 1, low):
        values += [min(max(near + d, low), high - 1) for d in range(-500, 500)]
    for x, z in zip(values, extended(one, values), strict=True):
        if z != p.B.to_residues(x):
            assert not p.exact
            assert z == p.B.to_residues(x + product)
            assert 0 < x < p.extension.error * product


# --- long runs


def forced(one, count, rng):
    """Payloads of X and 1 with the Q near 0, E·A, A/2 and A, and S near 0."""
    p = one.parameters
    product, unit = p.A.product, one.codec.store(1)
    error = int(p.reduction.first.error * product)
    for n in range(count):
        near = (0, error, product // 2, product)[n % 4]
        q = (near + rng.randrange(-1000, 1000)) % product
        x = -q * p.modulus % product + product * rng.randrange(0, 3)
        yield p.i.pack({"x": one.codec.store(x), "y": unit}), x


@pytest.mark.campaign
@pytest.mark.parametrize("name", MULTIPLIERS)
def test_a_hundred_thousand_reductions(name, store):
    """Half of random products, half with Q forced near 0, E·A, A/2 and A, at 256 bits."""
    one = make(name, store, P256)
    found = verify(one, random_cases(one, 50_000, seed=6))
    assert found.failed == []
    assert found.passed == 50_000
    p = one.parameters
    pairs = list(forced(one, 50_000, random.Random(7)))
    trace = run(one, Stimulus([word for word, _ in pairs]))
    inverse = pow(p.A.product, -1, p.modulus)
    for (_, x), word in zip(pairs, trace.words, strict=True):
        s = one.codec.restore(p.o.unpack(word)["z"])
        assert s < p.bound
        assert s % p.modulus == x * inverse % p.modulus


@pytest.mark.campaign
@pytest.mark.parametrize("name", EXTENSIONS)
def test_a_hundred_thousand_extensions(name, store):
    """At random, and near 0, E·A, A/4, A/2 and the negative end, at 256 bits."""
    one = make(name, store, P256)
    p = one.parameters
    rng = random.Random(8)
    values = [rng.randrange(p.least, p.limit) for _ in range(50_000)]
    ends = (0, int(p.extension.error * p.A.product), p.limit // 2, p.limit, p.least)
    for n in range(50_000):
        x = ends[n % len(ends)] + rng.randrange(-1000, 1000)
        values.append(min(max(x, p.least), p.limit - 1))
    for x, z in zip(values, extended(one, values), strict=True):
        assert z == p.B.to_residues(x)


@compiled_only
@pytest.mark.parametrize("name", MULTIPLIERS)
def test_forced_quotients(name, store):
    """400 reductions with the Q near 0, E·A, A/2 and A, some of which are extended as Q + A."""
    one = make(name, store, P256)
    p = one.parameters
    pairs = list(forced(one, 400, random.Random(9)))
    trace = run(one, Stimulus([word for word, _ in pairs]))
    inverse = pow(p.A.product, -1, p.modulus)
    for (word, x), result in zip(pairs, trace.words, strict=True):
        assert p.o.unpack(result) == one.model.run(p.i.unpack(word)).payload
        s = one.codec.restore(p.o.unpack(result)["z"])
        assert s < p.bound
        assert s % p.modulus == x * inverse % p.modulus


@compiled_only
@pytest.mark.parametrize("name", MULTIPLIERS)
def test_a_multiplication_at_256_bits(name, store):
    """Edge cases and random ones, with stalls and chained; the modelled blocks of ECP5 are simulated elsewhere."""
    one = make(name, store, P256)
    cases = edge_cases(one)[:100] + random_cases(one, 200, seed=10)
    assert verify(one, cases, stalls=Stalls(11, 30, 60)).failed == []
    assert verify(one, cases, chained=True).failed == []


@pytest.mark.campaign
@pytest.mark.parametrize("name", MULTIPLIERS)
@pytest.mark.parametrize(
    ("modulus", "width"), [("2^512-569", 20), ("2^1024-105", 24), ("2^521-1", 17), ("2^255-19", 36)]
)
def test_other_sizes(name, modulus, width, store):
    """300 products each."""
    one = make(name, store, modulus, width=width)
    cases = edge_cases(one)[:100] + random_cases(one, 200, seed=12)
    assert verify(one, cases).failed == []


# --- exponentiation


def test_exponentiation_by_windows(store):
    """Every base and 40 exponents of 8 bits modulo 61, through results that chain."""
    one = make("modexp/rns-hbe-window", store, "61", width=9, channels=2, exponent_bits=8, window=3)
    rng = random.Random(13)
    cases = [{"base": b, "exponent": rng.randrange(256)} for b in range(61) for _ in range(40 if COMPILED else 1)]
    found = verify(one, cases)
    assert found.failed == []
    assert found.passed == len(cases)


@compiled_only
@pytest.mark.campaign
@pytest.mark.parametrize(("bits", "width"), [(1024, 24), (2048, 28)])
def test_exponentiation_at_the_sizes_of_rsa(bits, width, store):
    """One full exponentiation of the vectors, and products modulo the same number."""
    cases = json.loads((DATA.parents[1] / "modexp" / f"modexp-{bits}.json").read_text(encoding="utf-8"))["cases"]
    case = next(c for c in cases if int(c["modulus"], 16).bit_length() == bits)
    one = make("modexp/rns-hbe-window", store, case["modulus"], width=width, cox="sum")
    found = verify(one, [{name: int(case[name], 16) for name in ("base", "exponent", "z")}])
    assert found.failed == []
    assert found.passed == 1
    product = make("modmul/rns-hbe", store, case["modulus"], width=width, cox="sum")
    cases = random_cases(product, 100, seed=14)
    assert verify(product, cases).passed == 100


# --- drawn configurations


def drawn(rng, store):
    """A core, width, modulus and options that the certificate takes."""
    while True:
        name, width = rng.choice(EXTENSIONS + MULTIPLIERS), rng.randrange(8, 37)
        bits = rng.randrange(2, 4 * width)
        modulus = max(3, rng.getrandbits(bits) | 1 << (bits - 1) | 1)
        options = {"width": width, "latency": rng.randrange(2, 9)}
        if rng.random() < 0.5:
            options["sigma"] = rng.choice(["1/4", "1/2", "3/4", "7/8", "15/16"])
        if name in EXTENSIONS and rng.random() < 0.2:
            options["sigma"] = "0"
        if name.endswith("hbe"):
            options |= {"cox": rng.choice(["super", "sum"]), "c": rng.choice([2, 2, 3, 4])}
        if rng.random() < 0.4:
            options["rowers"] = rng.randrange(1, 3) * options.get("c", 1)
        if name in MULTIPLIERS and rng.random() < 0.5:
            options |= {"kappa": rng.randrange(1, 5), "first": rng.choice(["cox", "none"])}
            options["output"] = rng.choice(["class", "exact"])
        if rng.random() < 0.3:
            options["t"] = rng.randrange(2, 12)
        try:
            return make(name, store, hex(modulus), rng.choice(["generic", "xc7"]), **options)
        except ParameterError:
            continue


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(2, 12))])
def test_drawn_configurations(seed, store):
    """20 configurations, each with up to 12 operations, in the pure simulator; half of them stalled."""
    rng = random.Random(seed)
    for number in range(20):
        one = drawn(rng, store)
        edges = edge_cases(one)
        cases = random_cases(one, 6, seed=number) + rng.sample(edges, min(6, len(edges)))
        found = verify(one, cases, simulator="pure", stalls=Stalls(number, 30, 30) if number % 2 else None)
        assert found.failed == [], one.request.to_mapping()

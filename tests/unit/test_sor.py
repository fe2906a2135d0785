# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multipliers: constants, bounds and cycles against the paper and plain integers; RTL, exhaustively."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modwright.base.errors import ParameterError
from modwright.contract.request import Request
from modwright.functions.vectors import load
from modwright.plan.tiling import Tiling
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import Stalls, Stimulus, available_simulator, run, verify

from ..tools import needs

TABLE_2 = {
    "secp160k1": 5,
    "secp160r1": 5,
    "secp192k1": 6,
    "secp192r1": 6,
    "secp224k1": 7,
    "secp224r1": 7,
    "secp256k1": 8,
    "ed25519": 8,
    "secp384r1": 12,
    "secp521r1": 16,
}
"""Primes of Table 2 (corrected) and their number of channels."""
PAPER_CORES = ("modmul/sor-1m-n", "modmul/sor-1m-p", "modmul/sor-2m", "modmul/sor-nm")
ALL_CORES = (*PAPER_CORES, "modmul/sor-lean")
VECTORS = Path(__file__).parents[1] / "data" / "vectors"

compiled = needs("compiled-simulator", why="full widths")


def derived(name, field, target="ecp5", **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=field, target=target, options=options))


@pytest.mark.parametrize(
    ("name", "cycles"), list(zip(PAPER_CORES, (31, 24, 18, 12), strict=True)), ids=lambda v: str(v).rpartition("/")[2]
)
def test_cycles_of_the_paper(name, cycles):
    """N = 8 and a two-clock multiplier: Table 4's cycle counts."""
    assert derived(name, "secp256k1", latency=2).schedule.latency == cycles


@pytest.mark.parametrize("field", TABLE_2)
@pytest.mark.parametrize("latency", [2, 3, 6])
def test_cycle_formulas(field, latency):
    n = TABLE_2[field]
    issue = 2 if latency == 2 else 1
    expected = {
        "modmul/sor-1m-n": (latency + 1) * n + 3 * latency + 1,
        "modmul/sor-1m-p": 4 * latency + (n - 1) * issue + 2,
        "modmul/sor-2m": 4 * latency + ((n + 1) // 2 - 1) * issue + 4,
        "modmul/sor-nm": 4 * latency + 4,
    }
    for name, cycles in expected.items():
        prepared = derived(name, field, latency=latency)
        assert n == prepared.parameters.N
        assert prepared.schedule.latency == cycles
        assert prepared.schedule.constant_time


@pytest.mark.parametrize(("field", "kappa"), [("secp256k1", 1), ("secp521r1", 4)])
def test_cycle_formulas_of_deep_multipliers(field, kappa):
    """The accumulators have two cycles, and κ has some to come into the channels: two more where it is folded."""
    n, latency = TABLE_2[field], 8
    expected = {
        "modmul/sor-1m-n": (latency + 1) * n + 3 * latency + 3 + kappa,
        "modmul/sor-1m-p": 4 * latency + n - 1 + 4 + kappa,
        "modmul/sor-2m": 4 * latency + (n + 1) // 2 - 1 + 4 + kappa,
        "modmul/sor-nm": 4 * latency + 4 + kappa,
    }
    for name, cycles in expected.items():
        assert derived(name, field, latency=latency).schedule.latency == cycles


@pytest.mark.parametrize(("multipliers", "most"), [(1, 17), (2, 11)])
@pytest.mark.parametrize("field", ["P-256", "secp256k1", "brainpoolP256r1", "sm2"])
def test_lean_cycles_at_256_bits(field, multipliers, most):
    assert derived("modmul/sor-lean", field, latency=2, multipliers=multipliers).schedule.latency <= most


def test_bounds_that_the_paper_leaves_open():
    """E = 1/8 for secp256k1 with T = 72, 1/4 for Ed25519 with T = 71; κ of 52 and 41 bits."""
    secp = derived("modmul/sor-1m-p", "secp256k1").parameters
    edwards = derived("modmul/sor-1m-p", "ed25519").parameters
    assert (secp.T, edwards.T) == (72, 71)
    assert abs(secp.bound / secp.modulus - 1.125) < 1e-3
    assert abs(edwards.bound / edwards.modulus - 1.25) < 1e-3
    assert (secp.kappa_bound.bit_length(), edwards.kappa_bound.bit_length()) == (52, 41)
    assert (secp.kappa_width, edwards.kappa_width) == (55, 44)


@pytest.mark.parametrize("field", ["secp192r1", "secp224k1", "secp224r1", "secp384r1", "secp521r1"])
def test_kappa_wider_than_a_channel_is_folded(field):
    p = derived("modmul/sor-1m-p", field).parameters
    assert p.kappa_bound >= min(p.base.moduli)
    assert p.kappa_plan(0).folds


def test_smallest_constants_are_proved_and_smaller():
    """The smallest T that is provably safe to chain is 62 for secp256k1 and 61 for Ed25519."""
    for field, expected in (("secp256k1", 62), ("ed25519", 61)):
        p = derived("modmul/sor-1m-p", field, constants="smallest").parameters
        assert expected == p.T
        assert p.q <= 4
        assert p.certificate.failing is None


def test_p256_is_refused_by_kappa_and_taken_without_it():
    with pytest.raises(ParameterError, match=r"fails kappa[\s\S]*N·2\^n·ε < 2\^W") as caught:
        derived("modmul/sor-2m", "P-256")
    assert caught.value.exit_code == 4
    assert caught.value.left is not None
    assert caught.value.right == 1 << 256
    assert derived("modmul/sor-lean", "P-256").parameters.certificate.failing is None


def test_residues_beyond_the_bound_have_some_result(store):
    """The value is not stated; but the model has one, and the core has the same."""
    core = find("modmul/sor-1m-p")
    request = Request.from_mapping(
        core, {"core": core.name, "modulus": "61", "target": "generic", "options": {"width": 8}}
    )
    prepared = prepare(core, request, store)
    i, o, drawn = prepared.parameters.i, prepared.parameters.o, random.Random(1)
    words = [drawn.getrandbits(i.width) for _ in range(60)]
    largest = [prepared.parameters.base.to_residues(prepared.parameters.base.product - k) for k in (1, 2, 9)]
    words += [i.pack({"x": x, "y": prepared.parameters.base.to_residues(1)}) for x in largest]
    trace = run(prepared, Stimulus(words), "pure")
    assert [o.unpack(word) for word in trace.words] == [prepared.model.run(i.unpack(word)).payload for word in words]


def test_one_times_one_is_p_plus_one():
    """The paper calls the result precise; it is bounded."""
    prepared = derived("modmul/sor-1m-p", "secp256k1")
    payload = prepared.model.run(prepared.codec.encode({"x": 1, "y": 1})).payload
    assert prepared.codec.decode(payload)["representative"] == prepared.parameters.modulus + 1


def test_blocks_and_cycles_on_series_7():
    """Lean: at most 80 tiles, and three times better than sor-2m in blocks x cycles, with a two-clock multiplier."""
    lean = derived("modmul/sor-lean", "secp256k1", "xc7", latency=2)
    two = derived("modmul/sor-2m", "secp256k1", "xc7", latency=2)
    lean_blocks = lean.parameters.N * Tiling(48, 48, "xc7").blocks
    p = two.parameters
    two_blocks = 2 * p.N * Tiling(66, 66, "xc7").blocks + Tiling(66, p.kappa_width, "xc7", 2).blocks
    assert lean_blocks == 78
    assert two_blocks * two.schedule.latency >= 3 * lean_blocks * lean.schedule.latency


@settings(max_examples=40, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["modmul/sor-2m", "modmul/sor-lean"])
def test_model_against_integers(name, data):
    """Chains of products at the edge of the bound, over every prime of Table 2; the lean one over others, too."""
    more = [] if name == "modmul/sor-2m" else ["P-256", "brainpoolP320r1", "bls12-381", "2^192-2^64-3"]
    prepared = derived(name, data.draw(st.sampled_from([*TABLE_2, *more])))
    p, codec = prepared.parameters, prepared.codec
    near = st.integers(0, p.bound - 1) | st.integers(max(0, p.bound - 5), p.bound - 1) | st.integers(0, 3)
    payload = codec.encode({"x": data.draw(near), "y": data.draw(near)})
    x, y = codec.restore(payload["x"]), codec.restore(payload["y"])
    for _ in range(3):
        out = prepared.model.run(payload).payload
        result = codec.decode(out)
        assert result["error"] is None
        assert result["z"] == x * y % p.modulus
        payload = {"x": out["z"], "y": payload["y"]}
        x = result["representative"]


SMALL = {name: ({"width": 8, "latency": 2}, {"width": 9, "latency": 8}) for name in ALL_CORES}


@pytest.mark.parametrize("name", ALL_CORES)
def test_every_pair_of_a_small_prime(name):
    """61: all 3721 of 3721 pairs in RTL (every third of them without a compiler)."""
    options = SMALL[name][0]
    prepared = derived(name, "61", "generic", **options)
    pairs = list(itertools.product(range(61), repeat=2))
    chosen = pairs if available_simulator() == "compiled" else pairs[::37]
    result = verify(prepared, [{"x": x, "y": y} for x, y in chosen])
    assert result.cases == len(chosen)
    assert not result.failed


@pytest.mark.campaign
@pytest.mark.parametrize("name", ALL_CORES)
@pytest.mark.parametrize("prime", [61, 67, 127, 251])
def test_every_pair_of_small_primes_with_stalls(name, prime):
    """All pairs of each prime in RTL, stalls on both streams."""
    prepared = derived(name, str(prime), "ecp5", **SMALL[name][1])
    cases = [{"x": x, "y": y} for x, y in itertools.product(range(prime), repeat=2)]
    result = verify(prepared, cases, stalls=Stalls(prime, 30, 30))
    assert result.passed == prime * prime


FULL_WIDTH = [
    ("modmul/sor-2m", "modmul-secp256k1.json", {}),
    ("modmul/sor-lean", "modmul-secp192k1.json", {"multipliers": 2}),
    ("modmul/sor-1m-p", "modmul-ed25519.json", {"latency": 2}),
    ("modmul/sor-1m-p", "modmul-secp192k1.json", {"io": "binary", "output": "exact"}),
]


@pytest.mark.parametrize(("name", "file", "options"), FULL_WIDTH)
def test_vectors_in_the_model(name, file, options):
    vectors = load(VECTORS / file)
    prepared = derived(name, file.removeprefix("modmul-").removesuffix(".json"), **options)
    for case in vectors.cases:
        payload = prepared.codec.encode({"x": case["x"], "y": case["y"]})
        result = prepared.codec.decode(prepared.model.run(payload).payload)
        assert (result["z"], result["error"]) == (case["z"], None)
    assert len(vectors.cases) >= 20


@compiled
@pytest.mark.parametrize(
    ("name", "file", "options"),
    [
        pytest.param(*row, marks=[] if row == FULL_WIDTH[1] else [pytest.mark.campaign])
        for row in FULL_WIDTH[1:]  # the first is below, where its library serves a long run as well
    ],
)
def test_vectors_at_full_width(name, file, options):
    """In hardware, which takes Verilator and its compiler longest: two of them on every run."""
    assert_vectors(derived(name, file.removeprefix("modmul-").removesuffix(".json"), **options), file)


def assert_vectors(prepared, file):
    """All vectors of a file, with stalls at both streams."""
    result = verify(prepared, load(VECTORS / file).cases, stalls=Stalls(7, 30, 30))
    assert result.cases >= 20
    assert not result.failed


@compiled
def test_vectors_edges_and_a_long_chain_at_full_width():
    """2,000 products of 2^512 possible, each the operand of the next, and in campaigns a million; then, on the same
    library, every named edge and the vectors."""
    prepared = derived("modmul/sor-2m", "secp256k1")
    rng = random.Random(3)
    top = prepared.parameters.bound
    cases = [{"x": rng.randrange(top), "y": rng.randrange(top)} for _ in range(2_000)]
    assert not verify(prepared, cases, chained=True).failed
    assert not verify(prepared, list(prepared.codec.edges().values())).failed
    assert_vectors(prepared, FULL_WIDTH[0][1])


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("chained", [False, True])
def test_a_million_products(chained):
    """10^6 random products of 2^512 possible at 256 bits, stalls on both streams."""
    prepared = derived("modmul/sor-2m", "secp256k1")
    rng = random.Random(4)
    top = prepared.parameters.bound
    cases = ({"x": rng.randrange(top), "y": rng.randrange(top)} for _ in range(1_000_000))
    result = verify(prepared, cases, stalls=Stalls(5, 10, 10), chained=chained)
    assert result.passed == 1_000_000


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("field", TABLE_2)
@pytest.mark.parametrize("name", PAPER_CORES[:3])
def test_every_prime_of_table_2(name, field):
    """2,000 random products and all edges, at full width."""
    prepared = derived(name, field)
    rng = random.Random(5)
    top = prepared.parameters.bound
    cases = [*prepared.codec.edges().values()]
    cases += [{"x": rng.randrange(top), "y": rng.randrange(top)} for _ in range(2_000)]
    assert not verify(prepared, cases).failed

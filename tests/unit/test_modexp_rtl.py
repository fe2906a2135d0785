# SPDX-License-Identifier: Apache-2.0
"""Exponentiation over the multipliers in hardware."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from modwright.combine.exponentiation.parameters import METHODS
from modwright.combine.exponentiation.plan.execution import Execution, start
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, random_cases
from modwright.simulate import Stalls, Stimulus, run, verify

from ..tools import needs
from .modexp_cases import RUNTIME, make

DATA = Path(__file__).parents[1] / "data" / "modexp"
BUILT_IN = ["binary", "binary-serial", "sor-2m", "sor-lean"]


@needs("compiled-simulator", why="hundreds of thousands of cycles")
@pytest.mark.parametrize("method", METHODS)
def test_every_power_modulo_small_numbers_in_hardware(method, store):
    """The same 1008 operations, and those whose base is too large or whose modulus is even: 4096 of 4096 words."""
    prepared = make(f"booth8-csa-{method}", store, bits=4, exponent_bits=4)
    p = prepared.parameters
    operands = [{"base": b, "exponent": e, "m": m} for m in range(16) for b in range(16) for e in range(16)]
    trace = run(prepared, Stimulus([p.i.pack(one) for one in operands]))
    for given_, word, begin, end in zip(operands, trace.words, trace.accepted, trace.valid, strict=True):
        outcome, found = prepared.model.run(given_), p.o.unpack(word)
        assert found == outcome.payload
        assert end - begin == outcome.cycles
        b, e, m = given_.values()
        if m % 2 == 0 or m < 3:
            assert found == {"z": 0, "error": 1}
        elif b < m:
            assert found == {"z": pow(b, e, m), "error": 0}
        elif b >= 2 * m:
            assert found == {"z": 0, "error": 2}


OPTIONS = [{}, {"constants": "stream"}, {"interleave": 2}, {"domain": 1, "limb": 16}]
WITH_OPTIONS = [
    pytest.param(name, options, id=f"{name}-{options}", marks=[] if (row + column) % 2 == 0 else [pytest.mark.campaign])
    for row, name in enumerate(["booth8-csa-ladder", "booth8-csa-window", "booth4-csa-r2l", "vlm3-ladder"])
    for column, options in enumerate(OPTIONS)
]
"""On every run 8 of 16: two of the options for each core, and each of them with two."""


@pytest.mark.parametrize(("name", "options"), WITH_OPTIONS)
def test_options(name, options, store):
    """Values, bits and cycles of 8 operations with and without stalls; a modulus of 17 bits in a core of 20."""
    prepared = make(name, store, modulus="0x1fffb", bits=20, exponent_bits=7, **options)
    cases = edge_cases(prepared, products=False)[:5] + random_cases(prepared, 3, seed=4)
    for stalls in (None, Stalls(5, 30, 60)):
        found = verify(prepared, cases, stalls=stalls)
        assert found.failed == []
        assert found.passed == 8


@pytest.mark.parametrize("constants", ["hardware", "stream"])
def test_two_exponentiations_in_turn(constants, store):
    """Values, bits and cycles of 6 operations in two slots, with and without stalls."""
    prepared = make(
        "orup-interleaved-window", store, modulus="0x1fffb", bits=20, exponent_bits=7, slots=2, constants=constants
    )
    assert (prepared.schedule.burst, prepared.parameters.stride) == (2, 2)
    cases = edge_cases(prepared, products=False)[:3] + random_cases(prepared, 3, seed=4)
    for stalls in (None, Stalls(5, 30, 60)):
        found = verify(prepared, cases, stalls=stalls)
        assert found.failed == []
        assert found.passed == 6


@pytest.mark.parametrize(
    ("bits", "options"),
    [
        (4, {"window": 2, "target": "ecp5"}),
        (9, {"window": 2}),
        (150, {"window": 2, "target": "ecp5", "exponent_bits": 4}),  # a row with two copies of what controls it
        pytest.param(61, {"window": 3}, marks=pytest.mark.campaign),
        pytest.param(170, {"target": "ecp5"}, marks=pytest.mark.campaign),
    ],
)
def test_common_registers_of_any_number_of_limbs(bits, options, store):
    """One limb, and several, with and without stalls; in block RAM of the device as well."""
    options = {"exponent_bits": bits, "slots": 2, "constants": "stream", **options}
    prepared = make("orup-interleaved-window", store, bits=bits, **options)
    assert prepared.parameters.in_turn is not None
    cases = edge_cases(prepared, products=False)[:3] + random_cases(prepared, 4, seed=4)
    for stalls in (None, Stalls(5, 30, 60)):
        found = verify(prepared, cases, stalls=stalls)
        assert found.failed == []
        assert found.passed == len(cases)


@needs("compiled-simulator", why="thousands of cycles each")
@pytest.mark.parametrize("name", ["booth8-csa-window", "booth4-csa-l2r", "csa-ladder"])
def test_a_square_that_is_not_below_the_modulus_is_halved(name, store):
    """61 bits in one limb: 12 moduli next to 2^61, and constants that come by squares."""
    prepared = make(name, store, bits=61, exponent_bits=5)
    moduli = [(1 << 61) - 1 - 2 * k for k in range(12)]
    cases = [{"base": m // 3 + k, "exponent": 21, "modulus": m} for k, m in enumerate(moduli)]
    p, codec = prepared.parameters, prepared.codec
    trace = run(prepared, Stimulus([p.i.pack(codec.encode(case)) for case in cases]))
    results = [codec.decode(p.o.unpack(word))["z"] for word in trace.words]
    assert results == [pow(case["base"], case["exponent"], case["modulus"]) for case in cases]


def test_values_of_several_limbs(store):
    """The limb unit with 4 limbs, doubling and halving; 3 operations of 170 bits."""
    prepared = make("orup-dsp-r2l", store, modulus=hex((1 << 170) - 33), exponent_bits=3)
    assert prepared.parameters.limbs == 4
    found = verify(
        prepared, [{"base": 5, "exponent": 7}, {"base": 1 << 169, "exponent": 3}, {"base": 2, "exponent": 0}]
    )
    assert found.failed == []


@needs("compiled-simulator", why="512 bits")
@pytest.mark.parametrize(
    "name",
    [
        "booth8-csa-window",
        *(
            pytest.param(f"{name}-{method}", marks=pytest.mark.campaign)
            for name in RUNTIME
            for method in METHODS
            if (name, method) != ("booth8-csa", "window")
        ),
    ],
)
def test_powers_of_512_bits(name, store):
    """5 of an independent model, each with a modulus of its own."""
    check_vectors(name, 512, store)


@pytest.mark.campaign
@pytest.mark.parametrize(
    "name", ["booth8-csa-window", "booth8-csa-ladder", "orup-dsp-window", "orup-dsp-ladder", "vlm3-l2r"]
)
@pytest.mark.parametrize("n", [1024, 2048])
def test_longer_powers(name, n, store):
    """5 of an independent model: the ladder and the window give the same."""
    check_vectors(name, n, store)


def check_vectors(name, n, store):
    file = vectors.load(DATA / f"modexp-{n}.json")
    prepared = make(name, store, bits=n)
    found = verify(prepared, file.cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == len(file.cases) == 5
    assert found.cycles["max"] <= prepared.schedule.latency


@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param(name, method, marks=[] if (row + column) % 2 == 0 else [pytest.mark.campaign])
        for row, name in enumerate(BUILT_IN)
        for column, method in enumerate(METHODS)
    ],  # on every run each multiplier with two methods, and each method over two multipliers
)
def test_built_in_moduli(name, method, store):
    """2 powers modulo 2^31 - 1 in the multiplier's own representation."""
    prepared = make(f"{name}-{method}", store, modulus="2^31-1", exponent_bits=5)
    rng = random.Random(6)
    cases = [{"base": rng.randrange(2**31 - 1), "exponent": e} for e in (21, 31)]
    found = verify(prepared, cases, simulator="pure")
    assert found.failed == []
    assert found.passed == 2


def test_parts_follow_each_other():
    p = make("booth8-csa-window", bits=64).parameters
    done = start(p, lambda _x, _y: (0, 20, 0), base=0, exponent=1).run()
    assert isinstance(done, Execution)
    assert [part.name for part in done.parts] == [
        "constants",
        "into the domain",
        "table",
        "exponentiation",
        "out of the domain",
    ]
    assert all(one.end == two.start for one, two in pairwise(done.parts))

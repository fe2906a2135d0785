# SPDX-License-Identifier: Apache-2.0
"""The stream cores on limbs in hardware: all operands of small widths, wide operands, edges and errors."""

import random
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from modwright.contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from modwright.engines.limb.units import FOLD, FOLD_KARATSUBA, KINDS, PRODUCT, SCAN, SQUARE, SUM
from modwright.functions import vectors
from modwright.prove import prove
from modwright.simulate import Stimulus, run, verify

from ..tools import needs
from .limb_cases import EACH_KIND, KIND_IDS, NAMES, check, constants, drawn, make, moduli, operands

VECTORS = Path(__file__).parents[1] / "data" / "vectors"

SEVERAL_CORES = [("limb-scan", 2), ("limb-scan", 3), ("limb-fold", 2), ("limb-fold", 5), ("limb-fold-karatsuba", 2)]
"""Cores with several multipliers: what four limbs allow."""
MORE_SEVERAL = (("limb-scan", 2), ("limb-fold", 2))
ALONE_AND_SEVERAL = [
    *((name, 1) for name in NAMES[1:]),
    *(pytest.param(*core, marks=[pytest.mark.campaign] if core in MORE_SEVERAL else []) for core in SEVERAL_CORES),
]
"""Each unit alone and with the most multipliers on every run; with fewer in the long run only."""


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(
    ("name", "limb", "options"),
    [(name, 2, {}) for name in NAMES]
    + [(unit.name, 3, {"macs": 2}) for unit in (SCAN, FOLD, FOLD_KARATSUBA)]
    + [("limb-fold", 2, {"macs": 4})]
    + [
        pytest.param(*row, marks=pytest.mark.campaign)
        for row in (
            *(
                ("r64", 3, {}),
                ("limb-fold-karatsuba", 3, {}),
                ("limb-scan", 2, {"macs": 3}),
                ("limb-fold", 3, {"macs": 3}),
            ),
            *((unit.name, 2, {"macs": 2}) for unit in (SCAN, FOLD, FOLD_KARATSUBA)),
        )
    ],
    ids=str,
)
def test_all_products_of_6_bits(name, limb, options, store):
    """All reduced x and y for all odd moduli of 6 bits at most: 43679 of 43679."""
    prepared = make(name, 6, store, limb=limb, **options)
    cases = [(x, y, m) for m in range(3, 64, 2) for x in range(m) for y in range(m)]
    assert len(cases) == 43679
    compare(prepared, [{"x": x, "y": y} | constants(prepared.parameters, m) for x, y, m in cases])


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "macs"), [(name, 1) for name in NAMES] + SEVERAL_CORES)
def test_all_products_of_8_bits_in_four_limbs(name, macs, store):
    """All reduced x and y for all odd moduli of 8 bits at most: 2796159 of 2796159."""
    prepared = make(name, 8, store, limb=2, **({"macs": macs} if macs > 1 else {}))
    for m in range(3, 256, 2):
        own = constants(prepared.parameters, m)
        compare(prepared, [{"x": x, "y": y} | own for x in range(m) for y in range(m)])


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize("name", NAMES)
def test_all_words_of_4_bits(name, store):
    """All x, y and m, reduced or not, odd or not: 4096 of 4096; q and mu are 1 where there are none."""
    prepared = make(name, 4, store, limb=2)
    p = prepared.parameters
    cases = []
    for m in range(16):
        own = constants(p, m) if m % 2 and m > 1 else {"m": m, "q": 1, "mu": 1}
        own = {field: own[field] for field in p.i.offsets if field in own}
        cases += [{"x": x, "y": y} | own for x in range(16) for y in range(16)]
    assert len(cases) == 4096
    compare(prepared, cases)


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(("n", "limb"), [(8, 2), pytest.param(10, 3, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("name", "macs"), ALONE_AND_SEVERAL)
def test_all_squares(name, macs, n, limb, store):
    """All reduced x for all odd moduli of 8 bits (16383 of 16383) or 10 bits (262143 of 262143) at most."""
    prepared = make(name, n, store, SQUARE, limb=limb, macs=macs)
    cases = [{"x": x, "y": x} | constants(prepared.parameters, m) for m in range(3, 1 << n, 2) for x in range(m)]
    assert len(cases) == (1 << (2 * n - 2)) - 1
    compare(prepared, cases)


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(
    ("unit", "macs"),
    [
        pytest.param(unit, macs, id=f"{unit.name}-{macs}", marks=[] if always else [pytest.mark.campaign])
        for unit, macs, always in (
            (SCAN, 1, True),
            (SCAN, 2, False),
            (FOLD, 1, False),
            (FOLD, 2, True),
            (FOLD_KARATSUBA, 1, False),
            (FOLD_KARATSUBA, 2, True),
        )
    ],
)
def test_all_sums_of_two_products_of_4_bits(unit, macs, store):
    """All four reduced operands for all odd moduli of 4 bits at most: 103495 of 103495."""
    prepared = make(unit.name, 4, store, SUM, limb=2, macs=macs)
    cases = [
        {"x": x, "y": y, "x2": x2, "y2": y2} | constants(prepared.parameters, m)
        for m in range(3, 16, 2)
        for x in range(m)
        for y in range(m)
        for x2 in range(m)
        for y2 in range(m)
    ]
    assert len(cases) == 103495
    compare(prepared, cases)


WIDE = [("limb-scan", 1, SQUARE), ("limb-scan", 3, SUM), ("limb-fold", 1, SUM), ("limb-fold", 5, SQUARE)]
WIDE += [("limb-fold-karatsuba", 1, SQUARE), ("limb-fold-karatsuba", 2, SUM)]
"""Each unit with each kind, alone and with the most multipliers; the long run has all three together."""


@needs("compiled-simulator", why="wide operands")
@pytest.mark.parametrize(
    ("name", "macs", "kind"),
    [
        pytest.param(name, macs, kind, marks=[] if (name, macs, kind) in WIDE else [pytest.mark.campaign])
        for name, macs in (*((name, 1) for name in NAMES[1:]), *SEVERAL_CORES)
        for kind in (SQUARE, SUM)
    ],
)
def test_wide_squares_and_sums(name, macs, kind, store):
    """120 operations of 256 bits."""
    prepared = make(name, 256, store, kind, macs=macs)
    p, rng = prepared.parameters, random.Random(8)
    cases = [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 120)]
    compare(prepared, cases)


def compare(prepared, cases, simulator="auto"):
    """Payloads and cycles against the model, values against plain integers."""
    p, model = prepared.parameters, prepared.model
    trace = run(prepared, Stimulus([p.i.pack(case) for case in cases]), simulator)
    assert all(b - a == prepared.schedule.interval for a, b in pairwise(trace.accepted))
    for case, word, accepted, valid in zip(cases, trace.words, trace.accepted, trace.valid, strict=True):
        found, m = p.o.unpack(word), case["m"]
        expected = model.run(case)
        assert found == expected.payload
        assert valid - accepted == expected.cycles
        if m % 2 == 0 or m < 3:
            assert (found["z"], found["error"]) == (0, BAD_MODULUS)
        elif max(case[name] for name in p.operands) >= m:
            assert (found["z"], found["error"]) == (0, OUT_OF_RANGE)
        else:
            assert (found["modulus"], found["error"]) == (m, 0)
            check(p, p.kind, case, found["z"])


@pytest.mark.parametrize(("n", "limb"), [(40, 16), (33, 11), (20, 16)])
@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in NAMES] + [(name, {"macs": 2}) for name in NAMES[1:]], ids=str
)
def test_edges_and_errors(name, options, n, limb, store):
    """Moduli of all sizes, edge operands, broken ones between good ones."""
    prepared = make(name, n, store, limb=limb, **options)
    p, rng = prepared.parameters, random.Random(4)
    cases = [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 6)]
    regular = operands(p, PRODUCT, (1 << n) - 3, rng.randrange)
    m, top = regular["m"], (1 << n) - 1
    broken = [{"m": bad} for bad in (0, 1, 2, m - 1, 1 << (n - 1), 1 << limb)]
    broken += [{name: value} for name in "xy" for value in (m, m + 1, top)]
    broken += [{"x": top, "y": top}, {"x": m, "m": 2}]
    broken += [{"m": 3, "x": 3 << shift, "y": 0} for shift in (0, limb - 1, limb)]
    mixed = [case for bad in broken for case in (regular | bad, regular)]
    compare(prepared, cases + mixed, "pure")


@pytest.mark.parametrize("name", NAMES)
def test_wrong_constants_are_not_noticed(name, store):
    """The result is then the one that the model says, and there is no error: nothing compares q and mu with m."""
    prepared = make(name, 24, store, limb=8)
    p, rng = prepared.parameters, random.Random(6)
    cases = [operands(p, PRODUCT, m, rng.randrange) for m in moduli(p, rng, 20)]
    for case in cases:
        case |= {field.name: rng.getrandbits(field.width) for field in p.i.fields if field.name in ("q", "mu")}
    found = [p.o.unpack(word) for word in run(prepared, Stimulus([p.i.pack(case) for case in cases]), "pure").words]
    assert found == [prepared.model.run(case).payload for case in cases]
    assert {result["error"] for result in found} == {0}
    wrong = [((f["z"] << p.T) - c["x"] * c["y"]) % c["m"] != 0 for f, c in zip(found, cases, strict=True)]
    assert any(wrong)


FIELDS = ("secp192k1", "secp256k1", "ed25519")
AT_256_BITS = [(name, {}) for name in NAMES] + [(name, {"macs": 2}) for name in NAMES[1:]]


@needs("compiled-simulator", why="256 bits")
@pytest.mark.parametrize(
    ("name", "options", "field"),
    [
        pytest.param(
            *core, field, marks=[] if row < len(NAMES) and (row + column) % len(FIELDS) == 0 else [pytest.mark.campaign]
        )
        for row, core in enumerate(AT_256_BITS)
        for column, field in enumerate(FIELDS)
    ],  # on every run 4 of 21: each unit with a field, and each field; several multipliers at this width are below
    ids=str,
)
def test_products_of_an_independent_model(name, options, field, store):
    """On ECP5, through the blocks that are instantiated."""
    file = vectors.load(VECTORS / f"modmul-{field}.json")
    prepared = make(name, 256, store, target="ecp5", **options)
    found = verify(prepared, file.cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == len(file.cases) > 0
    assert found.interval == prepared.schedule.interval


OTHER_WIDTHS = [("limb-fold-karatsuba", 521, 64), ("limb-scan", 521, 128), ("limb-fold", 384, 32)]
"""On every run 3 of 24, of 5, 9 and 12 limbs; of two limbs are the tests of 4 and 6 bits."""
MORE_WIDTHS = [("r64", 521, 64), ("limb-scan", 521, 64), ("limb-fold", 521, 64)] + [
    (name, n, limb)
    for name in NAMES
    for n, limb in ((521, 16), (521, 128), (384, 32), (128, 64), (256, 100))
    if (name, n, limb) not in OTHER_WIDTHS
]


@needs("compiled-simulator", why="521 bits")
@pytest.mark.parametrize(
    ("name", "n", "limb"),
    OTHER_WIDTHS + [pytest.param(*widths, marks=pytest.mark.campaign) for widths in MORE_WIDTHS],
)
def test_other_widths(name, n, limb, store):
    """30 products each, a modulus of its own for every one."""
    prepared = make(name, n, store, limb=limb)
    p, rng = prepared.parameters, random.Random(n + limb)
    compare(prepared, [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 30)])


@needs("compiled-simulator", why="256 bits")
@pytest.mark.parametrize(
    ("name", "target", "options"),
    [
        ("limb-fold-karatsuba", "asic", {"registers": 8}),
        ("limb-scan", "xc7", {"macs": 2, "registers": 2}),
        ("limb-fold", "ecp5", {"macs": 3, "registers": 1}),
        *(
            pytest.param(*row, marks=pytest.mark.campaign)
            for row in (
                ("limb-scan", "ecp5", {"macs": 4}),
                ("limb-fold", "ecp5", {"registers": 3}),
                ("limb-fold-karatsuba", "ecp5", {"macs": 3, "limb": 32}),
                ("limb-scan", "ecp5", {"registers": 1}),
                ("limb-fold-karatsuba", "ecp5", {"registers": 1}),
                ("limb-fold-karatsuba", "xc7", {"registers": 2}),
                ("limb-fold-karatsuba", "ecp5", {"macs": 2, "registers": 1}),
                ("limb-fold-karatsuba", "asic", {"macs": 2, "registers": 2}),
                ("limb-fold", "xc7", {"macs": 4, "limb": 32}),
            )
        ),
    ],
    ids=str,
)
def test_registers_inside_and_several_multipliers(name, target, options, store):
    """20 products each, a modulus of its own for every one."""
    prepared = make(name, 256, store, target=target, **options)
    p, rng = prepared.parameters, random.Random(5)
    compare(prepared, [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 20)])


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, {}) for name in NAMES]
    + [
        pytest.param(name, {"macs": 2}, marks=[] if name == "limb-scan" else [pytest.mark.campaign])
        for name in NAMES[1:]
    ],  # every unit alone, and one with several multipliers: the player, the queue and the handshakes are the same
    ids=str,
)
def test_control_is_proved(name, options, store):
    prepared = make(name, 24, store, limb=8, **options)
    control = [
        "control independent of data",
        "handshakes registered",
        "latency under any stalls",
        "result queue",
        "operands in addresses and enables",
    ]
    found = {proof.name: proof.status for proof in prove(prepared)}
    assert found == {**dict.fromkeys(control, "proved"), "arithmetic": "nothing owed"}


@pytest.mark.campaign
@pytest.mark.parametrize("limb", [16, 32, 64, 128])
@pytest.mark.parametrize(("unit", "kind"), EACH_KIND, ids=KIND_IDS)
def test_random_operations(unit, kind, limb, store):
    """20000 operations of 256 bits, 2000 of 521, each with a modulus of its own."""
    for n, count in ((256, 20_000), (521, 2_000)):
        prepared = make(unit.name, n, store, kind, limb=limb)
        p, rng = prepared.parameters, random.Random(n)
        for _ in range(0, count, 2000):
            compare(prepared, [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 2000)])


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "macs"), SEVERAL_CORES)
def test_random_operations_of_several_multipliers(name, macs, kind, store):
    """20000 operations of 256 bits, each with a modulus of its own."""
    prepared = make(name, 256, store, kind, macs=macs)
    p, rng = prepared.parameters, random.Random(macs)
    for _ in range(0, 20_000, 2000):
        compare(prepared, [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 2000)])

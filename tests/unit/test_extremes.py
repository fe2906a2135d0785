# SPDX-License-Identifier: Apache-2.0
"""Numbers inside operations: stated ranges against all operands at small widths, edges that reach what they are named
for, and planted faults that only such edges find."""

import dataclasses
import random

import pytest

from modwright.contract.quantities import FURTHEST, MISSED, REACHED, Extremes, Quantity, Reached, merged
from modwright.contract.request import Request
from modwright.functions import find_function
from modwright.functions.cases import edge_cases, encode_cases, extreme_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.report.evidence import NONE_STATED
from modwright.report.evidence import verification as verification_record
from modwright.rns.lattice import fixed, near
from modwright.simulate import verify
from modwright.simulate.oracle import Oracle
from modwright.simulate.runs import Part, Run, Summary

from ..toy import TOY
from .extremes_cases import prepared_for, rows_of, rows_of_edges


def not_reached(rows):
    """Ends that were not reached, of those that operands can give as far as the family knows."""
    return {(name, end) for name, row in rows.items() for end in ("least", "most") if row[f"{end}_status"] == MISSED}


# --- what is kept of a run

SMALL = Quantity("q", -2, 9, "three bits", (0, 7), "never negative")


def extremes_of(quantity):
    return Extremes((quantity,), lambda operands: {quantity.name: (operands["x"],)}, lambda: [{"x": 0}, {"x": 5}])


def test_least_and_most_are_kept_with_their_status():
    reached = Reached(extremes_of(SMALL))
    assert [reached.observe({"x": x}) for x in (3, 0, 7)] == [[], [], []]
    (row,) = reached.records()
    assert (row["reached"], row["least_status"], row["most_status"], row["observed"]) == (
        ["0", "7"],
        FURTHEST,
        FURTHEST,
        3,
    )
    plain = dataclasses.replace(SMALL, possible=None)
    reached = Reached(extremes_of(plain))
    assert reached.observe({"x": 9}) == []
    assert [reached.records()[0][f"{end}_status"] for end in ("least", "most")] == [MISSED, REACHED]


@pytest.mark.parametrize("value", [-1, 8])
def test_a_value_that_cannot_be_is_reported(value):
    assert Reached(extremes_of(SMALL)).observe({"x": value}) == [(SMALL, value)]


def test_no_more_operations_are_observed_than_the_sample():
    reached = Reached(dataclasses.replace(extremes_of(SMALL), sample=2))
    assert [reached.observe({"x": x}) for x in (1, 2, 100)] == [[], [], []]
    assert reached.records()[0]["observed"] == 2


def test_runs_are_merged():
    runs = []
    for values in ((1, 2), (0,), ()):
        reached = Reached(extremes_of(SMALL))
        for value in values:
            reached.observe({"x": value})
        runs.append(reached.records())
    (row,) = merged(runs)
    assert (row["reached"], row["least_status"], row["most_status"], row["observed"]) == (
        ["0", "2"],
        FURTHEST,
        MISSED,
        3,
    )


def test_names_of_cases_say_what_they_give():
    cases = extremes_of(SMALL).cases(lambda case: case)
    assert cases == {"q = 0 (least)": {"x": 0}, "q = 5 (most found)": {"x": 5}}


def test_a_core_that_states_nothing_says_so(store):
    prepared = prepare(TOY, Request.from_mapping(TOY, {"core": TOY.name, "modulus": "61", "target": "generic"}), store)
    found = verify(prepared, [{"x": 1, "y": 2}], simulator="pure")
    assert found.extremes == []
    assert extreme_cases(prepared) == {}
    pattern = Run(pattern="free").patterns(prepared, 1)[0]
    assert Summary(TOY.name, [Part(pattern, range(1), found)]).to_json()["extremes"] == []
    assert verification_record(found)["extremes"] == NONE_STATED


def test_a_value_outside_of_its_range_fails_the_operation(store):
    wide = extremes_of(Quantity("q", 0, 3, "planted"))
    core = dataclasses.replace(TOY, extremes=lambda p, schedule: wide)
    prepared = prepare(
        core, Request.from_mapping(core, {"core": TOY.name, "modulus": "61", "target": "generic"}), store
    )
    found = verify(prepared, [{"x": 3, "y": 2}, {"x": 4, "y": 2}], simulator="pure")
    assert found.passed == 1
    (failure,) = found.failed
    assert (failure.index, failure.level, failure.got, failure.expected) == (1, "range", {"q": "4"}, {"q": "0 to 3"})


def test_every_core_states_its_inside():
    assert [name for name, core in all_cores().items() if core.extremes is None] == []


def stated():
    """Every core that states quantities, with its first small request; exponentiators over one multiplier only."""
    rows = {name: core.trials[0].document for name, core in all_cores().items()}
    known = all_cores()
    return {
        name: document
        for name, document in rows.items()
        if known[name].extremes is not None and (known[name].function != "modexp" or "/booth4-csa-" in name)
    }


@pytest.mark.parametrize("name", stated())
def test_edges_are_in_contract_and_no_number_leaves_its_range(name, store):
    """In plain integers, for edges and random operands of every family; and the model is right for them."""
    core = find(name)
    prepared = prepare(core, Request.from_mapping(core, {"core": name, **stated()[name]}), store)
    named = list(extreme_cases(prepared).values())
    assert named or find_function(core.function).over_curve  # whose small requests have no curve to take edges from
    payloads = encode_cases(prepared, named + edge_cases(prepared, products=False) + random_cases(prepared, 30, 3))
    rows_of(prepared, payloads)
    oracle = Oracle(prepared)
    for payload in payloads:
        answer = oracle.answer(payload)
        assert answer is not None
        result = prepared.model.run(payload).payload
        assert oracle.difference(answer, result, prepared.codec.decode(result)) is None


# --- the search for operands


def test_products_near_targets_in_all_channels():
    moduli = [(1 << 40) - u for u in (87, 167, 195, 203, 213)]
    rng = random.Random(1)
    for _ in range(10):
        factors = [rng.randrange(1, m) for m in moduli]
        targets = [rng.randrange(m) for m in moduli]
        y = near(factors, moduli, 1 << 120, targets)
        assert y is not None and 0 <= y < 1 << 120
        for c, m, t in zip(factors, moduli, targets, strict=True):
            off = (c * y - t) % m
            assert min(off, m - off) < m >> 10


def test_none_where_the_range_is_too_small():
    assert near([1], [101], 1, [50]) is None


def test_exact_residues_channel_by_channel():
    moduli, factors = [101, 103, 107], [7, 8, 9]
    found = list(fixed(factors, moduli, 101 * 103 + 5, -1))
    reached = {i for y in found for i in range(3) if factors[i] * y % moduli[i] == moduli[i] - 1}
    assert reached == {0, 1, 2}
    assert all(0 <= y < 101 * 103 + 5 for y in found)


# --- all operands at small widths: no value leaves its range, and how loose the ranges are


def pairs(limit):
    return ({"x": x, "y": y} for x in range(limit) for y in range(limit))


def montgomery(prepared):
    p = prepared.parameters
    return (
        {"x": x, "y": y, "m": m}
        for m in range(3, 1 << p.n, 2)
        for x in range(p.domain * m)
        for y in range(p.domain * m)
    )


def on_limbs(prepared):
    constants = prepared.codec.constants(61)
    return ({"x": x, "y": y, **constants} for x in range(61) for y in range(61))


EXHAUSTIVE = [
    (
        "modmul/sor-1m-p",
        {"modulus": "61", "width": 8, "io": "binary"},
        lambda p: pairs(61),
        {("smallest γ_i/m_i", "most"): "153", ("cox", "most"): "527"},  # of 170 and 528
    ),
    (
        "modmul/sor-lean",
        {"modulus": "61", "width": 12, "io": "binary"},
        lambda p: pairs(61),
        {("cox", "most"): "27", ("row of α", "most"): "3"},  # of 32 and 4, which take residues that are not canonical
    ),
    (
        "basext/kbe",
        {"modulus": "61", "width": 8, "channels": 2, "sigma": "0"},
        lambda p: (p.codec.encode({"x": x}) for x in range(61)),
        {},
    ),
    (
        "modmul/csa",
        {"modulus": "13"},
        montgomery,
        {("64·S/M", "most"): "174", ("64·V/M", "most"): "349", ("64·z/M", "most"): "115"},  # of 191, 383 and 127
    ),
    (
        "modmul/booth4-csa",
        {"modulus": "13"},
        montgomery,
        {
            ("64·S/M", "least"): "-74",  # of -86, and so on
            ("64·S/M", "most"): "89",
            ("64·V/M", "least"): "-296",
            ("64·V/M", "most"): "358",
            ("64·z/M", "least"): "44",
            ("64·z/M", "most"): "115",
        },
    ),
    ("modmul/limb-scan", {"modulus": "61", "limb": 3}, on_limbs, None),
    ("modmul/r64", {"modulus": "61", "limb": 3}, on_limbs, None),
    ("modinv/binary-divstep", {"modulus": "61"}, lambda p: ({"a": a} for a in range(122)), None),
    (
        "modmul/binary",
        {"modulus": "61", "reduction": "folding"},
        lambda p: pairs(61),
        {("bits of fold 1", "least"): "8", ("bits of the last fold", "least"): "4"},  # of 0, with the excess
    ),
    ("modmul/binary", {"modulus": "61", "reduction": "barrett"}, lambda p: pairs(61), {}),
    ("modmul/binary-serial", {"modulus": "61"}, lambda p: pairs(61), {}),
]


@pytest.mark.parametrize(
    ("name", "request_", "operands", "loose"),
    EXHAUSTIVE,
    ids=[f"{name}-{request.get('reduction', '')}" for name, request, _, _ in EXHAUSTIVE],
)
def test_all_operands_reach_the_ends_or_as_far_as_stated(name, request_, operands, loose, store):
    """`loose` has the ends that no operands reach, with what they reach; None where only the ranges are held."""
    prepared = prepared_for(name, store=store, **request_)
    rows = rows_of(prepared, operands(prepared), every=True)
    if loose is not None:
        assert not_reached(rows) == set(loose)
        assert {key: rows[key[0]]["reached"][key[1] == "most"] for key in loose} == loose


# --- 256 bits: edges reach the extremes, in plain integers


MEASURED = {
    ("modmul/sor-1m-p", "secp256k1"): set(),
    ("modmul/sor-1m-p", "2^255-19"): set(),
    ("modmul/sor-lean", "secp256k1"): set(),
    ("modmul/sor-lean", "2^255-19"): set(),
    ("modmul/sor-lean", "P-256"): set(),
    ("modmul/rns-kbe", "P-256"): {("hats of S", "most")},
    ("modmul/rns-hbe", "secp256k1"): {
        ("hats of S", "least"),
        ("hats of S", "most"),
        ("cox of S", "least"),
        ("h of S", "least"),
    },
}
"""Ends that the edges do not reach, by core and prime: hats of S that are no canonical residues, or all 0."""


@pytest.mark.parametrize(("name", "prime"), MEASURED, ids=lambda value: str(value))
def test_edges_reach_the_extremes_at_256_bits(name, prime, store):
    prepared = prepared_for(name, prime, store)
    assert not_reached(rows_of_edges(prepared)) == MEASURED[name, prime]


def test_every_residue_is_largest_once(store):
    """Each γ_i = m_i - 1, α = 1 to 7 from 0, and all γ_i above 7/8 of their moduli, which is as large as all can be."""
    prepared = prepared_for("modmul/sor-1m-p", "secp256k1", store)
    rows = rows_of_edges(prepared)
    for i, m in enumerate(prepared.parameters.base.moduli):
        assert rows[f"γ_{i}"]["reached"] == ["0", str(m - 1)]
    assert rows["α"]["reached"] == ["0", "7"]
    assert rows["smallest γ_i/m_i"]["reached"] == rows["smallest γ_i/m_i"]["possible"] == ["0", str(256 * 7 // 8)]


def test_edges_lie_within_the_certified_bounds(store):
    prepared = prepared_for("modmul/sor-1m-p", "2^255-19", store)
    p = prepared.parameters
    for case in extreme_cases(prepared).values():
        assert 0 <= case["x"] < p.bound and 0 <= case["y"] < p.bound
        assert case["x"] * case["y"] << p.q < ((1 << p.q) - p.offset) * p.base.product


def test_edges_of_a_built_in_name_are_what_they_are_called(store):
    """No case is named after γ that it does not have."""
    prepared = prepared_for("modmul/sor-1m-p", "secp256k1", store)
    assert "every γ largest" not in prepared.codec.edges()
    for name, case in extreme_cases(prepared).items():
        (payload,) = encode_cases(prepared, [case])
        seen = {key: list(values) for key, values in prepared.extremes.observe(payload).items()}
        for part in name.split(", "):
            quantity, value = part.rpartition(" = ")[0], int(part.rpartition(" = ")[2].split(" ")[0])
            assert value in seen[quantity]


def test_extremes_are_edges_before_all_products(store):
    """So that a bounded sample of observed operations has them."""
    prepared = prepared_for("modmul/sor-1m-p", "61", store, width=8)
    few = edge_cases(prepared, products=False)
    assert all(case in few for case in extreme_cases(prepared).values())
    assert edge_cases(prepared)[: len(few)] == few

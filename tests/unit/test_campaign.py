# SPDX-License-Identifier: Apache-2.0
"""Which operations are simulated, and how several simulations are summed up."""

import json

import pytest

from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import Failure, Verification
from modwright.simulate.patterns import Pattern
from modwright.simulate.runs import Part, Run, Summary, describe_failure, in_chain, simulate_file, simulate_random

from ..toy import TOY

PURE = Run("pure")
FREE = Pattern("free", None, (), 0, 1)


@pytest.fixture
def prepared(tmp_path):
    return prepare(TOY, Request.make(TOY, modulus=97), Store(tmp_path / "store"))


def test_edge_cases_are_named_ones_and_all_products(prepared):
    named, cases = edge_cases(prepared, products=False), edge_cases(prepared)
    assert cases[: len(named)] == named
    assert {"x": 0, "y": 96} in named
    plain, payloads = ([c for c in cases if (PAYLOAD in c) == chosen] for chosen in (False, True))
    xs, ys = ({c[name] for c in named if PAYLOAD not in c} for name in "xy")
    assert {(c["x"], c["y"]) for c in plain} == {(x, y) for x in xs for y in ys}
    assert len(plain) == len(xs) * len(ys)
    assert {"x", "y"} == {name for c in payloads for name, v in c[PAYLOAD].items() if v == 97}, "the limit of each"


def test_random_cases_follow_from_the_seed(prepared):
    assert random_cases(prepared, 20, 1) == random_cases(prepared, 20, 1)
    assert random_cases(prepared, 20, 1) != random_cases(prepared, 20, 2)


def test_half_of_the_random_cases_are_reduced_operands_and_half_any_payload(prepared):
    cases = random_cases(prepared, 400, 4)
    plain, payloads = cases[::2], [case[PAYLOAD] for case in cases[1::2]]
    assert all(0 <= v < 97 for case in plain for v in case.values())
    values = [v for payload in payloads for v in payload.values()]
    assert {96, 97, 255} <= set(values), "just below the bound, at the bound, and the end of the field"
    assert max(values) < 256


def test_a_chain_does_not_begin_with_what_ends_it(prepared):
    """0 times anything is 0 again, and so is the result of an error: such cases come last."""
    cases = in_chain(prepared, edge_cases(prepared) + random_cases(prepared, 100, 3))
    products = [case.get(PAYLOAD, case) for case in cases]
    ends = [max(c.values()) >= 97 or min(c.values()) == 0 for c in products]
    assert ends == sorted(ends)
    assert 0 < sum(ends) < len(ends) / 2


def test_random_operations_pass(prepared):
    summary = simulate_random(prepared, 20, Run("pure", stalls=40, chained=True))
    assert summary.passed == summary.cases == 20 + len(edge_cases(prepared))
    assert summary.cycles["min"] == 3
    assert summary.failed == []


def load(tmp_path, cases, **rest):
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps(rest | {"cases": cases}))
    return vectors.load(path)


def case(x, y, z, modulus=None):
    row = {"x": hex(x), "y": hex(y), "z": hex(z)}
    return row if modulus is None else row | {"modulus": hex(modulus)}


def test_cases_of_several_moduli_keep_their_numbers(tmp_path, toy_only):
    rows = [case(3, 5, 15), case(88, 88, 1, 89), case(96, 96, 2), case(88, 1, 0, 89), case(2, 2, 4, 97)]
    file = load(tmp_path, rows, modulus=hex(97))
    summary = simulate_file(TOY, Request.make(TOY, modulus=97), file, PURE)
    free = [part for part in summary.parts if part.pattern.name == "free"]
    assert [part.indices for part in free] == [[0, 2, 4], [1, 3]]
    assert (summary.cases, summary.passed) == (5, 3)
    assert [f.index for f in summary.failed] == [2, 3]
    assert summary.to_json()["failed"][1] == {
        "case": 3,
        "got": {"z": hex(88)},
        "expected": {"z": "0x0"},
        "level": "value",
    }


def test_a_file_for_another_modulus(tmp_path, toy_only):
    file = load(tmp_path, [case(3, 5, 15)], modulus=hex(97))
    with pytest.raises(UsageError, match="97"):
        simulate_file(TOY, Request.make(TOY, modulus=101), file, PURE)


def test_room_for_an_order_that_is_longer_than_the_prime(tmp_path):
    """y² = x³ + x + 4 has 271 points over 251 elements: numbers of the core have 9 bits."""
    curve = {"p": 251, "a": 1, "b": 4, "order": 271, "gx": 0, "gy": 2}
    named = {name: hex(value) for name, value in curve.items()}
    operands = {"e": "0x5", "qx": "0xaa", "qy": "0xf1", "r": "0x5", "s": "0x7"}
    file = load(tmp_path, [{"op": "verify", **operands, "valid": False}], curve=named)
    core = find("ecdsa/joint")
    summary = simulate_file(core, Request.make(core, modulus=251, target="generic"), file, PURE)
    assert (summary.cases, summary.passed) == (1, 1)


def test_cycles_of_several_parts():
    def part(cases, low, median, high):
        cycles = {"min": low, "median": median, "max": high}
        return Part(FREE, range(cases), Verification("pure", cases, cases, cycles=cycles))

    assert Summary("c", [part(3, 2, 4, 9), part(5, 3, 5, 7)]).cycles == {"min": 2, "median": 5, "max": 9}
    assert Summary("c", [part(5, 2, 4, 9), part(3, 3, 5, 7)]).cycles["median"] == 4
    assert Summary("c", [Part(FREE, range(0), Verification("pure"))]).cycles == {}


def test_a_failure_in_words():
    text = describe_failure(Failure(7, {"x": "0x3"}, {}, {"z": "0x9"}, "value"))
    assert text.splitlines() == ["  operation 7 (value): x = 0x3", "    got      nothing", "    expected z = 0x9"]

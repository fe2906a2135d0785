# SPDX-License-Identifier: Apache-2.0
"""The operands that are drawn, and what is expected of them, find planted faults.

Most faults stand in the model, which needs no simulation: a model that differs from the contract on a drawn payload is
a core that fails there, and a core that differs from its model on that payload fails as well.
"""

import dataclasses
from functools import cache
from math import gcd

import pytest

from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.hardware import common
from modwright.cores.ecpm.ladder.hardware import core as ecpm
from modwright.cores.modmul.carry_save.hardware import supply
from modwright.functions.cases import random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify
from modwright.simulate.oracle import Oracle

PAYLOADS = 600
"""Drawn for each fault: a twentieth of what a build draws."""


def make(store, name, modulus, **options):
    core = find(name)
    document = {"core": name, "modulus": modulus, "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def payloads(prepared):
    return [case[PAYLOAD] for case in random_cases(prepared, 2 * PAYLOADS, seed=1)[1::2]]


@pytest.fixture(scope="module")
def right(store):
    """A function of a key of `FAULTS`: its core, and each drawn payload with the model's result and the answer."""

    @cache
    def of(key):
        name, modulus, options = key
        prepared = make(store, name, modulus, **dict(options))
        oracle = Oracle(prepared)
        drawn = [(o, prepared.model.run(o).payload, oracle.answer(o)) for o in payloads(prepared)]
        assert all(answer is not None for *_, answer in drawn)
        return prepared, drawn

    return of


def differences(prepared, drawn, fault):
    """How many drawn payloads tell a model with a fault, a function of operands and result, from the contract."""
    oracle, codec = Oracle(prepared), prepared.codec
    faulty = [(answer, payload | fault(operands, payload)) for operands, payload, answer in drawn]
    return sum(oracle.difference(answer, payload, codec.decode(payload)) is not None for answer, payload in faulty)


def lost(condition):
    """An error that is not reported where a condition holds of operands and code."""
    return lambda operands, payload: {"error": 0} if payload["error"] and condition(operands, payload["error"]) else {}


def instead(wanted, condition):
    """Another code where a condition holds."""
    return lambda o, payload: {"error": wanted} if payload["error"] and condition(o, payload["error"]) else {}


def limit(operands):
    """Exclusive limit of operands of `csa`, domain 2."""
    return 2 * operands["m"]


OF_ANY = {
    "a result next to an error": lambda o, payload: {"z": 1} if payload["error"] else {},
    "codes exchanged": lambda o, payload: {"error": (0, 2, 1, 3)[payload["error"]]},
}
OF_MULTIPLIERS = OF_ANY | {
    "m = 1 is taken": lost(lambda o, code: code == 1 and o.get("modulus", o["m"]) == 1),
    "m = 0 is taken": lost(lambda o, code: code == 1 and o["m"] == 0),
    "m = 2 is taken": lost(lambda o, code: code == 1 and o.get("modulus", o["m"]) == 2),
    "an even m is taken": lost(lambda o, code: code == 1 and o.get("modulus", o["m"]) % 2 == 0),
    "the range is not checked": lost(lambda o, code: code == 2),
    "the modulus does not come out": lambda o, payload: {"modulus" if "modulus" in payload else "m": 5},
}
FAULTS = {
    ("modmul/csa", "0xe9", ()): OF_MULTIPLIERS
    | {
        "x is not checked": lost(lambda o, code: code == 2 and o["y"] < limit(o)),
        "y is not checked": lost(lambda o, code: code == 2 and o["x"] < limit(o)),
        "2m itself is taken": lost(lambda o, code: code == 2 and max(o["x"], o["y"]) == limit(o)),
        "operands from m on are refused": lambda o, p: {"z": 0, "error": 2} if max(o["x"], o["y"]) >= o["m"] else {},
        "the range comes first": instead(2, lambda o, code: max(o["x"], o["y"]) >= limit(o)),
        "the result is not below 2m": lambda o, p: {} if p["error"] else {"z": p["z"] + 2 * o["m"]},
    },
    ("modmul/orup-dsp", "0xe9", (("digit", 3),)): OF_MULTIPLIERS
    | {
        "x is not checked": lost(lambda o, code: code == 2 and o["y"] < o["x"]),
        "y is not checked": lost(lambda o, code: code == 2 and o["x"] < o["y"]),
    },
    ("modmul/limb-fold", "0xe9", (("limb", 4),)): OF_MULTIPLIERS
    | {
        "x is not checked": lost(lambda o, code: code == 2 and o["y"] < o["m"]),
        "y is not checked": lost(lambda o, code: code == 2 and o["x"] < o["m"]),
        "m itself is taken": lost(lambda o, code: code == 2 and max(o["x"], o["y"]) == o["m"]),
    },
    ("modinv/binary-divstep-rt", "0xe9", ()): OF_ANY
    | {
        "m = 1 is taken": lost(lambda o, code: code == 1 and o["m"] == 1),
        "an even m is taken": lost(lambda o, code: code == 1 and o["m"] % 2 == 0),
        "2m itself is taken": lost(lambda o, code: code == 2 and o["a"] == 2 * o["m"]),
        "0 has an inverse": lost(lambda o, code: code == 3 and o["a"] == 0),
        "m has an inverse": lost(lambda o, code: code == 3 and o["a"] == o["m"]),
        "multiples of a factor have one": lost(lambda o, code: code == 3 and 1 < gcd(o["a"], o["m"]) < o["m"]),
        "a from m on is refused": lambda o, payload: {"z": 0, "error": 2} if o["a"] >= o["m"] else {},
    },
    ("modexp/csa-ladder", "0xe9", (("exponent_bits", 6),)): {
        "a base from m on is refused": lambda o, payload: {"z": 0, "error": 2} if o["base"] >= o["m"] else {},
        "an exponent of 0 gives the base": lambda o, p: (
            {} if o["exponent"] or p["error"] else {"z": o["base"] % o["m"]}
        ),
        "the last bit of all ones is lost": lambda o, p: {"z": p["z"] ^ 1} if o["exponent"] == 63 else {},
    },
    ("ecpm/ladder", "13", (("limb", 2), ("blinding", True))): {
        "m = 3 is taken": lost(lambda o, code: o["m"] == 3),
        "an order of 0 is taken": lost(lambda o, code: o["m"] % 2 and o["m"] > 3 and o["order"] == 0),
        "the point is not checked": lost(lambda o, code: code == 3),
        **{
            f"{name} is not checked": lost(lambda o, code, name=name: code == 2 and o[name] >= o["m"])
            for name in ("x", "y", "a", "b", "blind")
        },
        "a blind of 0 is taken": lost(lambda o, code: code == 2 and o["blind"] == 0),
        "a result next to an error": lambda o, payload: {"x": 1} if payload["error"] else {},
        "infinity next to an error": lambda o, payload: {"infinity": 1} if payload["error"] else {},
        "k = 0 is not infinity": lambda o, p: {"infinity": 0} if o["k"] == 0 and not o["infinity"] else {},
        "-P for P": lambda o, p: {"y": -p["y"] % o["m"]} if o["k"] == o["order"] - 1 and p["y"] else {},
        "doubling a point of order 2": lambda o, p: {"infinity": 0} if o["y"] == 0 and not o["infinity"] else {},
        "the point at infinity is not one": lambda o, p: {"infinity": 0} if o["infinity"] else {},
    },
}


@pytest.mark.parametrize(("key", "fault"), [(key, fault) for key, faults in FAULTS.items() for fault in faults])
def test_a_fault_at_the_bounds_is_found(right, key, fault):
    assert differences(*right(key), FAULTS[key][fault]) > 0


@pytest.mark.parametrize("key", FAULTS)
def test_without_a_fault_nothing_is_found(right, key):
    assert differences(*right(key), lambda operands, payload: {}) == 0


RESIDUES = [
    ("modmul/rns-kbe", "0x3fffffffffffff1", 12),
    ("modmul/sor-lean", "65521", 12),
    ("modmul/sor-1m-p", "251", 9),
]


@pytest.mark.parametrize(("name", "modulus", "width"), RESIDUES)
def test_a_result_beyond_its_bound_is_never_right(store, monkeypatch, name, modulus, width):
    """The certified bound halfway into what results reach; operands in [p, B) are no excuse."""
    prepared = make(store, name, modulus, width=width)
    p, oracle, codec = prepared.parameters.modulus, Oracle(prepared), prepared.codec
    done = [(operands, prepared.model.run(operands).payload) for operands in payloads(prepared)]
    largest = max(codec.decode(payload)["representative"] for _, payload in done)
    small = dataclasses.replace(prepared)
    z = small.codec.results["z"]
    halfway = dataclasses.replace(z, role=dataclasses.replace(z.role, limit=largest // 2))
    monkeypatch.setitem(small.codec.results, "z", halfway)
    excused = 0
    for operands, payload in done:
        decoded, answer = small.codec.decode(payload), oracle.answer(operands)
        assert decoded["z"] == answer.results["z"]
        beyond = decoded["representative"] >= largest // 2
        assert (oracle.difference(answer, payload, decoded) is not None) == beyond
        excused += beyond and max(codec.restore(residues) for residues in operands.values()) >= p
    assert excused


def random_operations(prepared, count):
    """Those that `simulate --random` draws, without the edges, in Amaranth's simulator."""
    return verify(prepared, random_cases(prepared, count, seed=1), simulator="pure")


@pytest.mark.parametrize(("code", "wrong"), [("OUT_OF_RANGE", 0), ("BAD_MODULUS", 0), ("BAD_MODULUS", 2)])
def test_a_core_that_reports_another_error(store, monkeypatch, code, wrong):
    """40 operations; only the hardware is wrong, so bits and values differ."""
    prepared = make(store, "modmul/csa", "61")
    assert random_operations(prepared, 40).failed == []
    monkeypatch.setattr(supply, code, wrong)
    assert {f.level for f in random_operations(prepared, 40).failed} == {"value", "bits"}


def sticky(self, m):
    """Once out of range, an operation makes all later ones so."""
    released(self, m)
    with m.If(self.out_of_range):
        m.d.sync += self.out_of_range.eq(1)


released = ecpm.EcpmCore.release


def first(prepared, error):
    """The first drawn payload with an error, or without one."""
    found = ((payload, prepared.codec.read(payload)) for payload in payloads(prepared))
    return {PAYLOAD: next(payload for payload, reading in found if reading and reading.error == error)}


def test_a_point_multiplier_without_the_check_of_the_curve(store, monkeypatch):
    prepared = make(store, "ecpm/ladder", "13", limb=2)
    monkeypatch.setattr(common, "OFF_CURVE", 0)
    found = verify(prepared, [first(prepared, "not on the curve")], simulator="pure")
    assert [f.level for f in found.failed] == ["value", "bits"]


def test_a_point_multiplier_whose_range_flag_stays(store, monkeypatch):
    prepared = make(store, "ecpm/ladder", "13", limb=2)
    monkeypatch.setattr(ecpm.EcpmCore, "release", sticky)
    found = verify(prepared, [first(prepared, "not reduced"), first(prepared, None)], simulator="pure")
    assert [(f.index, f.level) for f in found.failed] == [(1, "value"), (1, "bits")]


@pytest.mark.parametrize("method", ["window", "ladder", "l2r", "r2l"])
def test_a_base_out_of_range_next_to_an_exponent_of_one_bit(store, method):
    """32 of 32 operands. No product of l2r and r2l has the base for the exponent 0, so there it is not looked at."""
    prepared = make(store, f"modexp/binary-{method}", "13", exponent_bits=1)
    every = [{PAYLOAD: {"base": base, "exponent": exponent}} for base in range(16) for exponent in range(2)]
    errors = sum(prepared.codec.read(case[PAYLOAD]).error is not None for case in every)
    assert errors == (6 if method in ("window", "ladder") else 3)
    assert verify(prepared, every, simulator="pure").failed == []

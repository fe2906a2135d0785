# SPDX-License-Identifier: Apache-2.0
"""X25519, X448 and small Montgomery curves: plain function, vectors, every operand, errors, constant control."""

import json
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.catalog import resolve_curve
from modwright.catalog.points import multiply_x
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.contract.roles import Errors
from modwright.cores.xmul.montgomery_ladder.hardware.core import XmulCore
from modwright.cores.xmul.montgomery_ladder.parameters import BAD_MODULUS, OUT_OF_RANGE, ZERO
from modwright.cores.xmul.montgomery_ladder.plan import formulas
from modwright.functions import find_function, vectors
from modwright.functions.xmul import decoded_scalar
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence
from modwright.simulate import verify

from ..tools import needs
from .conftest import CommandLine
from .control_words import words_of_each

CORE, XMUL = find("xmul/montgomery-ladder"), find_function("xmul")
DATA = Path(__file__).parents[1] / "data"
compiled = needs("compiled-simulator", why="X25519 has 63,000 cycles")


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


def little(text):
    """An integer from the bytes of RFC 7748."""
    return int.from_bytes(bytes.fromhex(text), "little")


# --- the plain function


@cache
def multiples(p, a, u):
    """x of [0]P, [1]P, ... as long as they differ, 0 at infinity, by chord and tangent; u is on the curve or its twist.

    b·y² = x³ + a·x² + x with the b for which P = (u, 1) is on it: b is a square for the curve, another for the twist.
    """
    b = (u**3 + a * u * u + u) % p
    if b == 0:
        return [0, u]  # 2P is at infinity
    point, found = (u, 1), [0]
    start = point
    while point is not None:
        found.append(point[0])
        point = added(p, a, b, point, start)
    return found


def added(p, a, b, first, second):
    """Sum of two points of b·y² = x³ + a·x² + x; None at infinity."""
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and (y1 + y2) % p == 0:
        return None
    over, under = (3 * x1 * x1 + 2 * a * x1 + 1, 2 * b * y1) if x1 == x2 else (y2 - y1, x2 - x1)
    slope = over * pow(under, -1, p)
    x = (b * slope * slope - a - x1 - x2) % p
    return x, (slope * (x1 - x) - y1) % p


@pytest.mark.parametrize("p", [5, 7, 11, 13, 17, 19, 23, 29, pytest.param(127, marks=pytest.mark.campaign)])
def test_every_multiple_of_every_point_of_small_curves(p):
    """By chord and tangent on the curve and its twist; scalars beyond every order."""
    for a24 in range(2, p):
        a = (4 * a24 - 2) % p
        for u in range(p):
            known = multiples(p, a, u)
            for k in range(2 * p):
                assert multiply_x(k, u, p, a24) == known[k % len(known)], (a24, u, k)


@given(st.integers(0, 2**256 - 1), st.sampled_from((2, 3)), st.sampled_from((5, 8, 255, 256)))
def test_a_clamped_scalar(k, clamp, bits):
    """A multiple of the cofactor with its highest bit set, and no other bit changed."""
    found = decoded_scalar(k, clamp, bits)
    assert found % (1 << clamp) == 0
    assert found >> (bits - 1) == 1
    inside = (1 << (bits - 1)) - (1 << clamp)
    assert found & inside == k & inside
    assert decoded_scalar(k, 0, bits) == k


@pytest.mark.parametrize("name", ["curve25519", "curve448"])
def test_vectors_of_the_standard(name):
    """Also with u + p in place of u, where it has as many bits, and with a bit above those of p."""
    curve = resolve_curve(name)
    for case in vectors.load(DATA / "vectors" / f"xmul-{name}.json").cases:
        assert XMUL.evaluate(case, curve) == {"z": case["z"]}
        assert XMUL.evaluate(case | {"u": case["u"] ^ 1 << curve.p.bit_length()}, curve) == {"z": case["z"]}


def wycheproof():
    """k, u and z of every case: a shared secret 0 is an error here."""
    document = json.loads((DATA / "wycheproof" / "x25519_test.json").read_text(encoding="utf-8"))
    return [row for group in document["testGroups"] for row in group["tests"]]


def case_of(row):
    """A row of Wycheproof as a case."""
    shared = little(row["shared"])
    given = {"k": little(row["private"]), "u": little(row["public"])}
    return given | ({"z": shared} if shared else {"error": Errors.ZERO})


def test_every_case_of_wycheproof_by_the_plain_function():
    curve, rows = resolve_curve("curve25519"), wycheproof()
    assert len(rows) == 518
    for row in rows:
        case = case_of(row)
        assert XMUL.evaluate(case, curve) == {name: case[name] for name in ("z", "error") if name in case}, row["tcId"]


# --- small fields in the RTL


@cache
def every_operand(p, a24, clamp, bits):
    """Every scalar and u of the fields, with the result by chord and tangent."""
    cases, top = [], p.bit_length()
    for u in range(1 << bits):
        known = multiples(p, (4 * a24 - 2) % p, u % (1 << top) % p)
        for k in range(1 << bits):
            scalar = decoded_scalar(k, clamp, top)
            z = known[scalar % len(known)]
            case = {"modulus": p, "a24": a24, "clamp": clamp, "k": k, "u": u}
            cases.append(case | ({"z": z} if z else {"error": Errors.ZERO}))
    return cases


@compiled
@pytest.mark.parametrize("a24", [2, 4])
def test_every_operand_over_a_small_field(store, a24):
    """The field of 13 elements: a curve with one point of order 2, one with three; scalars as they are and clamped."""
    cases = [case for clamp in (0, 2, 3) for case in every_operand(13, a24, clamp, 4)]
    found = verify(make(store, "13", limb=3), cases)
    assert found.failed == []


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{}, {"unit": "scan"}, {"unit": "fold", "macs": 2}, {"macs": 2}])
def test_every_operand_over_127_elements(store, options):
    """Every scalar and u of seven bits, on three curves."""
    prepared = make(store, "127", limb=4, **options)
    for a24, clamp in ((2, 0), (60, 2), (111, 3)):
        found = verify(prepared, every_operand(127, a24, clamp, 7))
        assert found.failed == []


@compiled
def test_a_wide_core_takes_narrow_curves(store):
    """Primes of 3, 13, 31 and 61 bits on a core of 61: its mask, its highest bit, and what is above them."""
    rng, prepared = random.Random(2), make(store, bits=61, limb=16)
    cases = []
    for p in (7, 8191, 2**31 - 1, 2**61 - 1):
        for clamp in (0, 2, 3):
            k, u = rng.getrandbits(61), rng.getrandbits(61)
            cases.append({"modulus": p, "a24": rng.randrange(2, p), "clamp": clamp, "k": k, "u": u})
    found = verify(prepared, cases)
    assert found.failed == []


@compiled
def test_a_wrong_formula_is_seen(tmp_path, monkeypatch):
    """BB in place of AA: (A - 2) / 4 would be right with it. The store is the test's own, as keys know of no change."""
    wrong = formulas.STEP.replace("G   = F + BB", "G   = F + AA")
    assert wrong != formulas.STEP
    monkeypatch.setattr(formulas, "STEP", wrong)
    assert verify(make(Store(tmp_path), "13", limb=3), every_operand(13, 4, 0, 4)[:40]).failed


# --- X25519 and X448 in the RTL


@pytest.fixture(scope="module")
def x25519(store):
    return make(store, curve="curve25519", target="ecp5")


def test_the_cycles_of_x25519(x25519, store):
    """At most what was asked for, and little more than half of it with two multipliers."""
    assert x25519.schedule.latency <= 75_000
    assert make(store, curve="curve25519", macs=2).schedule.latency <= 38_000


@compiled
def test_the_vectors_of_x25519(x25519):
    found = verify(x25519, vectors.load(DATA / "vectors" / "xmul-curve25519.json").cases)
    assert (found.failed, found.passed) == ([], 2)


def iterated(name, rounds):
    """k and u of the iterated test of RFC 7748, section 5.2, with the result of each round."""
    curve = resolve_curve(name)
    k = u = curve.gx
    for _ in range(rounds):
        z = XMUL.evaluate({"k": k, "u": u}, curve)["z"]
        yield {"k": k, "u": u, "z": z}
        k, u = z, k


AFTER = {
    ("curve25519", 1): "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
    ("curve25519", 1000): "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
    ("curve448", 1): "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a4d23a8cd"
    "0db897086239492caf350b51f833868b9bc2b3bca9cf4113",
    ("curve448", 1000): "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4af6c67cf"
    "10d087202db88286e2b79fceea3ec353ef54faa26e219f38",
}
"""Results of the iterated test, from the RFC."""


@compiled
def test_the_first_rounds_of_the_iterated_test(x25519):
    cases = list(iterated("curve25519", 3))
    assert cases[0]["z"] == little(AFTER["curve25519", 1])
    assert verify(x25519, cases).failed == []


@compiled
@pytest.mark.campaign
def test_a_thousand_rounds_of_the_iterated_test(x25519):
    cases = list(iterated("curve25519", 1000))
    assert cases[-1]["z"] == little(AFTER["curve25519", 1000])
    found = verify(x25519, cases)
    assert (found.failed, found.passed) == ([], 1000)


@pytest.mark.campaign
def test_a_thousand_rounds_of_x448_by_the_plain_function():
    cases = list(iterated("curve448", 1000))
    assert cases[0]["z"] == little(AFTER["curve448", 1])
    assert cases[-1]["z"] == little(AFTER["curve448", 1000])


@compiled
def test_some_of_wycheproof(x25519):
    """The first case of every flag."""
    chosen = {flag: row for row in reversed(wycheproof()) for flag in row["flags"]}
    cases = [case_of(row) for row in {row["tcId"]: row for row in chosen.values()}.values()]
    assert any("error" in case for case in cases)
    found = verify(x25519, cases)
    assert found.failed == []


@compiled
@pytest.mark.campaign
def test_every_case_of_wycheproof(x25519):
    found = verify(x25519, [case_of(row) for row in wycheproof()])
    assert found.failed == []
    assert found.passed == 518


@compiled
@pytest.mark.campaign
def test_x448(store):
    cases = vectors.load(DATA / "vectors" / "xmul-curve448.json").cases
    assert verify(make(store, curve="x448", macs=2), cases).failed == []


@compiled
@pytest.mark.campaign
def test_one_core_for_both(store):
    """X25519 and X448 in turn on a core of 448 bits."""
    prepared, cases = make(store, bits=448, macs=2), []
    for name in ("curve25519", "curve448"):
        file = vectors.load(DATA / "vectors" / f"xmul-{name}.json")
        own = {"modulus": file.curve.p} | XMUL.curve_constants(file.curve)
        cases += [own | case for case in file.cases]
    assert verify(prepared, [*cases, *reversed(cases)]).failed == []


# --- errors and control


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, 0),
        ({"m": 12}, BAD_MODULUS),
        ({"m": 3}, BAD_MODULUS),
        ({"m": 0, "a24": 15}, BAD_MODULUS),
        ({"a24": 13}, OUT_OF_RANGE),
        ({"a24": 15, "u": 0}, OUT_OF_RANGE),
        ({"u": 0}, ZERO),
        ({"u": 13}, ZERO),
        ({"k": 0}, ZERO),
        ({"k": 0, "clamp": 2}, 0),
        ({"u": 255, "k": 255}, 0),
    ],
)
def test_errors(store, changes, error):
    """Of the least code; z is 0 with one."""
    prepared = make(store, "13", limb=3)
    case = {"modulus": 13, "a24": 4, "clamp": 0, "k": 5, "u": 6}
    payload = prepared.codec.encode(case) | changes
    result = prepared.core.model(prepared.parameters, prepared.schedule).run(payload).payload
    assert result["error"] == error
    assert error == 0 or result["z"] == 0
    assert verify(prepared, [{PAYLOAD: payload}], simulator="pure").failed == []


def test_control_words_are_the_same_for_all_operands(store):
    """Those of the schedule; also for a bad modulus, and for the result 0."""
    prepared = make(store, "13", limb=3)
    code = prepared.schedule.microcode
    expected = [code.layout.pack(word) for word in code.issued()]
    payload = prepared.codec.encode({"modulus": 13, "a24": 4, "clamp": 0, "k": 5, "u": 6})
    payloads = [payload | changes for changes in ({}, {"k": 15, "clamp": 3}, {"u": 0}, {"m": 10, "a24": 15})]
    core = XmulCore(prepared.parameters, prepared.schedule)
    assert words_of_each(core, payloads) == [expected] * len(payloads)


def test_the_netlist_says_the_same_of_addresses(store):
    """Both addresses of the words depend on operands, and no write enable."""
    found = dependence(make(store, bits=4, limb=2))
    words = {one.kind for one in found.dependents if one.name == "machine.words"}
    assert words == {"read address", "write address"}


# --- requests and vectors


@pytest.mark.parametrize("curve", ["ed25519", "P-256"])
def test_other_forms_are_refused(curve):
    with pytest.raises(UsageError, match="Montgomery curves") as error:
        CORE.derive(Request.make(CORE, curve=curve))
    assert "curve25519, curve448" in error.value.hint


def test_a_request_without_a_width_is_refused():
    with pytest.raises(UsageError, match="width"):
        CORE.derive(Request.make(CORE))
    with pytest.raises(ParameterError):
        CORE.derive(Request.make(CORE, curve="x448", options={"bits": 255}))


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        ("ed25519", "is of the edwards form; xmul is on one of curve25519, curve448"),
        ({"p": "0xd"}, "xmul needs a 'curve' by its name: curve25519, curve448"),
    ],
)
def test_vectors_of_no_montgomery_curve_are_refused(tmp_path, curve, words):
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"curve": curve, "cases": [{"k": "0x1", "u": "0x9", "z": "0x9"}]}))
    with pytest.raises(UsageError, match=words):
        vectors.load(path)


@compiled
def test_vectors_on_the_command_line(capsys, monkeypatch, tmp_path):
    """With an error by its name."""
    path = tmp_path / "vectors.json"
    cases = [{"k": "0x8", "u": "0x9", "z": hex(XMUL.evaluate({"k": 8, "u": 9}, resolve_curve("x25519"))["z"])}]
    cases.append({"k": "0x8", "u": "0x1", "error": "result zero"})
    path.write_text(json.dumps({"curve": "x25519", "cases": cases}))
    run = CommandLine(capsys)
    assert run("simulate", CORE.name, "--curve", "curve25519", "--vectors", path) == 0
    assert "2 of 2 cases passed" in run.out
    assert "Montgomery" in run.fails(2, "simulate", CORE.name, "--curve", "ed25519", "--random", 1)

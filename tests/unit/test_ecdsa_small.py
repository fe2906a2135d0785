# SPDX-License-Identifier: Apache-2.0
"""ECDSA in one core: the plain function, every key, nonce and signature of small curves, errors, faults, vectors."""

import json
import random
from collections import Counter
from itertools import islice

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.catalog import Curve, resolve_curve
from modwright.catalog.points import multiply_point, small_curve_points
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.cores.ecdsa.joint.hardware.core import EcdsaCore
from modwright.cores.ecdsa.joint.parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, UNVERIFIED
from modwright.cores.ecdsa.joint.plan import formulas
from modwright.functions import find_function, vectors
from modwright.functions.ecdsa import KEYGEN, SIGN, VERIFY
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence
from modwright.simulate import verify

from ..tools import needs
from .control_words import result_of, words_of_each

CORE, ECDSA = find("ecdsa/joint"), find_function("ecdsa")
compiled = needs("compiled-simulator", why="a signature on P-256 takes 163,000 cycles")

TINY = {"modulus": 13, "a": 7, "b": 6, "order": 11, "gx": 1, "gy": 1}
"""A curve of 11 points over the field of 13 elements, counted in the first test. Two have x = 11, so that r is 0."""
SEVEN_BITS = {"modulus": 127, "a": 1, "b": 7, "order": 109, "gx": 1, "gy": 3}
BLANK = dict.fromkeys(("d", "e", "k", "qx", "qy", "r", "s"), 0)


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


def case(curve, op, **operands):
    return {**curve, **BLANK, "op": op, **operands}


# --- small curves, every operand


def multiples(curve):
    """[0], [1], ... of the base point; None is infinity."""
    base = (curve["gx"], curve["gy"])
    return [multiply_point(k, base, curve["modulus"], curve["a"]) for k in range(curve["order"])]


def signatures(order, point, d, k, hashes):
    """Every signature by its definition, with the nonce's point at hand: s·k = e + r·d."""
    r = point[0] % order
    for e in hashes:
        [s] = [s for s in range(order) if (s * k - e - r * d) % order == 0]
        yield e, r, s


def every_signature(curve, hashes, keys=None):
    """Every private key, or these, and every nonce."""
    order, points = curve["order"], multiples(curve)
    for d in keys or range(1, order):
        qx, qy = points[d]
        yield case(curve, KEYGEN, d=d) | {"first": qx, "second": qy, "accepted": 0}
        for k in range(1, order):
            for e, r, s in signatures(order, points[k], d, k, hashes):
                results = {"first": r, "second": s, "accepted": 0} if r and s else {"error": "result zero"}
                yield case(curve, SIGN, d=d, e=e, k=k, qx=qx, qy=qy) | results


def every_verification(curve, hashes, keys=None):
    """Every public key, or these, and r and s from 0 to the order: valid where u1 + u2·d is the logarithm of a point
    with x = r."""
    order, points = curve["order"], multiples(curve)
    for d in keys or range(1, order):
        for r in range(order + 1):
            for s in range(order + 1):
                for e in hashes:
                    inside = 0 < r < order and 0 < s < order
                    k = (e + r * d) * pow(s, -1, order) % order if inside else 0
                    valid = k != 0 and points[k][0] % order == r
                    qx, qy = points[d]
                    results = {"first": 0, "second": 0, "accepted": int(valid)}
                    yield case(curve, VERIFY, e=e, qx=qx, qy=qy, r=r, s=s) | results


def test_the_small_curves_have_these_orders():
    for curve in (TINY, SEVEN_BITS):
        points = small_curve_points(curve["modulus"], curve["a"], curve["b"])
        assert (curve["gx"], curve["gy"]) in points
        assert len(points) + 1 == curve["order"]


def operands_of(row):
    return {name: value for name, value in row.items() if name not in (*ECDSA.results, "error")}


def test_the_plain_function_on_a_small_curve():
    """Every key and nonce, and every r and s of every key, for some hashes."""
    rows = [*every_signature(TINY, range(4)), *every_verification(TINY, (0, 7))]
    seen = Counter()
    for row in rows:
        expected = {name: row[name] for name in ("first", "second", "accepted", "error") if name in row}
        assert ECDSA.evaluate(operands_of(row), None) == expected
        seen[row["op"], "error" in row, row.get("accepted")] += 1
    assert len(seen) == 5


@compiled
@pytest.mark.parametrize("check", [False, True])
def test_signatures_on_a_small_curve(store, check):
    """Every private key and nonce, for two hashes; with the check each is verified in the core."""
    rows = list(every_signature(TINY, (0, 9)))
    found = verify(make(store, "13", limb=3, check=check), rows)
    assert found.failed == []
    assert found.passed == len(rows) == 210


@compiled
def test_verifications_on_a_small_curve(store):
    """Every public key, r and s, for one hash, of which s = 0 and the order are not valid."""
    rows = list(every_verification(TINY, (5,)))
    found = verify(make(store, "13", limb=3), rows)
    assert found.failed == []
    assert found.passed == len(rows) == 1440


def verify_rows(prepared, rows):
    """Verify operations; their number."""
    found = verify(prepared, rows)
    assert found.failed == []
    assert found.passed == len(rows)
    return len(rows)


PARTS = 27
"""Parts of the 108 keys of seven bits: one has 103,620 operations, which take a gigabyte and some minutes."""


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_every_operand_on_a_curve_of_seven_bits(store, part):
    """Four keys with every nonce and hash of 7 bits, then with every r and s, for one hash; in all parts every key."""
    prepared = make(store, "127", limb=4)
    keys = range(1 + part, SEVEN_BITS["order"], PARTS)
    assert verify_rows(prepared, list(every_signature(SEVEN_BITS, range(128), keys))) == 4 * (1 + 108 * 128)
    assert verify_rows(prepared, list(every_verification(SEVEN_BITS, (100,), keys))) == 4 * 110 * 110


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{"unit": "scan", "macs": 2}, {"unit": "fold", "check": True}])
def test_other_units_on_a_curve_of_seven_bits(store, options):
    """Every 31st operation of those with every key."""
    prepared = make(store, "127", limb=4, **options)
    for cases in (every_signature(SEVEN_BITS, range(128)), every_verification(SEVEN_BITS, (100,))):
        verify_rows(prepared, list(islice(cases, None, None, 31)))


@compiled
def test_a_wrong_formula_is_seen(tmp_path, monkeypatch):
    """D - C in the place of C - D. The store is the test's own: its key does not know of the change."""
    wrong = formulas.STEP.replace("M    = C - D", "M    = D - C")
    assert wrong != formulas.STEP
    monkeypatch.setattr(formulas, "STEP", wrong)
    assert verify(make(Store(tmp_path), "13", limb=5), list(every_signature(TINY, (1,)))[:40]).failed


# --- errors, faults and control

SIGNS = {**TINY, **BLANK, "op": SIGN, "d": 3, "e": 5, "k": 8}


def public_of(d):
    qx, qy = multiples(TINY)[d]
    return {"qx": qx, "qy": qy}


ERRORS = [
    ({}, 0),
    ({"m": 12}, BAD_MODULUS),
    ({"m": 3}, BAD_MODULUS),
    ({"order": 10}, BAD_MODULUS),
    ({"order": 1}, BAD_MODULUS),
    ({"a": 13}, OUT_OF_RANGE),
    ({"gy": 14}, OUT_OF_RANGE),
    ({"d": 0}, OUT_OF_RANGE),
    ({"d": 11}, OUT_OF_RANGE),
    ({"k": 0}, OUT_OF_RANGE),
    ({"k": 12}, OUT_OF_RANGE),
    ({"op": 3}, OUT_OF_RANGE),
    ({"op": KEYGEN, "k": 0}, 0),
    ({"op": KEYGEN, "d": 0}, OUT_OF_RANGE),
    ({"op": VERIFY, "d": 0, "k": 0}, 0),
    ({"op": VERIFY, "qx": 13}, OUT_OF_RANGE),
    ({"op": VERIFY, "qy": 3}, OFF_CURVE),
]
"""Changes of a payload, and the error code."""


@compiled
@pytest.mark.parametrize("check", [False, True])
def test_errors(store, check):
    """Of the least code; the result is 0 with one. Then a key that is not the signer's, and one off the curve, which
    count with the check only."""
    prepared = make(store, "13", limb=3, check=check)
    regular = prepared.codec.encode({**SIGNS, **public_of(3)})
    keys = [({**public_of(4)}, UNVERIFIED * check), ({"qx": 0, "qy": 0}, OFF_CURVE * check)]
    payloads = [regular | changes for changes, _ in (*ERRORS, *keys)]
    model = prepared.core.model(prepared.parameters, prepared.schedule)
    for payload, (_, error) in zip(payloads, (*ERRORS, *keys), strict=True):
        result = model.run(payload).payload
        assert result["error"] == error
        assert error == 0 or (result["first"], result["second"], result["accepted"]) == (0, 0, 0)
    assert verify(prepared, [{PAYLOAD: payload} for payload in payloads]).failed == []


def test_control_words_are_the_same_for_all_operands(store):
    """Those of the schedule; for every operation, a bad modulus and a point off the curve."""
    prepared = make(store, "13", limb=3)
    code = prepared.schedule.microcode
    expected = [code.layout.pack(word) for word in code.issued()]
    payload = prepared.codec.encode({**SIGNS, **public_of(3)})
    changed = ({}, {"k": 10}, {"op": KEYGEN}, {"op": VERIFY, "r": 1, "s": 1}, {"m": 10}, {"qx": 0, "op": VERIFY})
    core = EcdsaCore(prepared.parameters, prepared.schedule)
    assert words_of_each(core, [payload | changes for changes in changed]) == [expected] * len(changed)


@pytest.mark.parametrize("op", [KEYGEN, SIGN, VERIFY])
def test_a_fault_does_not_leave_with_the_check(store, op):
    """A bit of a scalar flips in the middle of the first pass. Without the check a wrong result leaves."""
    signed = ECDSA.evaluate(SIGNS, None)
    numbers = {"r": signed["first"], "s": signed["second"]} if op == VERIFY else {}
    for check in (False, True):
        prepared = make(store, "13", limb=3, check=check)
        payload = prepared.codec.encode({**SIGNS, **public_of(3), **numbers, "op": op})
        right = prepared.core.model(prepared.parameters, prepared.schedule).run(payload).payload

        core = EcdsaCore(prepared.parameters, prepared.schedule)

        def flip(ctx, cycle, core=core, at=prepared.schedule.microcode.loops[0].first + 5):
            if cycle == at:
                ctx.set(core.scalars["u1"], ctx.get(core.scalars["u1"]) ^ 8)

        found = result_of(core, payload, ("first", "second", "accepted", "error"), flip)
        assert right["error"] == 0
        if check:
            assert found == {"first": 0, "second": 0, "accepted": 0, "error": UNVERIFIED}
        else:
            assert found["error"] == 0
            assert found != right


def test_the_netlist_says_the_same_of_addresses(store):
    """The read address of the words depends on operands, and neither the write address nor a write enable does."""
    found = dependence(make(store, bits=4, limb=2))
    words = {one.kind for one in found.dependents if one.name == "machine.words"}
    assert words == {"read address"}


# --- requests and vectors


@pytest.mark.parametrize(("curve", "what"), [("curve25519", "montgomery form"), ("bls12-381", "of cofactor")])
def test_other_curves_are_refused(curve, what):
    with pytest.raises(UsageError, match=what) as error:
        CORE.derive(Request.make(CORE, curve=curve))
    assert "secp256r1" in error.value.hint


def test_an_order_of_more_bits_than_the_prime_widens_the_core():
    curve = resolve_curve("secp160r1")
    assert CORE.derive(Request.make(CORE, curve="secp160r1")).n == curve.order.bit_length() == 161
    with pytest.raises(ParameterError, match="order of secp160r1 does not fit"):
        CORE.derive(Request.make(CORE, curve="secp160r1", options={"bits": 160}))


def hexed(row):
    return {name: value if isinstance(value, str | bool) else hex(value) for name, value in row.items()}


def vector_file(tmp_path, cases, curve=None):
    path = tmp_path / "vectors.json"
    described = hexed({"p" if name == "modulus" else name: value for name, value in TINY.items()})
    document = {"curve": curve or {"name": "tiny", **described}, "cases": [hexed(row) for row in cases]}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


VERIFIES = {"op": "verify", "e": 5, **public_of(3)}


def signed_case():
    found = ECDSA.evaluate(SIGNS, None)
    return {"op": "sign", "d": 3, "e": 5, "k": 8, "r": found["first"], "s": found["second"]}


@compiled
def test_vectors_of_every_operation(store, tmp_path):
    sign = signed_case()
    numbers = {name: sign[name] for name in ("r", "s")}
    cases = [
        {"op": "keygen", "d": 3, **public_of(3)},
        sign,
        {**VERIFIES, **numbers, "valid": True},
        {**VERIFIES, **numbers, "r": 0, "valid": False},
        {"op": "sign", "d": 0, "e": 1, "k": 1, "error": "not reduced"},
    ]
    file = vectors.load(vector_file(tmp_path, cases))
    assert (file.function, file.curve.name, len(file.cases)) == ("ecdsa", "tiny", 5)
    prepared = make(store, "13", limb=3)
    assert verify(prepared, file.cases_for(CORE, prepared.request)).failed == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"op": "sing", "d": 1, "e": 1, "k": 1}, r'"op": "sign" with d, e, k, or "op": "verify" with e, qx'),
        ({"op": "sign", "d": 1, "e": 1}, "operands of no function"),
        ({"op": "sign", "d": 1, "e": 1, "k": 1, "r": 1}, "case 0 has no expected s"),
        ({"op": "sign", "d": 1, "e": 1, "k": 1, "r": 1, "s": "7"}, "second is a hexadecimal string"),
    ],
)
def test_vectors_that_are_refused(tmp_path, row, message):
    with pytest.raises(UsageError, match=message):
        vectors.load(vector_file(tmp_path, [row], curve="P-256"))


def test_every_case_has_an_operation(tmp_path):
    with pytest.raises(UsageError, match="case 1 has no 'op' of keygen, sign, verify"):
        vectors.load(vector_file(tmp_path, [signed_case(), {"d": 1}]))


def test_random_cases_are_of_every_operation():
    rng, curve = random.Random(3), resolve_curve("P-256")
    rows = [ECDSA.random(rng, None, curve) for _ in range(12)]
    found = Counter((row["op"], ECDSA.evaluate(row, curve)["accepted"]) for row in rows)
    assert {op for op, _ in found} == {KEYGEN, SIGN, VERIFY}
    assert found[VERIFY, 1] > 0


def test_the_example_is_a_curve():
    assert isinstance(make(None, curve="P-256").parameters.example, Curve)

# SPDX-License-Identifier: Apache-2.0
"""Ed25519, Ed448 and small Edwards curves: plain function, keys, every operand, errors, constant control."""

import hashlib
import json
import random
from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.catalog import resolve_curve
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.cores.edmul.double_add.hardware.core import EdmulCore
from modwright.cores.edmul.double_add.parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE
from modwright.cores.edmul.double_add.plan import formulas
from modwright.functions import find_function, vectors
from modwright.functions.edmul import is_square
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence
from modwright.simulate import verify

from ..tools import needs
from .control_words import words_of_each

CORE, EDMUL = find("edmul/double-add"), find_function("edmul")
compiled = needs("compiled-simulator", why="a multiple on Ed25519 has 106,000 cycles")


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


# --- the plain function


def added(p, a, d, first, second):
    """The sum by the affine law of the curve."""
    (x1, y1), (x2, y2) = first, second
    t = d * x1 * x2 * y1 * y2
    x, y = (x1 * y2 + x2 * y1) * pow(1 + t, -1, p), (y1 * y2 - a * x1 * x2) * pow(1 - t, -1, p)
    return x % p, y % p


@cache
def points_of(p, a, d):
    """Every point of a curve."""
    return [(x, y) for x in range(p) for y in range(p) if (a * x * x + y * y - 1 - d * x * x * y * y) % p == 0]


def multiples(p, a, d, point, count):
    """[0], [1], ... of a point."""
    found = [(0, 1)]
    while len(found) < count:
        found.append(added(p, a, d, found[-1], point))
    return found


def complete(p):
    """a and d of every complete curve."""
    squares = [one for one in range(1, p) if is_square(one, p)]
    return [(a, d) for a in squares for d in range(1, p) if d not in squares]


@pytest.mark.parametrize("p", [5, 7, 11, 13, pytest.param(31, marks=pytest.mark.campaign)])
def test_every_multiple_of_every_point_of_small_curves(p):
    for a, d in complete(p):
        for x, y in points_of(p, a, d):
            for k, (rx, ry) in enumerate(multiples(p, a, d, (x, y), 2 * p)):
                case = {"modulus": p, "a": a, "d": d, "k": k, "x": x, "y": y}
                assert EDMUL.evaluate(case, None) == {"rx": rx, "ry": ry}


def public_25519(seed):
    """Scalar and point of the public key of a seed: RFC 8032, section 5.1.5, and `cryptography`."""
    digest = hashlib.sha512(seed).digest()[:32]
    scalar = int.from_bytes(digest, "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw(), 255


def public_448(seed):
    """The same for Ed448: section 5.2.5."""
    digest = hashlib.shake_256(seed).digest(114)[:56]
    scalar = int.from_bytes(digest, "little") & ((1 << 447) - 4) | 1 << 447
    return scalar, Ed448PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw(), 455


KEYS = {"ed25519": (public_25519, 32), "ed448": (public_448, 57)}


def keys(name, count):
    """Cases of public keys, with y and the lowest bit of x as they are encoded."""
    make_key, length = KEYS[name]
    curve, rng = resolve_curve(name), random.Random(name)
    for _ in range(count):
        scalar, public, at = make_key(rng.randbytes(length))
        case = {"k": scalar, "x": curve.gx, "y": curve.gy}
        number = int.from_bytes(public, "little")
        found = EDMUL.evaluate(case, curve)
        assert (found["ry"], found["rx"] & 1) == (number & ((1 << at) - 1), number >> at)
        yield case | found


@pytest.mark.parametrize("name", KEYS)
def test_public_keys(name):
    """Those of `cryptography`."""
    assert len(list(keys(name, 3))) == 3


# --- small fields in the RTL


def every_operand(p, a, d, bits):
    """Every scalar of the field, and every point, by the affine law."""
    for x, y in points_of(p, a, d):
        for k, (rx, ry) in enumerate(multiples(p, a, d, (x, y), 1 << bits)):
            yield {"modulus": p, "a": a, "d": d, "k": k, "x": x, "y": y, "rx": rx, "ry": ry}


@compiled
def test_every_operand_over_a_small_field(store):
    """Every scalar and point of four curves over the field of 13 elements."""
    cases = [case for a, d in complete(13)[::9] for case in every_operand(13, a, d, 4)]
    found = verify(make(store, "13", limb=3), cases)
    assert found.failed == []
    assert found.passed == len(cases) > 500


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{}, {"unit": "scan"}, {"unit": "fold", "macs": 2}, {"macs": 2}])
def test_every_operand_over_127_elements(store, options):
    """Every scalar and point of a curve over seven bits."""
    a, d = complete(127)[1234]
    found = verify(make(store, "127", limb=4, **options), list(every_operand(127, a, d, 7)))
    assert found.failed == []


@compiled
def test_a_wrong_formula_is_seen(tmp_path, monkeypatch):
    """The other sign of a. The store is the test's own: its key does not know of the change."""
    wrong = formulas.STEP.replace("H2   = B - aA", "H2   = B + aA")
    assert wrong != formulas.STEP
    monkeypatch.setattr(formulas, "STEP", wrong)
    a, d = complete(13)[0]
    cases = [case for case in every_operand(13, a, d, 4) if case["x"] * case["y"]]
    found = verify(make(Store(tmp_path), "13", limb=3), cases[:60])
    assert found.failed


@compiled
def test_ed25519(store):
    """Public keys; edges of the function, with points of order 1 and 2, and scalars around the order."""
    prepared, curve = make(store, curve="ed25519", target="ecp5"), resolve_curve("ed25519")
    cases = [*keys("ed25519", 2), *(case for name, case in EDMUL.edges(None, curve).items() if "N" in name)]
    found = verify(prepared, cases)
    assert found.failed == []


@compiled
@pytest.mark.campaign
def test_public_keys_of_both_curves(store):
    """A hundred of Ed25519 and some of Ed448, two multipliers."""
    assert verify(make(store, curve="ed25519", macs=2), list(keys("ed25519", 100))).failed == []
    assert verify(make(store, curve="ed448", macs=2), list(keys("ed448", 5))).failed == []


# --- errors and control


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, 0),
        ({"m": 12}, BAD_MODULUS),
        ({"m": 3}, BAD_MODULUS),
        ({"x": 13}, OUT_OF_RANGE),
        ({"y": 14}, OUT_OF_RANGE),
        ({"a": 13, "x": 1}, OUT_OF_RANGE),
        ({"d": 15}, OUT_OF_RANGE),
        ({"x": 1}, OFF_CURVE),
        ({"k": 0}, 0),
    ],
)
def test_errors(store, changes, error):
    """Of the least code; the result is 0 with one."""
    prepared = make(store, "13", limb=3)
    payload = prepared.codec.encode({"modulus": 13, "a": 1, "d": 2, "k": 5, "x": 0, "y": 12}) | changes
    result = prepared.core.model(prepared.parameters, prepared.schedule).run(payload).payload
    assert result["error"] == error
    assert error == 0 or (result["x"], result["y"]) == (0, 0)
    assert verify(prepared, [{PAYLOAD: payload}], simulator="pure").failed == []


def test_control_words_are_the_same_for_all_operands(store):
    """Those of the schedule; also for a bad modulus, and a point off the curve."""
    prepared = make(store, "13", limb=3)
    code = prepared.schedule.microcode
    expected = [code.layout.pack(word) for word in code.issued()]
    payload = prepared.codec.encode({"modulus": 13, "a": 1, "d": 2, "k": 5, "x": 0, "y": 12})
    payloads = [payload | changes for changes in ({}, {"k": 15}, {"x": 1}, {"m": 10})]
    core = EdmulCore(prepared.parameters, prepared.schedule)
    assert words_of_each(core, payloads) == [expected] * len(payloads)


def test_the_netlist_says_the_same_of_addresses(store):
    """The read address of the words depends on operands, and neither the write address nor a write enable does."""
    found = dependence(make(store, bits=4, limb=2))
    words = {one.kind for one in found.dependents if one.name == "machine.words"}
    assert words == {"read address"}


# --- requests and vectors


@pytest.mark.parametrize("curve", ["curve25519", "P-256"])
def test_other_forms_are_refused(curve):
    with pytest.raises(UsageError, match="Edwards curves") as error:
        CORE.derive(Request.make(CORE, curve=curve))
    assert "ed25519, ed448" in error.value.hint


def test_the_form_of_the_curve_says_which_function_is_meant(tmp_path):
    """k, x and y are operands of `ecpm`, too."""
    path = tmp_path / "vectors.json"
    one = next(keys("ed25519", 1))
    path.write_text(json.dumps({"curve": "ed25519", "cases": [{name: hex(value) for name, value in one.items()}]}))
    file = vectors.load(path)
    assert (file.function, file.curve.name, file.cases) == ("edmul", "ed25519", [one])
    path.write_text(
        json.dumps({"curve": "ed25519", "function": "ecpm", "cases": [{"k": "0x1", "x": "0x1", "y": "0x1"}]})
    )
    with pytest.raises(UsageError, match="of the edwards form; ecpm is on one of"):
        vectors.load(path)

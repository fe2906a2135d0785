# SPDX-License-Identifier: Apache-2.0
"""EdDSA in one core: every scalar of a small curve, keys of `cryptography`, Wycheproof, errors, control, vectors."""

import hashlib
import json
import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from modwright.base.errors import UsageError
from modwright.catalog import resolve_curve
from modwright.catalog.points import add_edwards
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.cores.eddsa.joint_edwards.hardware.core import EddsaCore
from modwright.cores.eddsa.joint_edwards.parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, UNVERIFIED
from modwright.functions import find_function, vectors
from modwright.functions.eddsa import COMBINE, SIGN, VERIFY
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs
from .control_words import result_of, seen_of_each

CORE, EDDSA = find("eddsa/joint"), find_function("eddsa")
DATA = Path(__file__).parents[1] / "data" / "wycheproof"
compiled = needs("compiled-simulator", why="a signature on Ed25519 takes 113,000 cycles")

TINY = {"modulus": 13, "a": 1, "d": 7, "order": 5, "gx": 2, "gy": 9}
"""A complete curve over the field of 13 elements, with a base point of order 5."""
BLANK = dict.fromkeys(("key", "k", "h", "px", "py", "s", "ry", "rs"), 0)


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


# --- a small curve, every scalar


def contains(x, y):
    return (TINY["a"] * x * x + y * y - 1 - TINY["d"] * x * x * y * y) % TINY["modulus"] == 0


def multiples(point, count=16):
    """[0], [1], ... of a point by sums."""
    found = [(0, 1)]
    while len(found) < count:
        found.append(add_edwards(found[-1], point, TINY["modulus"], TINY["a"], TINY["d"]))
    return found


POINTS = [(x, y) for x in range(13) for y in range(13) if contains(x, y)]
BASE = multiples((TINY["gx"], TINY["gy"]))


def row(op, results, **operands):
    return {**TINY, **BLANK, "op": op, **operands, **dict.fromkeys(EDDSA.results, 0), **results}


def every_sum():
    """Every point, k and h of 4 bits."""
    for px, py in POINTS:
        for h, multiple in enumerate(multiples((px, py))):
            for k, base in enumerate(BASE):
                x, y = add_edwards(base, multiple, 13, TINY["a"], TINY["d"])
                yield row(COMBINE, {"first": x, "second": y}, k=k, h=h, px=px, py=py)


def every_signature(hashes):
    """Every key and k of 4 bits, then every s for the public key and R of some."""
    for key in range(16):
        px, py = BASE[key]
        for k in range(16):
            rx, ry = BASE[k]
            for h in hashes:
                signed = (k + h * key) % TINY["order"]
                operands = {"h": h, "px": px, "py": py, "ry": ry, "rs": rx & 1}
                yield row(SIGN, {"first": signed}, key=key, k=k, **operands)
                if key < 5 and k < 5:
                    for s in range(16):
                        yield row(VERIFY, {"accepted": int(s == signed)}, s=s, **operands)


def test_the_small_curve():
    assert BASE[5] == (0, 1)
    assert BASE[1] in POINTS
    for case in (*every_sum(), *every_signature((3,))):
        expected = {name: case[name] for name in EDDSA.results}
        assert EDDSA.evaluate({name: case[name] for name in case if name not in EDDSA.results}, None) == expected


@compiled
def test_sums_on_a_small_curve(store):
    """Every third of all points and scalars."""
    rows = list(every_sum())[::3]
    found = verify(make(store, "13", limb=3), rows)
    assert found.failed == []
    assert found.passed == len(rows) > 1000


@compiled
def test_signatures_on_a_small_curve(store):
    """Every key, k and s for one hash: s beyond the order is not valid."""
    rows = list(every_signature((7,)))
    found = verify(make(store, "13", limb=3), rows)
    assert found.failed == []
    assert found.passed == len(rows) == 656


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{"unit": "scan"}, {"unit": "fold", "macs": 2}, {"macs": 2}])
def test_every_operand_of_a_small_curve(store, options):
    rows = [*every_sum(), *every_signature(range(16))]
    found = verify(make(store, "13", limb=3, **options), rows)
    assert found.failed == []
    assert found.passed == len(rows)


# --- Ed25519 and Ed448

CURVES = {
    "ed25519": (Ed25519PrivateKey, 32, lambda data: hashlib.sha512(data).digest(), b"", ((1 << 254) - 8, 1 << 254)),
    "ed448": (
        *(Ed448PrivateKey, 57, lambda data: hashlib.shake_256(data).digest(114), b"SigEd448\0\0"),
        ((1 << 447) - 4, 1 << 447),
    ),
}
"""Keys of `cryptography`, bytes of a number, hash, its prefix, and masks of a secret scalar: RFC 8032, 5.1 and 5.2."""


def number(data):
    return int.from_bytes(data, "little")


def split(name, data):
    """y, and the lowest bit of x, of an encoded point."""
    size = CURVES[name][1]
    value = number(data[:size])
    return value & ((1 << (8 * size - 1)) - 1), value >> (8 * size - 1)


def decoded(name, data):
    """The point, None where there is none (RFC 8032, sections 5.1.3 and 5.2.3)."""
    curve, (y, sign) = resolve_curve(name), split(name, data)
    p = curve.p
    if y >= p:
        return None
    square = (y * y - 1) * pow(curve.b * y * y - curve.a, -1, p) % p
    x = pow(square, (p + 3) // 8, p) if p % 8 == 5 else pow(square, (p + 1) // 4, p)
    if p % 8 == 5 and (x * x - square) % p:
        x = x * pow(2, (p - 1) // 4, p) % p
    if (x * x - square) % p or (x == 0 and sign):
        return None
    return (x if x & 1 == sign else p - x), y


def signatures(name, count):
    """Key, R, S and verification of random keys and messages, by `cryptography`."""
    kind, size, digest, prefix, (clear, top) = CURVES[name]
    curve, rng = resolve_curve(name), random.Random(name)
    for length in range(count):
        seed, message = rng.randbytes(size), rng.randbytes(length)
        private = kind.from_private_bytes(seed)
        public, signature = private.public_key().public_bytes_raw(), private.sign(message)
        half, secret = len(digest(b"")) // 2, digest(seed)
        key = number(secret[:half]) & clear | top
        k = number(digest(prefix + secret[half:] + message)) % curve.order
        h = number(digest(prefix + signature[:size] + public + message)) % curve.order
        (px, py), (ry, rs) = decoded(name, public), split(name, signature)
        s = number(signature[size:])
        rx, _ = decoded(name, signature)
        operands = {**BLANK, "h": h, "px": px, "py": py}
        nothing = dict.fromkeys(EDDSA.results, 0)
        yield {**BLANK, "op": COMBINE, "k": key, "px": 0, "py": 1, **nothing, "first": px, "second": py}
        yield {**BLANK, "op": COMBINE, "k": k, "px": 0, "py": 1, **nothing, "first": rx, "second": ry}
        yield {**operands, "op": SIGN, "key": key, "k": k, "ry": ry, "rs": rs, **nothing, "first": s}
        yield {**operands, "op": VERIFY, "s": s, "ry": ry, "rs": rs, **nothing, "accepted": 1}


def wycheproof():
    """(case, valid) of every test whose S has 255 bits and whose signature has 64 bytes; None for the others."""
    curve = resolve_curve("ed25519")
    for group in json.loads((DATA / "ed25519_test.json").read_text(encoding="utf-8"))["testGroups"]:
        public = bytes.fromhex(group["publicKey"]["pk"])
        px, py = decoded("ed25519", public)
        for test in group["tests"]:
            signature, valid = bytes.fromhex(test["sig"]), test["result"] == "valid"
            s = number(signature[32:])
            if len(signature) != 64 or s >> 255:
                yield None, valid
                continue
            h = number(hashlib.sha512(signature[:32] + public + bytes.fromhex(test["msg"])).digest()) % curve.order
            ry, rs = split("ed25519", signature)
            case = {**BLANK, "op": VERIFY, "h": h, "px": px, "py": py, "s": s, "ry": ry, "rs": rs}
            yield {**case, "first": 0, "second": 0, "accepted": int(valid)}, valid


def model_agrees(prepared, rows):
    model = prepared.core.model(prepared.parameters, prepared.schedule)
    for case in rows:
        found = prepared.codec.decode(model.run(prepared.codec.encode(case)).payload)
        assert found == {**{name: case[name] for name in EDDSA.results}, "error": None}


@pytest.mark.parametrize("name", CURVES)
def test_keys_and_signatures_through_the_model(store, name):
    model_agrees(make(store, curve=name), signatures(name, 1))


def test_every_case_of_wycheproof_by_the_plain_function():
    rows, curve = list(wycheproof()), resolve_curve("ed25519")
    assert len(rows) == 151
    assert sum(valid for _, valid in rows) == 88
    assert not any(valid for case, valid in rows if case is None)
    for case, valid in rows:
        if case is not None:
            operands = {name: value for name, value in case.items() if name not in EDDSA.results}
            assert EDDSA.evaluate(operands, curve)["accepted"] == valid


@compiled
def test_ed25519(store):
    """A key, R, S and their verification, and every 15th of Wycheproof's cases."""
    rows = [*signatures("ed25519", 1), *[case for case, _ in wycheproof() if case is not None][::15]]
    assert verify(make(store, curve="ed25519", target="ecp5"), rows).failed == []


@compiled
@pytest.mark.campaign
def test_every_case_of_wycheproof(store):
    """Through the model and the RTL; and keys of both curves."""
    rows, prepared = [case for case, _ in wycheproof() if case is not None], make(store, curve="ed25519", macs=2)
    model_agrees(prepared, rows)
    assert verify(prepared, [*rows, *signatures("ed25519", 10)]).failed == []
    assert verify(make(store, curve="ed448", macs=2), list(signatures("ed448", 3))).failed == []


# --- errors, control, requests

SIGNS = row(SIGN, {}, key=3, k=4, h=2, px=BASE[3][0], py=BASE[3][1], ry=BASE[4][1], rs=BASE[4][0] & 1)
ERRORS = [
    ({}, 0),
    ({"m": 12}, BAD_MODULUS),
    ({"order": 4}, BAD_MODULUS),
    ({"order": 1}, BAD_MODULUS),
    ({"d": 13}, OUT_OF_RANGE),
    ({"px": 15}, OUT_OF_RANGE),
    ({"op": 3}, OUT_OF_RANGE),
    ({"px": 1, "py": 1}, OFF_CURVE),
    ({"rs": 1 - SIGNS["rs"]}, UNVERIFIED),
    ({"ry": BASE[3][1]}, UNVERIFIED),
    ({"key": 4}, UNVERIFIED),
    ({"op": VERIFY, "s": 0}, 0),
    ({"op": COMBINE}, 0),
]


@compiled
def test_errors(store):
    """Of the least code; the result is 0 with one."""
    prepared = make(store, "13", limb=3)
    regular = prepared.codec.encode(SIGNS)
    model, payloads = prepared.core.model(prepared.parameters, prepared.schedule), []
    for changes, error in ERRORS:
        payloads.append(regular | changes)
        result = model.run(payloads[-1]).payload
        assert result["error"] == error
        assert error == 0 or (result["first"], result["second"], result["accepted"]) == (0, 0, 0)
    assert verify(prepared, [{PAYLOAD: payload} for payload in payloads]).failed == []


def test_control_words_are_the_same_for_all_operands(store):
    """Those of the schedule, for every operation and an error; before its result, an operation changes no output."""
    prepared = make(store, "13", limb=3)
    code, regular = prepared.schedule.microcode, prepared.codec.encode(SIGNS)
    expected = [code.layout.pack(word) for word in code.issued()]
    core = EddsaCore(prepared.parameters, prepared.schedule)
    payloads = [regular | changes for changes in ({}, {"op": COMBINE, "k": 15}, {"op": VERIFY, "s": 3}, {"px": 1})]
    seen = seen_of_each(core, payloads, lambda ctx: tuple(map(ctx.get, (core.machine.word.as_value(), core.o.p.first))))
    assert [[word for word, _ in operation] for operation in seen] == [expected] * len(payloads)
    assert all(len({first for _, first in operation}) == 1 for operation in seen)


def test_a_fault_does_not_leave_with_a_signature(store):
    """A bit of S flips before the steps; nothing of it is on the output at any time."""
    prepared = make(store, "13", limb=3)

    core = EddsaCore(prepared.parameters, prepared.schedule)

    def flip(ctx, cycle):
        assert ctx.get(core.o.p.first) == 0
        if cycle == prepared.schedule.microcode.loops[0].first - 2:
            ctx.set(core.scalars["u1"], ctx.get(core.scalars["u1"]) ^ 1)

    found = result_of(core, prepared.codec.encode(SIGNS), ("first", "accepted", "error"), flip)
    assert found == {"first": 0, "accepted": 0, "error": UNVERIFIED}


def test_other_forms_are_refused():
    with pytest.raises(UsageError, match="Edwards curves") as error:
        CORE.derive(Request.make(CORE, curve="P-256"))
    assert "ed25519, ed448" in error.value.hint


def test_vectors(tmp_path):
    path, case = tmp_path / "vectors.json", next(case for case, valid in wycheproof() if valid)
    names = ("h", "px", "py", "s", "ry", "rs")
    document = {"op": "verify", **{name: hex(case[name]) for name in names}, "valid": True}
    path.write_text(json.dumps({"curve": "ed25519", "cases": [document]}), encoding="utf-8")
    file = vectors.load(path)
    assert (file.function, file.cases) == ("eddsa", [case])

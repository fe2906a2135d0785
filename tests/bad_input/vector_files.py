# SPDX-License-Identifier: Apache-2.0
"""Vector files: JSON of any form, rules of a case that are broken, and curves that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .case import Case

CSA = ("simulate", "modmul/csa", "-O", "bits=8", "--simulator", "pure", "-v", "v.json")
INVERT = ("simulate", "modinv/binary-divstep", "--simulator", "pure", "-v", "v.json")
LADDER = ("simulate", "ecpm/ladder", "-v", "v.json")

GOOD = {"x": "0x3", "y": "0x5", "z": "0xf"}
DOCUMENT: dict[str, Any] = {"modulus": "0x61", "cases": [GOOD]}

# y² = x³ + x + 6 modulo 11 has 13 points; 2·(2, 7) = (5, 2) (Stinson, Cryptography: Theory and Practice)
CURVE = {"p": "0xb", "a": "0x1", "b": "0x6", "order": "0xd"}
DOUBLED = {"k": "0x2", "x": "0x2", "y": "0x7", "rx": "0x5", "ry": "0x2"}
POINTS: dict[str, Any] = {"curve": CURVE, "cases": [DOUBLED]}

NO_JSON: dict[str, str | bytes] = {
    "empty": "",
    "spaces": "  \n",
    "null": "null",
    "a number": "5",
    "a text": '"x"',
    "a list": "[]",
    "an empty object": "{}",
    "an open brace": '{"cases": [',
    "two documents": "{} {}",
    "a comma too many": '{"cases": [{}],}',
    "single quotes": "{'cases': []}",
    "lists 100000 deep": "[" * 100_000,
    "objects 100000 deep": '{"cases":' * 100_000,
    "cases 900 deep": '{"cases":' + "[" * 900 + "]" * 900 + "}",
    "no number": '{"cases": NaN}',
    "infinite": '{"modulus": Infinity, "cases": [{}]}',
    "a decimal of 5000 digits": '{"modulus": ' + "9" * 5000 + ', "cases": [{}]}',
    "no UTF-8": b'{"cases": "\xff"}',
    "UTF-16": json.dumps(DOCUMENT).encode("utf-16"),
    "zeros": bytes(1000),
    "random bytes": bytes(range(256)),
    "a surrogate": '{"field": "\\ud800", "cases": [{"x":"0x1","y":"0x1","z":"0x1"}]}',
    "YAML": "cases:\n- x: 0x1\n",
    "an operand that stands twice": '{"modulus": "0x61", "cases": [{"x": "0x3", "y": "0x5", "z": "0xf", "x": "0x4"}]}',
}

BROKEN: dict[str, dict[str, Any]] = {
    "cases that are null": {"cases": None},
    "cases that are a text": {"cases": "x"},
    "cases that are an object": {"cases": {"x": "0x1"}},
    "no case": {"cases": []},
    "a case that is null": {"cases": [None]},
    "a case that is a list": {"cases": [["0x1"]]},
    "a case that is a text": {"cases": ["0x1"]},
    "a case of no function": {"cases": [{"q": "0x1"}]},
    "an empty case": {"cases": [{}]},
    "a second case that is null": {"cases": [GOOD, None]},
    "no modulus": {"modulus": None, "cases": [GOOD]},
    "a modulus that is a number": {"modulus": 97},
    "a modulus that is decimal": {"modulus": "97"},
    "a modulus that is empty": {"modulus": ""},
    "a modulus that is 0x": {"modulus": "0x"},
    "a modulus that is negative": {"modulus": "-0x61"},
    "a modulus that is even": {"modulus": "0x60"},
    "a modulus of one": {"modulus": "0x1"},
    "a modulus of zero": {"modulus": "0x0"},
    "a modulus of a million digits": {"modulus": "0x" + "f" * 1_000_000},
    "a modulus that is a list": {"modulus": ["0x61"]},
    "a field that is a number": {"field": 5},
    "a field of nothing near": {"modulus": None, "field": "zzz"},
    "a field of another modulus": {"field": "P-256"},
    "a field of 100000 letters": {"field": "f" * 100_000, "modulus": 5},
    "an operand that is missing": {"cases": [{"x": "0x1", "z": "0x1"}]},
    "a result that is missing": {"cases": [{"x": "0x1", "y": "0x1"}]},
    "an operand that is a number": {"cases": [GOOD | {"x": 3}]},
    "an operand that is null": {"cases": [GOOD | {"x": None}]},
    "an operand that is true": {"cases": [GOOD | {"x": True}]},
    "an operand that is a list": {"cases": [GOOD | {"x": ["0x1"] * 10_000}]},
    "an operand without 0x": {"cases": [GOOD | {"x": "3"}]},
    "an operand with a letter too many": {"cases": [GOOD | {"x": "0x3g"}]},
    "an operand with a space": {"cases": [GOOD | {"x": " 0x3"}]},
    "an operand with a line end": {"cases": [GOOD | {"x": "0x3\n"}]},
    "an operand that is negative": {"cases": [GOOD | {"x": "-0x3"}]},
    "an operand in other digits": {"cases": [GOOD | {"x": "0x٣"}]},
    "an operand that is not reduced": {"cases": [GOOD | {"x": "0x61"}]},
    "an operand of a million digits": {"cases": [GOOD | {"x": "0x" + "f" * 1_000_000}]},
    "a result that is not reduced": {"cases": [GOOD | {"z": "0x70"}]},
    "an error that is a number": {"cases": [{"x": "0x1", "y": "0x1", "error": 5}]},
    "an error without a name": {"cases": [{"x": "0x1", "y": "0x1", "error": ""}]},
    "a modulus of a case that is even": {"cases": [GOOD | {"modulus": "0x60"}]},
    "a modulus of a case that is a number": {"cases": [GOOD | {"modulus": 97}]},
    "more bits than the file says": {"bits": 4},
    "another function": {"modulus": "0x61", "cases": [{"a": "0x3", "z": "0x41"}]},
}

NO_CURVES: dict[str, dict[str, Any]] = {
    "no curve": {"curve": None},
    "a curve that is a number": {"curve": 5},
    "a curve that is a list": {"curve": [1]},
    "a curve of nothing near": {"curve": "zzz"},
    "a Montgomery curve": {"curve": "curve25519"},
    "a curve of no constants": {"curve": {}},
    "a curve without an order": {"curve": {k: CURVE[k] for k in "pab"}},
    "a curve modulo 15": {"curve": CURVE | {"p": "0xf"}},
    "a curve modulo 3·2^130 - 1": {"curve": CURVE | {"p": hex(3 * 2**130 - 1)}},
    "a curve modulo 12": {"curve": CURVE | {"p": "0xc"}},
    "a curve modulo 1": {"curve": CURVE | {"p": "0x1"}},
    "a curve of a number": {"curve": CURVE | {"p": 11}},
    "a curve with a that is not reduced": {"curve": CURVE | {"a": "0xb"}},
    "a curve with b that is not reduced": {"curve": CURVE | {"b": "0xff"}},
    "a curve of order 0": {"curve": CURVE | {"order": "0x0"}},
    "a point that is not on the curve": {"cases": [DOUBLED | {"y": "0x6"}]},
    "a result that is not on the curve": {"cases": [DOUBLED | {"ry": "0x1"}]},
    "a point that is not reduced": {"cases": [DOUBLED | {"x": "0xd"}]},
    "half a point at infinity": {"cases": [DOUBLED | {"x": None}]},
    "a scalar that is null": {"cases": [DOUBLED | {"k": None}]},
    "only the point at infinity": {"cases": [{"k": "0x2", "x": None, "y": None, "infinity": True}]},
    "infinity that is false": {"cases": [{"k": "0xd", "x": "0x2", "y": "0x7", "infinity": False}]},
    "infinity and a point": {"cases": [DOUBLED | {"infinity": True}]},
    "a modulus of its own": {"cases": [DOUBLED | {"modulus": "0x61"}]},
}

FALSE: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "a product that is false": (CSA, DOCUMENT | {"cases": [GOOD | {"z": "0xe"}]}),
    "a product that is false after one that is right": (CSA, DOCUMENT | {"cases": [GOOD, GOOD | {"z": "0x0"}]}),
    "an inverse that is false": (INVERT, {"modulus": "0x61", "cases": [{"a": "0x3", "z": "0x3"}]}),
    "a point that is false": (LADDER, POINTS | {"cases": [DOUBLED | {"rx": "0x2", "ry": "0x7"}]}),
}
"""Found by the core: verification failed, and so the exit code is 1."""


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, text in NO_JSON.items():
        yield Case(f"a file: {name}", CSA, files={"v.json": text})
    for name, change in BROKEN.items():
        yield Case(f"a product: {name}", CSA, files={"v.json": json.dumps(DOCUMENT | change)})
    for name, change in NO_CURVES.items():
        yield Case(f"a point: {name}", LADDER, files={"v.json": json.dumps(POINTS | change)})
    for name, (words, document) in FALSE.items():
        quick = words != LADDER
        files = {"v.json": json.dumps(document)}
        yield Case(name, words, 1, files=files, quick=quick, seconds=120, after=_check_message)
    yield Case("points that are right", LADDER, 0, files={"v.json": json.dumps(POINTS)}, quick=False, seconds=120)
    yield Case("products that are right", CSA, 0, files={"v.json": json.dumps(DOCUMENT)})
    wide = json.dumps(DOCUMENT | {"modulus": "0x101"})
    yield Case("a modulus that is too wide", CSA, 4, files={"v.json": wide})
    yield Case("a folder", CSA, before=lambda folder: (folder / "v.json").mkdir())
    yield Case("a file that is missing", CSA)
    yield Case("zeros without end", (*CSA[:-1], "/dev/zero"), quick=False)
    yield Case("a long name", (*CSA[:-1], "v" * 300))
    yield Case("points for a multiplier", CSA, files={"v.json": json.dumps(POINTS)})
    yield Case("products for an inversion", INVERT, files={"v.json": json.dumps(DOCUMENT)})


def _check_message(folder, done) -> None:
    assert "0 of 1" in done.out or "1 of 2" in done.out, done.out

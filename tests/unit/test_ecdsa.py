# SPDX-License-Identifier: Apache-2.0
"""ECDSA in one core on standard curves: the vectors of RFC 6979, and Wycheproof's verifications."""

import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from modwright.catalog import resolve_curve
from modwright.contract.request import Request
from modwright.functions import find_function
from modwright.functions.ecdsa import KEYGEN, SIGN, VERIFY
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.protocols.ecdsa import truncate
from modwright.simulate import verify

from ..tools import needs

CORE, ECDSA = find("ecdsa/joint"), find_function("ecdsa")
DATA = Path(__file__).parents[1] / "data" / "wycheproof"
BLANK = dict.fromkeys(("d", "e", "k", "qx", "qy", "r", "s"), 0)
compiled = needs("compiled-simulator", why="a signature on P-256 takes 163,000 cycles")


def make(store, curve, **options):
    return prepare(CORE, Request.make(CORE, curve=curve, target="ecp5", options=options), store)


def operands_of(row):
    return {name: value for name, value in row.items() if name not in ECDSA.results}


def rfc_6979():
    """P-256, SHA-256, "sample" and "test" (RFC 6979, section A.2.5)."""
    d = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    public = {
        "qx": 0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6,
        "qy": 0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299,
    }
    yield {**BLANK, "op": KEYGEN, "d": d, "first": public["qx"], "second": public["qy"], "valid": 0}
    for message, k, r, s in (
        (
            b"sample",
            0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60,
            0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
            0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8,
        ),
        (
            b"test",
            0xD16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0,
            0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
            0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083,
        ),
    ):
        e = int.from_bytes(hashlib.sha256(message).digest(), "big")
        signed = {"first": r, "second": s, "valid": 0}
        yield {**BLANK, "op": SIGN, "d": d, "e": e, "k": k, **public, **signed}
        yield {**BLANK, "op": VERIFY, "e": e, **public, "r": r, "s": s, "first": 0, "second": 0, "valid": 1}


@compiled
def test_rfc_6979(store):
    rows, curve = list(rfc_6979()), resolve_curve("P-256")
    for row in rows:
        assert ECDSA.evaluate(operands_of(row), curve) == {name: row[name] for name in ECDSA.results}
    assert verify(make(store, "P-256"), rows).failed == []


WYCHEPROOF = {"secp256k1": ("secp256k1_sha256", 476, 168), "secp384r1": ("secp384r1_sha384", 504, 194)}
"""File, cases, and those of them that are valid, by curve."""


def wycheproof(name):
    """(case, valid) of every test that has an r and s of as many bits as the order; of others None, which a reader of
    DER or of numbers refuses."""
    curve = resolve_curve(name)
    file = DATA / f"ecdsa_{WYCHEPROOF[name][0]}_test.json"
    for group in json.loads(file.read_text(encoding="utf-8"))["testGroups"]:
        public = {"qx": int(group["publicKey"]["wx"], 16), "qy": int(group["publicKey"]["wy"], 16)}
        hash_name = group["sha"].replace("-", "").lower()
        for test in group["tests"]:
            digest = hashlib.new(hash_name, bytes.fromhex(test["msg"])).digest()
            valid = test["result"] == "valid"
            try:
                r, s = decode_dss_signature(bytes.fromhex(test["sig"]))
            except ValueError:
                r = s = -1
            if min(r, s) < 0 or max(r, s) >> curve.order.bit_length():
                yield None, valid
                continue
            row = {**BLANK, "op": VERIFY, "e": truncate(digest, curve.order), **public, "r": r, "s": s}
            yield row | {"first": 0, "second": 0, "valid": int(valid)}, valid


def sample(name, step):
    """Every `step`th case that reaches the core, and all whose r or s is at an end of the range."""
    order = resolve_curve(name).order
    rows = [row for row, _ in wycheproof(name) if row is not None]
    ends = (0, 1, order - 1, order)
    return [row for at, row in enumerate(rows) if at % step == 0 or row["r"] in ends or row["s"] in ends]


def refused(name):
    """Number of cases that do not reach the core; none of them is valid."""
    rows = list(wycheproof(name))
    _, count, valid = WYCHEPROOF[name]
    assert len(rows) == count
    assert sum(is_valid for _, is_valid in rows) == valid
    assert not any(is_valid for row, is_valid in rows if row is None)
    return sum(row is None for row, _ in rows)


def model_agrees(prepared, rows):
    model = prepared.core.model(prepared.parameters, prepared.schedule)
    for row in rows:
        found = prepared.codec.decode(model.run(prepared.codec.encode(row)).payload)
        assert found == {"first": 0, "second": 0, "valid": row["valid"], "error": None}


@pytest.mark.parametrize("name", WYCHEPROOF)
def test_some_of_wycheproof_through_the_model(store, name):
    assert 0 < refused(name) < WYCHEPROOF[name][1] // 2
    model_agrees(make(store, name), sample(name, 97))


@pytest.mark.campaign
@pytest.mark.parametrize("name", WYCHEPROOF)
def test_every_case_of_wycheproof_through_the_model(store, name):
    rows = sample(name, 1)
    assert len(rows) + refused(name) == WYCHEPROOF[name][1]
    model_agrees(make(store, name), rows)


@compiled
def test_some_of_wycheproof(store):
    """Among them r and s of 0, 1, the order, and less by one."""
    rows = sample("secp256k1", 97)
    found = verify(make(store, "secp256k1"), rows)
    assert found.failed == []
    assert found.passed == len(rows) >= 10


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("name", WYCHEPROOF)
def test_every_case_of_wycheproof(store, name):
    rows = sample(name, 1)
    assert len(rows) + refused(name) == WYCHEPROOF[name][1]
    found = verify(make(store, name, macs=2), rows)
    assert found.failed == []
    assert found.passed == len(rows)

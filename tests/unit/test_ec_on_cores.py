# SPDX-License-Identifier: Apache-2.0
"""Protocols through the RTL of point multipliers: Wycheproof's cases, keys of `cryptography`, faults, bad points."""

import json
from collections import Counter
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from modwright.base.errors import FaultError, ParameterError, UsageError
from modwright.catalog import Curve, resolve_curve
from modwright.protocols import (
    Ecdh,
    Ecdsa,
    Multiplication,
    PlainMultiplier,
    PointError,
    SimulatedPointMultiplier,
    encode_point,
)

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "wycheproof"
MESSAGE = b"modular arithmetic"
TINY = Curve("tiny", "weierstrass", p=13, a=7, b=5, gx=2, gy=1, order=5, cofactor=4, source="counted in a test below")
"""A curve whose group of 20 points has points of order 1, 2, 4, 5, 10 and perhaps 20."""
POINTS = [(x, y) for x in range(TINY.p) for y in range(TINY.p) if TINY.contains(x, y)]
needs_compiler = needs("compiled-simulator", why="a multiplication has 65,000 cycles")


def groups(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))["testGroups"]


def tiny(store, name="ecpm/ladder", **options):
    return SimulatedPointMultiplier(TINY, name, options={"limb": 2, **options}, store=store)


@pytest.fixture(scope="module")
def p256(store):
    """For what every run multiplies: at -O3, which pays for all of Wycheproof, compiling takes longer than that."""
    with SimulatedPointMultiplier(resolve_curve("secp256r1"), store=store, operations=60) as core:
        yield core


def some(tests):
    """Every twelfth valid case, and all others."""
    valid = [case for case in tests if case["result"] == "valid"]
    return [case for case in tests if case["result"] != "valid" or case in valid[::12]]


@needs_compiler
def test_some_of_ecdh_of_wycheproof(p256):
    """53 cases of 355: those that are not valid, and every twelfth that is; all of them below."""
    assert agree_as_wycheproof(p256, some) == {"valid": 28, "acceptable": 1, "invalid": 24}


@needs_compiler
@pytest.mark.campaign
def test_ecdh_of_wycheproof(p256):
    """355 cases of 355; the verdict of the one that is "acceptable", a compressed point, is that it is taken."""
    assert agree_as_wycheproof(p256) == {"valid": 330, "acceptable": 1, "invalid": 24}


@needs_compiler
@pytest.mark.campaign
@pytest.mark.parametrize("name", ["row-ladder", "word-ladder", "rns-ladder"])
def test_ecdh_of_wycheproof_on_other_cores(store, name):
    """355 cases of 355."""
    with SimulatedPointMultiplier(resolve_curve("secp256r1"), f"ecpm/{name}", store=store, operations=400) as core:
        assert agree_as_wycheproof(core) == {"valid": 330, "acceptable": 1, "invalid": 24}


def agree_as_wycheproof(core, chosen=list):
    """The chosen cases of key agreement on P-256, all of them otherwise; their number by verdict."""
    ecdh, seen = Ecdh(core), Counter()
    for group in groups("ecdh_secp256r1_ecpoint_test.json"):
        for case in chosen(group["tests"]):
            try:
                shared = ecdh.shared(int(case["private"], 16), bytes.fromhex(case["public"])).hex()
            except PointError:
                shared = None
            assert shared == (None if case["result"] == "invalid" else case["shared"]), case["tcId"]
            seen[case["result"]] += 1
    return seen


@needs_compiler
@pytest.mark.campaign
@pytest.mark.parametrize("name", ["ladder", "row-ladder", "word-ladder", "rns-ladder"])
def test_ecdsa_of_wycheproof(store, name):
    """476 verifications of 476."""
    assert verified_as_wycheproof(store, f"ecpm/{name}") == {"valid": 168, "invalid": 308}


def verified_as_wycheproof(store, name):
    """Verifications of all cases on secp256k1: their number by verdict."""
    seen = Counter()
    with SimulatedPointMultiplier(resolve_curve("secp256k1"), name, store=store, operations=400) as core:
        ecdsa = Ecdsa(core)
        for group in groups("ecdsa_secp256k1_sha256_test.json"):
            public = bytes.fromhex(group["publicKey"]["uncompressed"])
            for case in group["tests"]:
                accepted = ecdsa.verify(public, bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"]))
                assert accepted == (case["result"] == "valid"), case["tcId"]
                seen[case["result"]] += 1
    return seen


@needs_compiler
def test_keys_of_cryptography(p256):
    """Key pairs, agreement and signatures in both directions; cycles of all multiplications are the schedule's."""
    ecdh, ecdsa = Ecdh(p256), Ecdsa(p256)
    ours, theirs = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    d = ours.private_numbers().private_value
    public = theirs.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    assert ecdh.public(d) == ours.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    assert ecdh.shared(d, public) == ours.exchange(ec.ECDH(), theirs.public_key())
    ours.public_key().verify(ecdsa.sign(d, MESSAGE), MESSAGE, ec.ECDSA(hashes.SHA256()))
    assert ecdsa.verify(public, MESSAGE, theirs.sign(MESSAGE, ec.ECDSA(hashes.SHA256())))
    base = (p256.curve.gx, p256.curve.gy)
    products = p256.multiply([Multiplication(k, base) for k in (0, 1, d, p256.order - 1, p256.order)])
    assert p256.constant_time
    assert {product.cycles for product in products} == {p256.prepared.schedule.latency}


@pytest.mark.parametrize(
    ("name", "options"), [("ecpm/ladder", {}), ("ecpm/ladder", {"blinding": True}), ("ecpm/r64-ladder", {})]
)
def test_a_group_with_a_cofactor(store, name, options):
    """Every point of a group of 20 with some scalars, 8 of 32 possible, and the points that ECDH refuses."""
    assert len(POINTS) + 1 == TINY.order * TINY.cofactor
    jobs = [Multiplication(k, point) for point in (*POINTS, None) for k in (0, 1, 2, 5, 10, 19, 20, 31)]
    with tiny(store, name, **options) as core:
        expected = [product.point for product in PlainMultiplier(TINY).multiply(jobs)]
        assert [product.point for product in core.multiply(jobs)] == expected
        assert core.multiply([]) == []
        ecdh = Ecdh(core)
        for point in POINTS:
            small = PlainMultiplier(TINY).multiply([Multiplication(TINY.cofactor, point)])[0].point is None
            if small:
                with pytest.raises(PointError, match="small order"):
                    ecdh.shared(1, encode_point(TINY, point))
            else:
                assert len(ecdh.shared(1, encode_point(TINY, point))) == 1


def test_what_the_hardware_refuses(store):
    """All pairs of numbers of 4 bits that are no point of the curve: 237 of 256."""
    with tiny(store) as core:
        pairs = [(x, y) for x in range(16) for y in range(16) if not TINY.contains(x, y)]
        assert len(pairs) == 237
        for pair in pairs:
            with pytest.raises(PointError):
                core.multiply([Multiplication(1, pair)])
        for k in (-1, 1 << core.order_bits):
            with pytest.raises(UsageError, match="scalar"):
                core.multiply([Multiplication(k, POINTS[0])])
        with pytest.raises(PointError, match="below p"):
            core.multiply([Multiplication(1, (16, 0))])


def test_a_result_that_leaves_the_curve_is_not_released(store, monkeypatch):
    with tiny(store) as core:
        decode = core.prepared.codec.decode
        monkeypatch.setattr(core.prepared.codec, "decode", lambda payload: decode(payload) | {"rx": 5, "ry": 5})
        with pytest.raises(FaultError, match="not released"):
            core.multiply([Multiplication(2, (TINY.gx, TINY.gy))])


def test_cores_and_curves_that_do_not_fit(store):
    with pytest.raises(UsageError, match="ecpm"):
        SimulatedPointMultiplier(TINY, "modmul/limb-fold-karatsuba", store=store)
    with pytest.raises(UsageError, match="edwards"):
        SimulatedPointMultiplier(resolve_curve("ed25519"), store=store)
    with pytest.raises(ParameterError):
        SimulatedPointMultiplier(TINY, options={"limb": 2, "order_bits": 6}, store=store)

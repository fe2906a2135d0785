# SPDX-License-Identifier: Apache-2.0
"""ECDH, ECDSA and encodings of points, with point multiplication in plain integers and with `cryptography` beside."""

import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from modwright.base.errors import FaultError, UsageError
from modwright.catalog import curves, resolve_curve
from modwright.protocols import Ecdh, Ecdsa, Multiplication, PlainMultiplier, PointError, decode_point, encode_point
from modwright.protocols.ecdsa import nonces
from modwright.protocols.points import Product

KNOWN = {
    "secp224r1": ec.SECP224R1(),
    "secp256r1": ec.SECP256R1(),
    "secp256k1": ec.SECP256K1(),
    "secp384r1": ec.SECP384R1(),
    "secp521r1": ec.SECP521R1(),
    "brainpoolP256r1": ec.BrainpoolP256R1(),
}
"""Curves that `cryptography` has, too."""
MESSAGE = b"modular arithmetic"
WEIERSTRASS = [curve for curve in curves() if curve.form == "weierstrass"]


def plain(name):
    return PlainMultiplier(resolve_curve(name))


def private_key(name):
    """A key of `cryptography`, the same in every run."""
    order = resolve_curve(name).order
    return ec.derive_private_key(int.from_bytes(hashlib.sha512(name.encode()).digest(), "big") % order, KNOWN[name])


def octets(key, form=PublicFormat.UncompressedPoint):
    return key.public_key().public_bytes(Encoding.X962, form)


@pytest.mark.parametrize("name", KNOWN)
def test_agreement_with_cryptography(name):
    ours, theirs = private_key(name), ec.generate_private_key(KNOWN[name])
    d = ours.private_numbers().private_value
    ecdh = Ecdh(plain(name))
    assert ecdh.public(d) == octets(ours)
    assert ecdh.public(d, compressed=True) == octets(ours, PublicFormat.CompressedPoint)
    expected = ours.exchange(ec.ECDH(), theirs.public_key())
    assert ecdh.shared(d, octets(theirs)) == expected
    assert ecdh.shared(d, octets(theirs, PublicFormat.CompressedPoint)) == expected


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("hash_name", "algorithm"), [("sha256", hashes.SHA256()), ("sha512", hashes.SHA512())])
def test_signatures_and_cryptography(name, hash_name, algorithm):
    key = private_key(name)
    d = key.private_numbers().private_value
    ecdsa = Ecdsa(plain(name), hash_name)
    signature = ecdsa.sign(d, MESSAGE)
    key.public_key().verify(signature, MESSAGE, ec.ECDSA(algorithm))
    theirs = key.sign(MESSAGE, ec.ECDSA(algorithm))
    assert ecdsa.verify(octets(key), MESSAGE, theirs)
    assert ecdsa.verify(octets(key, PublicFormat.CompressedPoint), MESSAGE, signature)
    assert not ecdsa.verify(octets(key), MESSAGE + b".", theirs)
    with pytest.raises(InvalidSignature):
        key.public_key().verify(signature, MESSAGE + b".", ec.ECDSA(algorithm))


def test_nonces_of_rfc_6979():
    """Section A.2.5, P-256 with SHA-256: key, k of "sample" and of "test"."""
    x = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    n = resolve_curve("secp256r1").order
    for message, k in (
        (b"sample", 0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60),
        (b"test", 0xD16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0),
    ):
        assert next(nonces(x, hashlib.sha256(message).digest(), n, "sha256")) == k


@pytest.mark.parametrize("name", ["secp256r1", "secp521r1"])
def test_deterministic_and_hedged_signatures(name):
    key = private_key(name)
    d = key.private_numbers().private_value
    deterministic = Ecdsa(plain(name), hedged=False).sign(d, MESSAGE)
    assert deterministic == key.sign(MESSAGE, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    hedged = {Ecdsa(plain(name)).sign(d, MESSAGE) for _ in range(3)}
    assert len(hedged | {deterministic}) == 4


@pytest.mark.parametrize("curve", WEIERSTRASS, ids=lambda curve: curve.name)
def test_points_survive_their_encodings(curve):
    """Square roots modulo every prime of the catalog, those = 1 (mod 4) among them."""
    base = (curve.gx, curve.gy)
    for point in (base, (curve.gx, curve.p - curve.gy), None):
        for compressed in (False, True):
            assert decode_point(curve, encode_point(curve, point, compressed=compressed)) == point


def test_octets_that_are_no_point():
    curve = resolve_curve("secp256r1")
    good = encode_point(curve, (curve.gx, curve.gy))
    squares = (x for x in range(2, 50) if pow(x**3 + curve.a * x + curve.b, (curve.p - 1) // 2, curve.p) != 1)
    no_square = b"\2" + next(squares).to_bytes(32, "big")
    too_large = b"\2" + (curve.p + 1).to_bytes(32, "big")
    for data in (b"", b"\0\0", good[:-1], good + b"\0", b"\5" + good[1:], b"\6" + good[1:], no_square, too_large):
        with pytest.raises(PointError):
            decode_point(curve, data)


def test_keys_and_points_that_are_refused():
    curve = resolve_curve("secp256r1")
    ecdh, ecdsa = Ecdh(PlainMultiplier(curve)), Ecdsa(PlainMultiplier(curve))
    off = encode_point(curve, (curve.gx, curve.gy ^ 1))
    reduced_twice = encode_point(curve, (5, curve.p + 3))
    signature = ecdsa.sign(1, MESSAGE)
    for public in (off, reduced_twice, b"\0"):
        with pytest.raises(PointError):
            ecdh.shared(1, public)
        for tried in (signature, b"\x30\x00"):
            with pytest.raises(PointError):
                ecdsa.verify(public, MESSAGE, tried)
    for d in (0, curve.order, -1):
        with pytest.raises(UsageError, match="private key"):
            ecdh.public(d)
        with pytest.raises(UsageError, match="private key"):
            ecdsa.sign(d, MESSAGE)
    with pytest.raises(UsageError, match="edwards"):
        PlainMultiplier(resolve_curve("ed25519"))


def test_a_point_of_small_order_gives_no_secret():
    """BLS12-381 has a cofactor: points of the group outside the subgroup give infinity or a point of the subgroup."""
    curve = resolve_curve("bls12-381")
    x = next(x for x in range(1, 99) if pow(x**3 + curve.b, (curve.p - 1) // 2, curve.p) == 1)
    outside = decode_point(curve, b"\2" + x.to_bytes(48, "big"))
    (small, _), (large, _) = PlainMultiplier(curve).multiply(
        [Multiplication(curve.order, outside), Multiplication(curve.cofactor, outside)]
    )
    assert small is not None and large is not None
    ecdh = Ecdh(PlainMultiplier(curve))
    assert ecdh.shared(1, encode_point(curve, outside)) == large[0].to_bytes(48, "big")
    with pytest.raises(PointError, match="small order"):
        ecdh.shared(1, encode_point(curve, small))


class FaultyMultiplier(PlainMultiplier):
    """One bit of the scalar turns."""

    def multiply(self, jobs):
        return [
            Product(super(FaultyMultiplier, self).multiply([job._replace(k=job.k ^ 4)])[0].point, 0) for job in jobs
        ]


def test_a_faulty_signature_is_not_released():
    with pytest.raises(FaultError, match="not released"):
        Ecdsa(FaultyMultiplier(resolve_curve("secp256r1"))).sign(5, MESSAGE)

# SPDX-License-Identifier: Apache-2.0
"""ECDSA (FIPS 186-5, section 6) whose point multiplications run on a point multiplier.

    sign        (x, y) = [k]G,  r = x mod n,  s = k^-1·(e + r·d) mod n
    verify      [e·s^-1]G + [r·s^-1]Q has an x with x = r (mod n)

Scalars modulo n, and the one addition of a verification, are computed here with Python's integers, whose time
depends on their values.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator

from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from ..base.errors import FaultError
from ..catalog.points import Point, add_points
from .ecdh import check_private, multiply_one
from .points import Multiplication, PlainMultiplier, PointError, PointMultiplier, check_point, decode_point

_HEDGE = 32
"""Random bytes that go into a nonce."""


class Ecdsa:
    """Signatures on the curve of a point multiplier, encoded in DER (RFC 3279, section 2.2.3).

    Parameters
    ----------
    points : PointMultiplier
    hash : str
        Name in `hashlib`.
    hedged : bool
        32 fresh random bytes go into each nonce (RFC 6979, section 3.6), so that one who can cause faults never sees
        a nonce twice. Without them signatures are deterministic.
    """

    def __init__(self, points: PointMultiplier, hash: str = "sha256", *, hedged: bool = True) -> None:
        self.points, self.curve, self.hash, self.hedged = points, points.curve, hash, hedged

    def sign(self, private: int, message: bytes) -> bytes:
        """Signature of a message.

        Raises
        ------
        UsageError
            When d is not in [1, n).
        VerificationError
            When the hardware reports an error or stops.
        FaultError
            When the signature is not one of this key and message: it is not released.
        """
        n = self.curve.order
        check_private(private, n)
        digest = hashlib.new(self.hash, message).digest()
        extra = secrets.token_bytes(_HEDGE) if self.hedged else b""
        for k in nonces(private, digest, n, self.hash, extra):
            point = multiply_one(self.points, k, (self.curve.gx, self.curve.gy))
            r = 0 if point is None else point[0] % n
            s = pow(k, -1, n) * (truncate(digest, n) + r * private) % n
            if r and s:
                break
        self._check(private, digest, r, s)
        return encode_dss_signature(r, s)

    def verify(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """Whether a signature is one of this message by the owner of an encoded public point.

        Raises
        ------
        PointError
            When `public` is not a point of the curve, or infinity.
        VerificationError
            When the hardware reports an error or stops.
        """
        point = decode_point(self.curve, public)
        if point is None:
            raise PointError("the public key is the point at infinity")
        try:
            r, s = decode_dss_signature(signature)
        except ValueError:
            check_point(self.curve, point)
            return False
        return _accepts(self.points, point, hashlib.new(self.hash, message).digest(), r, s)

    def _check(self, private: int, digest: bytes, r: int, s: int) -> None:
        """Verify a signature in Python before it is released."""
        plain = PlainMultiplier(self.curve)
        public = multiply_one(plain, private, (self.curve.gx, self.curve.gy))
        if not _accepts(plain, public, digest, r, s):
            raise FaultError("the signature does not verify with the public key; it was not released")


def _accepts(points: PointMultiplier, public: Point, digest: bytes, r: int, s: int) -> bool:
    """Verification (section 6.4.2)."""
    curve, n = points.curve, points.curve.order
    if not (0 < r < n and 0 < s < n):
        check_point(curve, public)
        return False
    inverse = pow(s, -1, n)
    base = (curve.gx, curve.gy)
    jobs = [Multiplication(truncate(digest, n) * inverse % n, base), Multiplication(r * inverse % n, public)]
    first, second = points.multiply(jobs)
    total = add_points(first.point, second.point, curve.p, curve.a)
    return total is not None and total[0] % n == r


def truncate(digest: bytes, n: int) -> int:
    """The leftmost bits of a digest, as many as n has (section 6.4.1, step 2)."""
    return int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - n.bit_length())


def nonces(private: int, digest: bytes, n: int, hash: str, extra: bytes = b"") -> Iterator[int]:
    """Nonces in [1, n) by HMAC-DRBG (RFC 6979, section 3.2; `extra` as k' of section 3.6)."""
    size, length = len(digest), -(-n.bit_length() // 8)
    reduced = (truncate(digest, n) % n).to_bytes(length, "big")
    seed = private.to_bytes(length, "big") + reduced + extra
    key, value = bytes(size), b"\1" * size

    def mac(data: bytes) -> bytes:
        return hmac.digest(key, data, hash)

    for separator in (b"\0", b"\1"):
        key = mac(value + separator + seed)
        value = mac(value)
    while True:
        found = b""
        while len(found) < length:
            value = mac(value)
            found += value
        k = truncate(found[:length], n)
        if 1 <= k < n:
            yield k
        key = mac(value + b"\0")
        value = mac(value)

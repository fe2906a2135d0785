# SPDX-License-Identifier: Apache-2.0
"""Diffie-Hellman on a Weierstrass curve, whose point multiplications run on a point multiplier.

The primitive is ECC CDH (NIST SP 800-56A revision 3, section 5.7.1.2): Z is the x coordinate of [h·d]Q with the
cofactor h, so that a point of small order gives infinity, and no secret.
"""

from __future__ import annotations

from ..base.errors import UsageError
from ..catalog.points import Point
from .points import Multiplication, PointError, PointMultiplier, decode_point, encode_point, field_length


class Ecdh:
    """Key agreement on the curve of a point multiplier.

    Parameters
    ----------
    points : PointMultiplier
    """

    def __init__(self, points: PointMultiplier) -> None:
        self.points, self.curve = points, points.curve

    def public(self, private: int, *, compressed: bool = False) -> bytes:
        """[d]G as octets.

        Raises
        ------
        UsageError
            When d is not in [1, n).
        VerificationError
            When the hardware reports an error or stops.
        """
        check_private(private, self.curve.order)
        point = multiply_one(self.points, private, (self.curve.gx, self.curve.gy))
        return encode_point(self.curve, point, compressed=compressed)

    def shared(self, private: int, public: bytes) -> bytes:
        """The shared secret Z, as long as a field element.

        Parameters
        ----------
        private : int
            d in [1, n), ours.
        public : bytes
            Theirs: an encoded point, compressed or not.

        Raises
        ------
        PointError
            When `public` is not a point of the curve, infinity, or of small order.
        UsageError
            When d is not in [1, n).
        VerificationError
            When the hardware reports an error or stops.
        """
        check_private(private, self.curve.order)
        point = decode_point(self.curve, public)
        product = None if point is None else multiply_one(self.points, self.curve.cofactor * private, point)
        if product is None:
            raise PointError("the public key is the point at infinity, or has a small order")
        return product[0].to_bytes(field_length(self.curve), "big")


def multiply_one(points: PointMultiplier, k: int, point: Point) -> Point:
    """[k] of one point."""
    return points.multiply([Multiplication(k, point)])[0].point


def check_private(private: int, order: int) -> None:
    """UsageError for an invalid private key; the message does not contain the key."""
    if not 1 <= private < order:
        raise UsageError(f"a private key is in [1, n), n the order of {order.bit_length()} bits, and this is not")

# SPDX-License-Identifier: Apache-2.0
"""Points of Weierstrass curves: their encodings (SEC 1, version 2.0), and what multiplies them.

A point is a pair (x, y), both in [0, p), or None, the point at infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..base.errors import UsageError
from ..catalog import Curve
from ..catalog.points import Point, multiply_point

_INFINITY, _EVEN, _ODD, _UNCOMPRESSED = 0, 2, 3, 4
"""First byte of an encoded point (SEC 1, section 2.3.3)."""


class PointError(UsageError):
    """Error of coordinates that are not a point of the curve."""


class Multiplication(NamedTuple):
    """[k] of a point."""

    k: int
    point: Point


class Product(NamedTuple):
    """[k] of a point, and the cycles from the transfer of its operands to the first cycle with it valid."""

    point: Point
    cycles: int


class PointMultiplier(Protocol):
    """Multiplier of points of one curve.

    Attributes
    ----------
    curve : Curve
    """

    curve: Curve

    def multiply(self, jobs: Sequence[Multiplication]) -> Sequence[Product]:
        """The products, in the order of the jobs.

        Raises
        ------
        PointError
            When a point is not on the curve.
        UsageError
            When another operand is out of range.
        VerificationError
            When the hardware reports an error or stops.
        """
        ...


class PlainMultiplier:
    """Point multiplication in Python's integers; the time depends on the values, and no cycles are counted.

    Parameters
    ----------
    curve : Curve
        In Weierstrass form.
    """

    def __init__(self, curve: Curve) -> None:
        self.curve = weierstrass(curve)

    def multiply(self, jobs: Sequence[Multiplication]) -> Sequence[Product]:
        """See `PointMultiplier.multiply`."""
        return [self._multiply(job) for job in jobs]

    def _multiply(self, job: Multiplication) -> Product:
        check_point(self.curve, job.point)
        return Product(multiply_point(job.k, job.point, self.curve.p, self.curve.a), 0)


def weierstrass(curve: Curve) -> Curve:
    """The curve; UsageError when it has another form."""
    if curve.form != "weierstrass":
        raise UsageError(f"{curve.name} is a {curve.form} curve", "a Weierstrass curve, such as secp256r1")
    return curve


def check_point(curve: Curve, point: Point) -> None:
    """PointError unless the point is on the curve, or at infinity."""
    if point is not None and not curve.contains(*point):
        raise PointError(f"the point is not on {curve.name}")


def field_length(curve: Curve) -> int:
    """Bytes of an encoded field element."""
    return -(-curve.p.bit_length() // 8)


def encode_point(curve: Curve, point: Point, *, compressed: bool = False) -> bytes:
    """Octets of a point of the curve (section 2.3.3)."""
    if point is None:
        return bytes([_INFINITY])
    length = field_length(curve)
    x, y = (coordinate.to_bytes(length, "big") for coordinate in point)
    return bytes([_ODD if point[1] & 1 else _EVEN]) + x if compressed else bytes([_UNCOMPRESSED]) + x + y


def decode_point(curve: Curve, data: bytes) -> Point:
    """The point that octets stand for (section 2.3.4).

    An uncompressed point is taken as it is: whether it is on the curve is for what multiplies it to say. So its
    coordinates may be p or more, too.

    Raises
    ------
    PointError
        Octets of another form or length, or an x of no point.
    """
    length = field_length(curve)
    form, rest = data[:1], data[1:]
    if form == bytes([_INFINITY]) and not rest:
        return None
    if form == bytes([_UNCOMPRESSED]) and len(rest) == 2 * length:
        return int.from_bytes(rest[:length], "big"), int.from_bytes(rest[length:], "big")
    if form in (bytes([_EVEN]), bytes([_ODD])) and len(rest) == length:
        return _decompress(curve, int.from_bytes(rest, "big"), form[0] - _EVEN)
    raise PointError(
        f"{len(data)} bytes that start with {data[:1].hex() or 'nothing'} are not a point of {curve.name}",
        f"02 or 03 and {length} bytes, or 04 and {2 * length}",
    )


def _decompress(curve: Curve, x: int, parity: int) -> Point:
    p = curve.p
    y = _square_root((x**3 + curve.a * x + curve.b) % p, p) if x < p else None
    if y is None or (y == 0 and parity):
        raise PointError(f"no point of {curve.name} has this x coordinate and sign")
    return x, y if y & 1 == parity else p - y


def _square_root(square: int, p: int) -> int | None:
    """A square root modulo a prime p (Tonelli and Shanks: Cohen, A Course in Computational Algebraic Number Theory,
    Algorithm 1.5.1), None when there is none."""
    if square == 0:
        return 0
    if pow(square, (p - 1) // 2, p) != 1:
        return None
    twos = ((p - 1) & (1 - p)).bit_length() - 1  # p - 1 = odd·2^twos
    odd = (p - 1) >> twos
    generator = pow(next(n for n in range(2, p) if pow(n, (p - 1) // 2, p) == p - 1), odd, p)
    root, excess = pow(square, (odd + 1) // 2, p), pow(square, odd, p)  # root² = square·excess
    while excess != 1:
        order, power = 0, excess
        while power != 1:
            power, order = power * power % p, order + 1
        step = pow(generator, 1 << (twos - order - 1), p)
        generator = step * step % p
        root, excess, twos = root * step % p, excess * generator % p, order
    return root

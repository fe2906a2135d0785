# SPDX-License-Identifier: Apache-2.0
"""Curves over a prime of any width, whose order is known without counting points.

Over a prime with 4·p = L² + 11·M² the curves y² = x³ + 3·k·c²·x + 2·k·c³ with k = j/(1728 - j) and j = -32768 have
p + 1 - L or p + 1 + L points: they have complex multiplication by √-11 (Atkin and Morain, Elliptic curves and
primality proving, Mathematics of Computation 61, 1993, sections 3 and 8). Over a prime p = 3 (mod 4) the curve
s²·x² + y² = 1 - s²·x²·y², Euler's for s = 1, has p + 1 points: it is supersingular. All primes here are 3 modulo 4,
so that a square root is a power.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isqrt
from random import Random

from ..catalog import Curve, is_prime
from ..catalog.points import multiply_edwards, multiply_point

DISCRIMINANT, J_INVARIANT = 11, -32768
"""The least discriminant with one class and curves of odd order, and the j-invariant of its curves."""


def _root(square: int, p: int) -> int | None:
    """A square root modulo a prime that is 3 modulo 4; None of a number that has none."""
    root = pow(square, (p + 1) // 4, p)
    return root if root * root % p == square % p else None


@lru_cache(maxsize=64)
def prime_order_curve(bits: int) -> Curve:
    """A Weierstrass curve over a prime of `bits` bits, whose order is a prime of `bits` bits and not that of the field.

    `bits` is at least 9.
    """
    rng = Random(f"a Weierstrass curve of {bits} bits")
    p, order = _prime_and_order(rng, bits)
    k = J_INVARIANT * pow(1728 - J_INVARIANT, -1, p) % p
    while True:
        c = rng.randrange(1, p)
        a, b = 3 * k * c * c % p, 2 * k * c**3 % p
        x = rng.randrange(p)
        y = _root(x**3 + a * x + b, p)
        if y and multiply_point(order, (x, y), p, a) is None:
            return Curve(f"weierstrass of {bits} bits", "weierstrass", p, a, b, x, y, order, 1, __name__)


def _prime_and_order(rng: Random, bits: int) -> tuple[int, int]:
    while True:
        m = rng.randrange(1, isqrt((4 << bits) // DISCRIMINANT)) | 1
        trace = rng.randrange(1, isqrt(4 << bits)) | 1
        p, rest = divmod(trace**2 + DISCRIMINANT * m**2, 4)
        if rest == 0 and p % 4 == 3 and p.bit_length() == bits and is_prime(p):
            for order in (p + 1 - trace, p + 1 + trace):
                if order != p and order.bit_length() == bits and is_prime(order):
                    return p, order


@lru_cache(maxsize=64)
def complete_curve(bits: int) -> Curve:
    """A complete Edwards curve over a prime of `bits` bits, with a base point of prime order and a cofactor of 4.

    `bits` is at least 5.
    """
    rng = Random(f"an Edwards curve of {bits} bits")
    order = 0
    while not (is_prime(order) and is_prime(4 * order - 1)):
        order = rng.getrandbits(bits - 2) | 1 << (bits - 3) | 1
    p = 4 * order - 1
    a = rng.randrange(2, p) ** 2 % p
    d = -a % p
    while True:
        y = rng.randrange(2, p)
        x = _root((1 - y * y) * pow(a - d * y * y, -1, p), p)
        point = (0, 1) if x is None else multiply_edwards(4, (x, y), p, a, d)
        if point != (0, 1):
            return Curve(f"edwards of {bits} bits", "edwards", p, a, d, *point, order, 4, __name__)


OF_FORM: Mapping[str, Callable[[int], Curve]] = {"weierstrass": prime_order_curve, "edwards": complete_curve}
"""A curve of each form over a prime of so many bits; of the Montgomery form a case may have any curve over a prime."""

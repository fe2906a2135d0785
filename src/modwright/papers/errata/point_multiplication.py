# SPDX-License-Identifier: Apache-2.0
"""Errata of Xie et al. 2023, point multiplication on any Weierstrass curve."""

from __future__ import annotations

from collections.abc import Iterator

from .erratum import Erratum, Trial

P, A, B = 97, 2, 3
"""A curve y² = x³ + 2x + 3 over 97 elements."""


def _points() -> Iterator[tuple[int, int]]:
    """Points of the curve with y other than 0."""
    for x in range(P):
        for y in range(1, P):
            if (y * y - x**3 - A * x - B) % P == 0:
                yield x, y


def _double(x: int, y: int) -> tuple[int, int]:
    slope = (3 * x * x + A) * pow(2 * y, -1, P)
    X = (slope * slope - 2 * x) % P
    return X, (slope * (x - X) - y) % P


def _curve() -> Iterator[Trial]:
    """Doubles of points by the slope (3x² + a)/2y, which both equations are tangent to."""
    for x, y in _points():
        X, Y = _double(x, y)
        printed_b = (y * y - x**3 - A * x * x) % P
        yield (Y * Y - X**3 - A * X * X - printed_b) % P == 0, (Y * Y - X**3 - A * X - B) % P == 0


def _difference() -> Iterator[Trial]:
    """X_RP = X_R - x_P of R = 2P, scaled by (2y)²."""
    for x, y in _points():
        true = (_double(x, y)[0] - x) * 4 * y * y % P
        squared = (3 * x * x + A) ** 2
        yield (squared - 2 * x * 4 * y * y) % P == true, (squared - 3 * x * 4 * y * y) % P == true


def _ordinate() -> Iterator[Trial]:
    """Y_R = 2·y_R up to sign, scaled by (2y)³."""
    for x, y in _points():
        X, Y = _double(x, y)
        difference = (X - x) * 4 * y * y
        true = -2 * Y * (2 * y) ** 3 % P
        slope, fourth = 3 * x * x + A, (2 * y) ** 4
        yield (slope * difference + fourth) % P == true, (2 * slope * difference + fourth) % P == true


ORDER, FIELD = 79, 97
"""A group of prime order 79 on a curve over 97 elements: 79 and 97 have 7 bits both."""


def _scalar() -> Iterator[Trial]:
    """Every scalar: k' is k modulo the order, and has its top bit set."""
    bits = ORDER.bit_length()
    for k in range(ORDER):
        printed, right = (2**bits + (k - 2**bits) % modulus for modulus in (FIELD, ORDER))
        yield printed % ORDER == k and printed >> bits == 1, right % ORDER == k and right >> bits == 1


def _steps() -> Iterator[Trial]:
    """Every scalar: the ladder begins with the top bit of k', and each step takes one bit more."""
    bits = ORDER.bit_length()
    for k in range(ORDER):
        recoded = 2**bits + (k - 2**bits) % ORDER
        reached = [recoded >> bits - steps for steps in (bits - 1, bits)]
        yield reached[0] % ORDER == k, reached[1] % ORDER == k


MODULUS = 13


def _modular_sum() -> Iterator[Trial]:
    """Every pair of 0 .. m: a sum that m is subtracted from once, and a difference that it is added to once."""
    for x in range(MODULUS + 1):
        for y in range(MODULUS + 1):
            total, difference = x + y, x - y
            found = total - MODULUS * (total >= MODULUS), difference + MODULUS * (difference < 0)
            holds = found == (total % MODULUS, difference % MODULUS)
            yield holds, holds or MODULUS in (x, y)


ERRATA = (
    Erratum(
        "equation of the curve",
        "Section II",
        "y² = x³ + ax² + b",
        "y² = x³ + ax + b",
        f"doubles of every point with y ≠ 0 of a curve over {P} elements",
        _curve,
    ),
    Erratum(
        "start of the ladder, X_RP",
        "Algorithm 1",
        "X_RP = (3x² + a)² - 2x(2y)²",
        "X_RP = (3x² + a)² - 3x(2y)²",
        f"every point with y ≠ 0 of a curve over {P} elements",
        _difference,
    ),
    Erratum(
        "start of the ladder, Y_R",
        "Algorithm 1",
        "Y_R = (3x² + a)·X_RP + (2y)⁴",
        "Y_R = 2(3x² + a)·X_RP + (2y)⁴",
        f"every point with y ≠ 0 of a curve over {P} elements",
        _ordinate,
    ),
    Erratum(
        "recoded scalar",
        "Algorithm 1",
        "k' = 2^n + (k - 2^n mod p)",
        "k' = 2^n + ((k - 2^n) mod q), q the order of the point, of n bits",
        f"every scalar below a group order of {ORDER}, over a field of {FIELD} elements",
        _scalar,
    ),
    Erratum(
        "steps of the ladder",
        "Section on the engine",
        "A multiplication of 256 bits takes 255 steps.",
        "It takes as many as the order of the point has bits: k' has one bit more, and the first is the start.",
        f"every scalar below a group order of {ORDER}, of {ORDER.bit_length()} bits: one step less, and as many",
        _steps,
    ),
    Erratum(
        "operands of the modular adder",
        "Section on the ladder, MA",
        "0 ≤ x, y ≤ m",
        "0 ≤ x, y < m: 2m less m is m, and m less 0 is m.",
        f"every pair for m = {MODULUS}",
        _modular_sum,
    ),
)

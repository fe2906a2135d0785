# SPDX-License-Identifier: Apache-2.0
"""Number of passes of plus-minus inversion, with which its cycles vary, and the paper's counts of operations."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from ....contract import Count, Statistic
from ....engines.plus_minus import BMI, BTMI, counter
from .parameters import PassParameters
from .schedule import parts_of

PAPER = "Bigou and Tisserand 2016, section V"

OUTER = {BMI.name: Fraction(71, 100), BTMI.name: Fraction(46, 100)}
"""Outer iterations, one plus-minus step each, by bit of P."""
INNER = {BMI.name: Fraction(2, 3), BTMI.name: Fraction(3, 4)}
"""Inner iterations, one division each, by outer iteration."""
PRODUCTS = {BMI.name: Fraction(237, 100), BTMI.name: Fraction(161, 100)}
"""Products of a channel by bit of P: two for each iteration."""

BATCH = 10_000
"""Operands that are stored together: two seconds of work at 256 bits."""


def pass_count(p: PassParameters) -> Statistic:
    """Passes of uniform operands, by kind of step; the paper's figures are given for its kinds."""
    bits, name = p.modulus.bit_length(), p.kind.name
    count = counter(p.kind, p.modulus)

    def draw(rng: Random) -> tuple[int, int, int, int]:
        steps, divisions = count(rng.randrange(1, p.modulus))
        return steps + divisions, steps, divisions, 2 * p.n * (steps + divisions)

    def published(what: str, value: Fraction | None) -> tuple[tuple[str, Fraction], ...]:
        return () if value is None else ((f"{PAPER}, {what}", value),)

    outer, products = OUTER.get(name), PRODUCTS.get(name)
    inner = outer and outer * INNER[name]
    return Statistic(
        name="passes",
        operands=f"a uniform in [1, P), P of {bits} bits, n = {p.n}",
        draw=draw,
        cycles=parts_of(p).turn_cycles,
        bound=p.most_passes,
        batch=BATCH,
        also=(
            Count("plus-minus steps (outer iterations)", published(f"{_decimal(outer)}·ℓ", outer and outer * bits)),
            Count(
                "divisions (inner iterations)",
                published(f"{_decimal(INNER.get(name))} an outer one", inner and inner * bits),
            ),
            Count(
                "EMM, two a channel and pass",
                published(f"{_decimal(products)}·n·ℓ", products and products * p.n * bits),
            ),
        ),
    )


def _decimal(value: Fraction | None) -> str:
    """A number with two decimals."""
    return "" if value is None else f"{float(value):.2f}"

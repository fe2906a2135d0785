# SPDX-License-Identifier: Apache-2.0
"""Operands that reach the ends of the digits, and of the last digit of differences of either sign."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from ....contract.operands import PAYLOAD
from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....rns import mixed_radix
from ....schedule import Schedule
from .codec import comparison_edges
from .model import ComparisonModel
from .parameters import ComparisonParameters

DRAWN = 50
"""Random pairs among the candidates."""


def comparison_extremes(p: ComparisonParameters, schedule: Schedule) -> Extremes:
    """The digits, and the last one by the sign of the difference: these ends are what the limit lies between."""
    model, weight = ComparisonModel(p, schedule), mixed_radix.weights(p.A)[-1]
    largest = p.A.moduli[-1] - 1
    digits = Quantity("digits of x - y", 0, max(p.A.moduli) - 1, "canonical residues")
    above = Quantity("last digit, x ≥ y", 0, (p.modulus - 1) // weight, "certificate `above`")
    below = Quantity("last digit, x < y", (p.A.product - p.modulus + 1) // weight, largest, "certificate `below`")

    def observe(operands: Operands) -> Values:
        found = model.digits(operands)
        last = below if found[-1] >= p.limit_digit else above
        return {digits.name: found, last.name: found[-1:]}

    return Extremes((digits, above, below), observe, lambda: _candidates(p))


def _candidates(p: ComparisonParameters) -> Iterator[Mapping[str, object]]:
    """The edges; zero in its other representation; the ends; random pairs."""
    yield from comparison_edges(p).values()
    yield {PAYLOAD: {"x": p.A.moduli, "y": (0,) * p.n}}
    yield {"x": p.modulus - 1, "y": 0}
    yield {"x": 0, "y": p.modulus - 1}
    yield {"x": 0, "y": 1}
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p.modulus), "y": rng.randrange(p.modulus)}

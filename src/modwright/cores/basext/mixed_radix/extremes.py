# SPDX-License-Identifier: Apache-2.0
"""Operands that reach the ends of the digits."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .codec import mixed_radix_edges
from .model import MixedRadixModel
from .parameters import MixedRadixParameters

DRAWN = 50
"""Random operands among the candidates."""


def mixed_radix_extremes(p: MixedRadixParameters, schedule: Schedule) -> Extremes:
    """The digits, canonical residues of the moduli in turn."""
    model = MixedRadixModel(p, schedule)
    digits = Quantity("digits of X", 0, max(p.A.moduli) - 1, "canonical residues")

    def observe(operands: Operands) -> Values:
        return {digits.name: model.digits(operands)}

    return Extremes((digits,), observe, lambda: _candidates(p))


def _candidates(p: MixedRadixParameters) -> Iterator[Case]:
    """The edges; zero in its other representation; random operands."""
    yield from mixed_radix_edges(p).values()
    yield {PAYLOAD: {"x": p.A.moduli}}
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p.A.product)}

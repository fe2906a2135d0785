# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion modulo p of an EdDSA operation: U, V, R, S, and the iterations until V is 0.

What is inside its products, the cores of the multipliers state.
"""

from __future__ import annotations

from itertools import islice

from ....contract.quantities import Extremes, Operands, Values
from ....engines.ladder.extremes import inversion_quantities, inversion_values
from ....engines.ladder.field import Field
from ....functions.eddsa import edges
from ....schedule import Schedule
from .model import EddsaModel
from .parameters import EddsaParameters

SAMPLE, TRIED = 20, 6
"""Operations of a run that are observed, and edges that are tried: each is two point multiplications in Python."""


class _WithLastField(EddsaModel):
    """The model, with the field of the last operation."""

    last: Field | None = None

    def field_of(self, m: int) -> Field:
        self.last = super().field_of(m)
        return self.last


def extremes(p: EddsaParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    model = _WithLastField(p, schedule)
    tried = edges(None, p.example).values() if p.example else ()

    def observe(operands: Operands) -> Values:
        model.last = None
        model.run(operands)
        done = model.last
        return {} if done is None or done.inverted is None else inversion_values(p, done.inverted, done.m)

    return Extremes(inversion_quantities(p), observe, lambda: islice(tried, TRIED), SAMPLE)

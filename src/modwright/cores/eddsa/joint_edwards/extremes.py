# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion modulo p of an EdDSA operation."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....functions.eddsa import edges
from ....schedule import Schedule
from .model import EddsaModel
from .parameters import EddsaParameters


def extremes(p: EddsaParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EddsaModel(p, schedule), edges(None, p.example).values() if p.example else ())

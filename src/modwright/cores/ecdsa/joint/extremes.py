# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion modulo p of an ECDSA operation."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....functions.ecdsa import edges
from ....schedule import Schedule
from .model import EcdsaModel
from .parameters import EcdsaParameters


def extremes(p: EcdsaParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EcdsaModel(p, schedule), edges(None, p.example).values() if p.example else ())

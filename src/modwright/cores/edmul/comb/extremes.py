# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a multiplier of a base point."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....schedule import Schedule
from .codec import CombCodec
from .model import CombModel
from .parameters import CombParameters


def extremes(p: CombParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(CombModel(p, schedule), CombCodec(p).edges().values())

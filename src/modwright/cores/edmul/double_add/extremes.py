# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a point multiplier on Edwards curves."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....schedule import Schedule
from .codec import EdmulCodec
from .model import EdmulModel
from .parameters import EdmulParameters


def extremes(p: EdmulParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EdmulModel(p, schedule), EdmulCodec(p).edges().values())

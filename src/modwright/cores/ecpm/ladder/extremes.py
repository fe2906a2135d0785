# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a point multiplier."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....schedule import Schedule
from .codec.codec import EcpmCodec
from .model import EcpmModel
from .parameters import EcpmParameters


def extremes(p: EcpmParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EcpmModel(p, schedule), EcpmCodec(p).edges().values())

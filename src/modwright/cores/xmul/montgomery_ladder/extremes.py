# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inversion of a multiplier of x-coordinates."""

from __future__ import annotations

from ....contract.quantities import Extremes
from ....engines.ladder.extremes import inversion_extremes
from ....schedule import Schedule
from .codec import XmulCodec
from .model import XmulModel
from .parameters import XmulParameters


def extremes(p: XmulParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(XmulModel(p, schedule), XmulCodec(p).edges().values())

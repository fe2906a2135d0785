# SPDX-License-Identifier: Apache-2.0
"""Schedule of a core: that of its unit, for the operation of the core."""

from __future__ import annotations

from ....engines.limb.schedule import make_schedule as unit_schedule
from ....schedule import Schedule
from .parameters import LimbParameters


def make_schedule(p: LimbParameters) -> Schedule:
    """Schedule of one operation."""
    return unit_schedule(p, p.kind)

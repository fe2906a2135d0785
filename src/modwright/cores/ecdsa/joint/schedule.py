# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule.

No control word depends on an operand, so the latency is constant: n steps for any curve, operation, scalar and point.
Addresses do: bits of the scalars choose which point is added. With `check` the program runs twice.
"""

from __future__ import annotations

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.schedule import program_schedule
from ....schedule import Schedule
from .parameters import EcdsaParameters
from .plan.microcode import make_plan


def make_schedule(p: EcdsaParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    units = unit_schedules(p)
    return program_schedule(p, units, make_plan(p, units), p.n, passes=p.passes)

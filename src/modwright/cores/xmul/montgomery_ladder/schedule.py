# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule.

No control word depends on an operand, so the latency is constant: n steps for any curve, scalar and point. Addresses
do: the bits of the scalar exchange words.
"""

from __future__ import annotations

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.schedule import program_schedule
from ....schedule import Schedule, Step, both
from .parameters import XmulParameters
from .plan.microcode import make_plan


def make_schedule(p: XmulParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    units, mask = unit_schedules(p), p.mask_cycles
    before = (Step("mask of m", "mask", 1, mask, mask), Step("k as decoded", "scalar", 1 + mask))
    work = {"mask": both(mask)}
    return program_schedule(p, units, make_plan(p, units), p.n, steps_on="ladder", before=before, work=work)

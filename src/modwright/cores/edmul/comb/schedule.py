# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule, and the look-ups next to it.

No control word depends on the scalar, so the latency is constant: as many steps as a column has bits. No address does,
either: a look-up reads the whole table, and keeps the words of one point.
"""

from __future__ import annotations

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.schedule import program_schedule
from ....schedule import Schedule, Step
from ....schedule.shares import both
from .parameters import CombParameters
from .plan.microcode import make_plan


def make_schedule(p: CombParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    units = unit_schedules(p)
    before = [Step("look-up", "table", 1, len(p.table), p.look_up - 1)]
    work = {"table": both(p.columns * len(p.table))}
    plan = make_plan(p, units)
    return program_schedule(p, units, plan, p.columns, symbol="c", before=before, work=work)

# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule.

No control word depends on an operand, so the latency is constant: N steps for any curve, scalar and point. Addresses
do: bits of the scalar and flags of the point exchange words.
"""

from __future__ import annotations

from .....engines.ladder.control import unit_schedules
from .....engines.ladder.schedule import program_schedule
from .....schedule import Schedule, Step, both
from ..parameters import EcpmParameters
from ..plan.ladder import scalar_steps
from ..plan.microcode import make_plan


def make_schedule(p: EcpmParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    units, N = unit_schedules(p), p.order_bits
    cycles = len(scalar_steps(N, p.lifts_scalar))
    name = "k' = k + j·q', with bit N" if p.lifts_scalar else "k' = 2^N + ((k - 2^N) mod q)"
    before = (Step(name, "scalar", 1, cycles, cycles),)
    work = {"scalar": both(cycles)}
    plan = make_plan(p, units)
    return program_schedule(p, units, plan, N, symbol="N", steps_on="ladder", before=before, work=work)

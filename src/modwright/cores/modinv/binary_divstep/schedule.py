# SPDX-License-Identifier: Apache-2.0
"""When the binary inverter does what: operands, one cycle to bring a below M, divsteps, the sign and the result."""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import BinaryInversionParameters

LOAD, REDUCE, DIVSTEPS, FINISH = "load", "a mod M", "divsteps", "sign and range"


def make_schedule(p: BinaryInversionParameters) -> Schedule:
    """One inversion at a time; the same cycles for every operand, an operand without inverse included."""
    end = 2 + p.cycles
    steps = (
        Step(LOAD, "registers", 0, busy=end, latency=1),
        Step(REDUCE, "adders", 1, after=(LOAD,)),
        Step(DIVSTEPS, "divsteps", 2, busy=p.cycles, latency=p.cycles, after=(REDUCE,)),
        Step(FINISH, "result", end, after=(DIVSTEPS,)),
    )
    return Schedule(steps, end + 1, f"3 + {p.steps} divsteps / {p.per_cycle} a cycle", minimum_interval=end + 1)

# SPDX-License-Identifier: Apache-2.0
"""Schedule of an extension by a redundant residue, as microcode of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from the bus to an operand, r the number
of hats. The sum of h keeps pace with the hats on the bus, a cycle behind: it is there before the last product is.
"""

from __future__ import annotations

from ....engines.coxrower.steps import INPUT, StepBuilder
from ....schedule import Schedule, Step
from .parameters import RedundantParameters


def redundant_schedule(p: RedundantParameters) -> Schedule:
    """x·T, the extension, and the subtraction that makes the result canonical, in a separate cycle."""
    builder, first = StepBuilder(p.engine), p.engine.travel
    starts = builder.scaled("x·T", [first], [INPUT])
    hats = builder.reduce("x̂", starts, 0, after=("x·T",))
    ends = builder.extend("X", hats, 0, after=("x̂",))
    builder.deliver(ends, ends[-1], after=("X",))
    begins = next(step.start for step in builder.steps if step.name == "X: bus 1") + p.engine.cox_cycles
    builder.steps.append(Step("-x/A modulo 2^k", "redundant residue", 0, busy=begins))
    entry = f" + {first}" if first else ""
    return Schedule(tuple(builder.steps), ends[-1] + 1, f"2L + 2F + G + 1 + r{entry}")

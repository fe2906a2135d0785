# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up and exit, and of the ladder the first step and the others in one piece.

No control word depends on an operand, so the latency is constant: n steps for any curve, scalar and point. Addresses
do: the bits of the scalar exchange words.
"""

from __future__ import annotations

from fractions import Fraction

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.program import steps_of, work_of
from ....schedule import Schedule, Step, total
from .parameters import XmulParameters
from .plan.microcode import make_plan


def make_schedule(p: XmulParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode: one for the transfer, every word once, and those of
    a step n times. The next operation is taken when the result has left."""
    units = unit_schedules(p)
    plan = make_plan(p, units)
    first = 1 + plan.setup
    second, exit_ = first + plan.step, first + plan.step * p.n
    latency = 1 + plan.microcode.cycles
    steps = [
        Step("operands", "operand registers", 0),
        Step("mask of m", "mask", 1, p.mask_cycles, p.mask_cycles),
        Step("k as decoded", "scalar", 1 + p.mask_cycles),
    ]
    for label, name, offset in (("set-up", "set-up", 1), ("step 1", "step", first), ("exit", "exit", exit_)):
        steps += steps_of(p, units, plan.placed[name], label, offset)
    rest = (p.n - 1) * plan.step
    steps.append(Step(f"steps 2 to {p.n}", "ladder", second, rest, rest))
    steps.append(Step("result", "result", latency - 1))
    formula = f"{plan.setup} + {plan.step}·n + {plan.exit} + 1"
    code = plan.microcode
    work = total(*work_of(p, units, plan, p.n), {"mask": (Fraction(p.mask_cycles),) * 2})
    return Schedule(tuple(steps), latency, formula, code.interval, control=code, parts=units, counted=work)

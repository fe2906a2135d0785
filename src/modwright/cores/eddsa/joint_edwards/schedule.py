# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up and exit, and of the steps the first one and the others in one piece.

No control word depends on an operand, so the latency is constant: n steps for any curve, operation, scalar and point.
Addresses do: bits of the scalars choose which point is added.
"""

from __future__ import annotations

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.program import steps_of, work_of
from ....schedule import Schedule, Step, total
from .parameters import EddsaParameters
from .plan.microcode import make_plan


def make_schedule(p: EddsaParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode: one for the transfer, every word once, and those of
    a step n times. The next operation is taken when the result has left."""
    units = unit_schedules(p)
    plan = make_plan(p, units)
    first = 1 + plan.setup
    second, exit_ = first + plan.step, first + plan.step * p.n
    code = plan.microcode
    latency = 1 + code.cycles
    steps = [Step("operands", "operand registers", 0)]
    for label, name, offset in (("set-up", "set-up", 1), ("step 1", "step", first), ("exit", "exit", exit_)):
        steps += steps_of(p, units, plan.placed[name], label, offset)
    rest = (p.n - 1) * plan.step
    steps.append(Step(f"steps 2 to {p.n}", "steps", second, rest, rest))
    steps.append(Step("result", "result", latency - 1))
    formula = f"{plan.setup} + {plan.step}·n + {plan.exit} + 1"
    work = total(*work_of(p, units, plan, p.n))
    return Schedule(tuple(steps), latency, formula, code.interval, control=code, parts=units, counted=work)

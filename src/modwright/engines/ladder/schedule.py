# SPDX-License-Identifier: Apache-2.0
"""The microcode of a program as a schedule: set-up, exit, and of the steps the first one and the others in one piece.

No control word depends on an operand, so the latency is constant: as many steps for any curve, scalar and point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...schedule import Schedule, Step, UnitCycles, total
from .parameters import FieldParameters
from .program import Program, steps_of, work_of


def program_schedule(
    p: FieldParameters,
    units: Mapping[str, Schedule],
    plan: Program,
    count: int,
    *,
    symbol: str = "n",
    steps_on: str = "steps",
    before: Sequence[Step] = (),
    work: UnitCycles | None = None,
    passes: int = 1,
) -> Schedule:
    """The schedule of a program: one cycle for the transfer, every word once, and those of a step `count` times.

    Parameters
    ----------
    p : FieldParameters
    units : mapping of str to Schedule
        Schedules of the multipliers, by kind.
    plan : Program
    count : int
        Steps.
    symbol : str
        The number of steps in the formula of the latency.
    steps_on : str
        Resource of the steps but the first.
    before : sequence of Step
        Steps on other resources, while the set-up runs.
    work : mapping of str to cycles
        Work of these resources.
    passes : int
        Runs of the program for one operation, with a cycle in between.
    """
    first = 1 + plan.setup
    second, exit_ = first + plan.step, first + plan.step * count
    code = plan.microcode
    latency = passes * (1 + code.cycles)
    steps = [Step("operands", "operand registers", 0), *before]
    for label, name, offset in (("set-up", "set-up", 1), ("step 1", "step", first), ("exit", "exit", exit_)):
        steps += steps_of(p, units, plan.placed[name], label, offset)
    if rest := (count - 1) * plan.step:
        steps.append(Step(f"steps 2 to {count}", steps_on, second, rest, rest))
    formula = f"{plan.setup} + {plan.step}·{symbol} + {plan.exit} + 1"
    if passes > 1:
        again = (passes - 1) * code.cycles
        steps.append(Step("second pass", "program", 1 + code.cycles, again, again))
        formula = f"{passes}·({formula})"
    steps.append(Step("result", "result", latency - 1))
    counted = total(*(part for _ in range(passes) for part in work_of(p, units, plan, count)), work or {})
    # the result is taken before the next operation starts, in the cycle after the last word or later
    return Schedule(tuple(steps), latency, formula, latency + 1, control=code, parts=units, counted=counted)

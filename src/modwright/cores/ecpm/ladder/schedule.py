# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up and exit, and of the ladder the first step and the others in one piece.

No cycle of a handshake and no control word depends on an operand, so the latency is constant: N steps for any curve,
scalar and point. Addresses do: bits of the scalar and flags of the point exchange words.
"""

from __future__ import annotations

from fractions import Fraction

from ....engines.ladder.control import unit_schedules
from ....engines.ladder.program import steps_of, work_of
from ....schedule import Schedule, Step, total
from .parameters import EcpmParameters
from .plan.microcode import make_plan


def make_schedule(p: EcpmParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode: one for the transfer, every word once, and those of
    a step N times. The next operation is taken when the result has left."""
    units = unit_schedules(p)
    plan = make_plan(p, units)
    first = 1 + plan.setup
    second, exit_ = first + plan.step, first + plan.step * p.order_bits
    latency = 1 + plan.microcode.cycles
    steps = [Step("operands", "operand registers", 0)]
    steps.append(Step("k' = 2^N + ((k - 2^N) mod q)", "scalar", 1, p.order_bits, p.order_bits))
    parts = [("set-up", "set-up", 1), ("step 1", "step", first), ("exit", "exit", exit_)]
    for label, name, offset in parts:
        steps += steps_of(p, units, plan.placed[name], label, offset)
    rest = (p.order_bits - 1) * plan.step
    if rest:
        steps.append(Step(f"steps 2 to {p.order_bits}", "ladder", second, rest, rest))
    steps.append(Step("result", "result", latency - 1))
    formula = f"{plan.setup} + {plan.step}·N + {plan.exit} + 1"
    code = plan.microcode
    work = total(*work_of(p, units, plan, p.order_bits), {"scalar": (Fraction(p.order_bits),) * 2})
    interval = code.interval
    return Schedule(tuple(steps), latency, formula, interval, control=code, parts=units, counted=work)

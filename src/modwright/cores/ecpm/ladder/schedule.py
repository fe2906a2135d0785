# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up and exit, and of the ladder the first step and the others in one piece.

No cycle of a handshake and no control word depends on an operand, so the latency is constant: N steps for any curve,
scalar and point. Addresses do: bits of the scalar and flags of the point exchange words.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....engines.ladder.dataflow import INVERSE, MULTIPLICATIONS
from ....engines.ladder.machine import Placed
from ....schedule import Schedule, Step
from .parameters import EcpmParameters
from .plan.microcode import make_plan, unit_schedules


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
        steps += [step for one in plan.placed[name] for step in _steps(p, units, one, label, offset)]
    rest = (p.order_bits - 1) * plan.step
    if rest:
        steps.append(Step(f"steps 2 to {p.order_bits}", "ladder", second, rest, rest))
    steps.append(Step("result", "result", latency - 1))
    formula = f"{plan.setup} + {plan.step}·N + {plan.exit} + 1"
    code = plan.microcode
    return Schedule(tuple(steps), latency, formula, minimum_interval=code.interval, control=code, parts=units)


def _steps(p: EcpmParameters, units: Mapping[str, Schedule], one: Placed, label: str, offset: int) -> list[Step]:
    """An operation on the multiplier or the adder; reads of a word for a flag are not shown."""
    operation = one.operation
    name = f"{label}: {operation.text}"
    if operation.kind in MULTIPLICATIONS:
        kind = operation.kind if operation.kind in p.kinds else p.kinds[0]
        interval = units[kind].interval
        resource = f"multiplier {one.unit + 1}" if p.macs > 1 else "multiplier"
        return [Step(name, resource, offset + one.start, interval, one.readable - one.start)]
    if operation.kind == INVERSE:
        length = one.written - one.start
        return [Step(name, "inversion", offset + one.start, length, length + 1)]
    if one.adds is not None:
        return [Step(name, "adder", offset + one.adds, 1, 2)]
    return []

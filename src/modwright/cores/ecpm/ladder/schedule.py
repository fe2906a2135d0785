# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up and exit, and of the ladder the first step and the others in one piece.

No cycle of a handshake and no control word depends on an operand, so the latency is constant: N steps for any curve,
scalar and point. Addresses do: bits of the scalar and flags of the point exchange words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ....engines.ladder.dataflow import INVERSE, MULTIPLICATIONS
from ....engines.ladder.machine import Placed
from ....schedule import Schedule, Step, UnitCycles, times, total
from .parameters import EcpmParameters
from .plan.microcode import LadderPlan, make_plan, unit_schedules


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
    work = total(*_work(p, units, plan), {"scalar": (Fraction(p.order_bits),) * 2})
    interval = code.interval
    return Schedule(tuple(steps), latency, formula, interval, control=code, parts=units, counted=work)


def _work(p: EcpmParameters, units: Mapping[str, Schedule], plan: LadderPlan) -> Iterator[UnitCycles]:
    """Work of set-up, N steps and exit: multipliers, the adder with the inversion's sums, and the memory's ports."""
    for name, count in (("set-up", 1), ("step", p.order_bits), ("exit", 1)):
        placed = plan.placed[name]
        for one in placed:
            if one.operation.kind in MULTIPLICATIONS:
                unit = f"unit {one.unit + 1}" if p.macs > 1 else "unit"
                yield times(units[_kind(p, one)].work, count, part=unit)
        own = {
            "adder": sum(len(one.iterations) + (one.adds is not None) for one in placed),
            "read port": len({read.cycle for one in placed for read in one.reads}),
            "write port": sum(one.operation.makes_value for one in placed),
        }
        yield {unit: (Fraction(count * cycles),) * 2 for unit, cycles in own.items() if cycles}


def _kind(p: EcpmParameters, one: Placed) -> str:
    """Kind of the unit's operation that a multiplication is: a square is a product where there is nothing better."""
    kind = one.operation.kind
    return kind if kind in p.kinds else p.kinds[0]


def _steps(p: EcpmParameters, units: Mapping[str, Schedule], one: Placed, label: str, offset: int) -> list[Step]:
    """An operation on the multiplier or the adder; reads of a word for a flag are not shown."""
    operation = one.operation
    name = f"{label}: {operation.text}"
    if operation.kind in MULTIPLICATIONS:
        interval = units[_kind(p, one)].interval
        resource = f"multiplier {one.unit + 1}" if p.macs > 1 else "multiplier"
        return [Step(name, resource, offset + one.start, interval, one.readable - one.start)]
    if operation.kind == INVERSE:
        length = one.written - one.start
        return [Step(name, "inversion", offset + one.start, length, length + 1)]
    if one.adds is not None:
        return [Step(name, "adder", offset + one.adds, 1, 2)]
    return []

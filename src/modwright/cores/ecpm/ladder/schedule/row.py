# SPDX-License-Identifier: Apache-2.0
"""The microcode over a row multiplier as a schedule: its parts one after the other.

No control word depends on an operand, so the latency is constant. Addresses do: bits of the scalar and flags of the
point exchange words, and digits of M - 2.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import MULTIPLICATIONS
from .....engines.row.program import RowProgram
from .....schedule import Schedule, Step, UnitCycles, both, total
from ..parameters.row import RowLadderParameters
from ..plan.row.microcode import make_plan


def make_row_schedule(p: RowLadderParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    plan = make_plan(p)
    at = 1 + plan.microcode.loops[0].first
    steps = [Step("operands", "operand registers", 0), Step("to words", "write port", 1, at - 1, at - 1)]
    head = p.scalar_cycles * p.order_bits
    steps.append(Step("k' = 2^N + ((k - 2^N) mod q)", "scalar", at, head, head))
    at += head
    for part in plan.parts:
        cycles = _length(plan, part.label) * part.count
        steps.append(Step(part.label, "program", at, cycles, cycles))
        at += cycles
    steps.append(Step("division by t", "division", at, p.n, p.n))
    latency = 1 + plan.microcode.cycles
    steps.append(Step("result", "result", latency - 1))
    period, power = (_length(plan, label) for label in ("step", "power"))
    once = latency - period * p.order_bits - head - (power + 1) * p.n
    formula = f"{once} + ({period} + {p.scalar_cycles})·N + ({power} + 1)·n"
    return Schedule(tuple(steps), latency, formula, latency + 1, control=plan.microcode, counted=total(*_work(p, plan)))


def _behind(plan: RowProgram, label: str) -> str:
    labels = list(plan.begins)
    return labels[labels.index(label) + 1]


def _length(plan: RowProgram, label: str) -> int:
    return plan.begins[_behind(plan, label)] - plan.begins[label]


def _work(p: RowLadderParameters, plan: RowProgram) -> list[UnitCycles]:
    """Cycles in which the row, the adder and the memory's ports work."""
    found: list[UnitCycles] = [{"scalar": both(p.scalar_cycles * p.order_bits), "division": both(p.n)}]
    for part in plan.parts:
        products = sum(placement.operation.kind in MULTIPLICATIONS for placement in part.placed)
        made = sum(placement.operation.makes_value for placement in part.placed)
        reads = sum(len(placement.reads) for placement in part.placed)
        own = {
            "row of blocks": products * p.row.digits,
            "adder": made - products,
            "read port": reads,
            "write port": made,
        }
        found.append({unit: both(cycles * part.count) for unit, cycles in own.items() if cycles})
    return found

# SPDX-License-Identifier: Apache-2.0
"""The microcode over a row multiplier as a schedule: its parts one after the other.

No control word depends on an operand, so the latency is constant. Addresses do: bits of the scalar and flags of the
point exchange words, and signs of a batch's matrix.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import GIVEN, MULTIPLICATIONS, RUN
from .....engines.ladder.parts import PartProgram
from .....engines.row.machine import LOADED, steps_of
from .....schedule import Schedule, Step, UnitCycles, both, total
from ..parameters.row import RowLadderParameters
from ..plan.row.formulas import EXTERNAL
from ..plan.row.microcode import FIRST_BIT, ROW_HEAD, make_plan, paired_steps


def make_row_schedule(p: RowLadderParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    plan = make_plan(p)
    moved = ROW_HEAD + len(EXTERNAL) + LOADED
    steps = [Step("operands", "operand registers", 0), Step("to words", "write port", START, moved, moved)]
    alone = sum(loop.count for loop in plan.microcode.loops if loop.first < plan.begins["set-up"])
    at, sums = START + moved + alone, len(paired_steps(p))
    last = at + plan.begins["step"] - plan.begins["set-up"] - FIRST_BIT
    steps.append(Step("k' = k + j·q', with bit N", "scalar", last - sums, sums, sums))
    for part in plan.parts:
        cycles = plan.length(part.label) * part.count
        steps.append(Step(part.label, "program", at, cycles, cycles))
        at += cycles
    latency = START + plan.microcode.cycles
    steps.append(Step("result", "result", latency - 1))
    period, batch = (plan.length(label) for label in ("step", "batch"))
    scalar = SCALAR if alone else 0
    once = latency - (period + scalar) * p.order_bits - batch * p.batches
    formula = f"{once} + {period + scalar}·N + {batch}·{p.batches}"
    return Schedule(tuple(steps), latency, formula, latency + 1, control=plan.microcode, counted=total(*_work(p, plan)))


START = 2
"""Cycle of the first control word, counted from the input transfer."""
SCALAR = 1
"""Cycles of a bit of the scalar, where its steps begin before the program: its place in the order is counted, and it
is added, two bits a cycle."""


def _work(p: RowLadderParameters, plan: PartProgram) -> list[UnitCycles]:
    """Cycles in which the row, the adder and the memory's ports work."""
    found: list[UnitCycles] = [{"scalar": both(SCALAR * p.order_bits + 1)}]
    for part in plan.parts:
        kinds = [kind for placed in part.placed if (kind := placed.operation.kind) in MULTIPLICATIONS]
        made = sum(placement.operation.makes_value for placement in part.placed)
        given = sum(placement.operation.kind == GIVEN for placement in part.placed)
        divsteps = sum(placement.operation.kind == RUN for placement in part.placed)
        reads = sum(len(placement.reads) for placement in part.placed)
        own = {
            "row of blocks": sum(steps_of(p.row, kind) for kind in kinds),
            "adder": made - len(kinds) - given,
            "divsteps": p.row.K * divsteps,
            "read port": reads,
            "write port": made,
        }
        found.append({unit: both(cycles * part.count) for unit, cycles in own.items() if cycles})
    return found

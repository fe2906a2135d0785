# SPDX-License-Identifier: Apache-2.0
"""The microcode over a row multiplier as a schedule: its parts one after the other.

No control word depends on an operand, so the latency is constant. Addresses do: bits of the scalar and flags of the
point exchange words, and signs of a batch's matrix.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import GIVEN, MULTIPLICATIONS, RUN
from .....engines.ladder.parts import PartProgram
from .....engines.row.machine import machine_of, steps_of
from .....schedule import Schedule, Step, UnitCycles, both, total
from ..parameters.row import RowLadderParameters
from ..plan.row.formulas import EXTERNAL
from ..plan.row.microcode import FIRST_BIT, ROW_HEAD, make_plan, paired_steps


def make_row_schedule(p: RowLadderParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    plan, contexts = make_plan(p), p.row.contexts
    moved = ROW_HEAD + len(EXTERNAL) + machine_of(p.row).loaded
    uses = [("to words", "write port", START, moved)]
    alone = sum(loop.count for loop in plan.microcode.loops if loop.first < plan.begins["set-up"])
    at, sums = START + moved + alone, len(paired_steps(p))
    last = at + plan.begins["step"] - plan.begins["set-up"] - FIRST_BIT
    uses.append(("k' = k + j·q', with bit N", "scalar", last - sums, sums))
    for part in plan.parts:
        cycles = plan.length(part.label) * part.count
        uses.append((part.label, "program", at, cycles))
        at += cycles
    steps = [Step("operands", "operand registers", 0)]
    for name, unit, begin, cycles in uses:
        steps.append(Step(name, unit, contexts * begin, contexts * cycles, contexts * cycles))
    latency = contexts * (START + plan.microcode.cycles) - (contexts - 1)
    steps.append(Step("result", "result", latency - 1))
    period, batch = (contexts * plan.length(label) for label in ("step", "batch"))
    scalar = contexts * SCALAR if alone else 0
    once = latency - (period + scalar) * p.order_bits - batch * p.batches
    return Schedule(
        tuple(steps),
        latency,
        f"{once} + {period + scalar}·N + {batch}·{p.batches}",
        minimum_interval=latency + (1 if contexts == 1 else FREED),
        burst=contexts,
        burst_distance=1 if contexts == 1 else _distance(plan),
        control=plan.microcode,
        counted=total(*_work(p, plan)),
    )


START = 2
"""Cycle of the first control word, counted from the input transfer."""
FREED = 3
"""Cycles from a result to the next operation in its context, which may come in every other cycle."""
SCALAR = 1
"""Cycles of a bit of the scalar, where its steps begin before the program: its place in the order is counted, and it
is added, two bits a cycle."""


def _distance(plan: PartProgram) -> int:
    """Cycles from an operation to one in another context: its operands are in words by then. An odd number, as contexts
    have every other cycle."""
    in_words = next(number for number, word in enumerate(plan.microcode.words) if word.get("kept"))
    return 2 * in_words + 7


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

# SPDX-License-Identifier: Apache-2.0
"""The microcode on limbs as a schedule: its parts one after the other.

No control word depends on an operand, so the latency is constant. Addresses do: bits of the scalar and flags of the
point exchange words.
"""

from __future__ import annotations

from collections.abc import Iterable

from .....engines.ladder.dataflow import RUN
from .....engines.ladder.machine import Placed
from .....engines.word.machine import LOADED, TERMS, WordPlaced
from .....schedule import Schedule, Step, UnitCycles, both, total
from ..parameters.word import WordLadderParameters
from ..plan.row.microcode import FIRST_BIT, HEAD, scalar_steps
from ..plan.word.microcode import make_plan, operand_limbs
from .row import SCALAR


def make_word_schedule(p: WordLadderParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    plan = make_plan(p)
    moved = HEAD + len(list(operand_limbs(p))) + LOADED
    steps = [Step("operands", "operand registers", 0), Step("to words", "write port", 1, moved, moved)]
    alone = sum(loop.count for loop in plan.microcode.loops if loop.first < plan.begins["begin"])
    at, sums = 1 + moved + alone, len(scalar_steps(p))
    last = at + plan.begins["step"] - plan.begins["begin"] - FIRST_BIT
    steps.append(Step("k' = k + j·q', with bit N", "scalar", last - sums, sums, sums))
    for part in plan.parts:
        cycles = plan.length(part.label) * part.count
        steps.append(Step(part.label, "program", at, cycles, cycles))
        at += cycles
    latency = 1 + plan.microcode.cycles
    steps.append(Step("result", "result", latency - 1))
    period, batch = plan.length("step"), plan.length("batch")
    scalar = SCALAR if alone else 0
    once = latency - (period + scalar) * p.order_bits - batch * p.batches
    formula = f"{once} + {period + scalar}·N + {batch}·{p.batches}"
    work = total(
        {"scalar": both(SCALAR * p.order_bits + 1)}, *(_work(p, part.placed, part.count) for part in plan.parts)
    )
    return Schedule(tuple(steps), latency, formula, latency + 1, control=plan.microcode, counted=work)


def _work(p: WordLadderParameters, placed: Iterable[Placed], count: int) -> UnitCycles:
    """Cycles in which the multiply-accumulate, the adder and the memory's ports work."""
    places = [placement for placement in placed if isinstance(placement, WordPlaced)]
    sums = sum(p.words.s * len(TERMS.get(placement.operation.kind, ())) for placement in places)
    own = {
        "multiply-accumulate": sum(place.column.cycles for placement in places for place in placement.columns),
        "adder": sums,
        "divsteps": p.K * sum(placement.operation.kind == RUN for placement in places),
        "write port": sum(len(placement.writes) for placement in places),
    }
    return {unit: both(cycles * count) for unit, cycles in own.items() if cycles}

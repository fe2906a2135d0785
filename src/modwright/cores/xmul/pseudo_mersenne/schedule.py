# SPDX-License-Identifier: Apache-2.0
"""The microcode as a schedule: set-up, ladder, the inverse and the exact result one after the other.

No control word depends on an operand, so the latency is constant: n steps for any curve, scalar and point. Addresses
do: the bits of the scalar exchange words.
"""

from __future__ import annotations

from ....schedule import Schedule, Step, UnitCycles, both
from .parameters import PseudoMersenneParameters
from .plan.formulas import STEP
from .plan.microcode import Program, make_program, timing_of
from .plan.placement import reads_of

OUT = 2
"""Cycles from the last control word to the result: the registers of the control signals, and the queue."""


def make_schedule(p: PseudoMersenneParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    program = make_program(p)
    steps = [Step("operands", "operand registers", 0)]
    at = 1
    parts = (("set-up", ("set-up",)), ("steps", ("step",)), ("z = X2·Z2^(p - 2)", ("behind", "squares", "product")))
    for label, names in (*parts, ("z mod p", ("exact",))):
        cycles = program.cycles(*names)
        steps.append(Step(label, "program", at, cycles, cycles))
        at += cycles
    latency = program.microcode.cycles + OUT
    steps.append(Step("result", "result", latency - 1))
    period, once = program.loop.period, latency - program.loop.period * p.n
    formula = f"{period}·n + {once}"
    return Schedule(tuple(steps), latency, formula, latency + 1, control=program.microcode, counted=_work(p, program))


def _work(p: PseudoMersenneParameters, program: Program) -> UnitCycles:
    """Cycles in which the row of blocks, the operand register and the memory's ports work."""
    turns = timing_of(p).turns
    powers = sum(part.count for part in program.parts if part.label in ("squares", "product"))
    reads = sum(
        len(reads_of(terms)) for product in STEP for terms in (product.x, product.y) if isinstance(terms, tuple)
    )
    row = sum(placed.turns for placed in program.loop.placed.values())
    fetched = sum(part.label in ("behind", "product") for part in program.parts)
    written = sum("write" in word for part in program.parts if part.label != "step" for word in part.words)
    return {
        "row of blocks": both(row * p.n + turns * powers),
        "adder": both(reads * p.n + fetched),
        "read port": both(reads * p.n + fetched),
        "write port": both(len(STEP) * p.n + written),
    }

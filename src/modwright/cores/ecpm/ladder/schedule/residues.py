# SPDX-License-Identifier: Apache-2.0
"""The microcode in residues as a schedule: its parts one after the other.

No control word depends on an operand, so the latency is constant. Addresses do: bits of the scalar and flags of the
point exchange words, and digits of P - 2, which is part of the hardware.
"""

from __future__ import annotations

from .....engines.residue.schedule import from_residues_schedule
from .....schedule import Schedule, Step, both, times, total
from ..parameters.residues import ResidueLadderParameters
from ..plan.residues.microcode import HEAD, Part, make_plan

OUT = "out"
"""Name of the converter's schedule among the parts."""


def make_residue_schedule(p: ResidueLadderParameters) -> Schedule:
    """Place the operations, and count the cycles of the microcode."""
    out = from_residues_schedule(p.rowers.conversion)
    plan = make_plan(p, out.latency)
    steps = [Step("operands", "operand registers", 0)]
    at = 1 + HEAD
    lengths: dict[str, int] = {}
    for part in plan.parts:
        lengths[part.label] = len(part.words)
        cycles = len(part.words) * part.count
        steps.append(Step(part.label, "program", at, cycles, cycles))
        at += cycles
        if part.label in ("end", "last"):
            steps.append(Step(f"{part.label}: to binary", "converter", at, plan.waits, plan.waits))
            at += plan.waits
    latency = 1 + plan.microcode.cycles
    steps.append(Step("result", "result", latency - 1))
    step, power, bits = lengths["step"], lengths["power"], p.modulus.bit_length()
    formula = f"{latency - step * p.order_bits - power * bits} + {step}·N + {power}·n"
    work = total(*(_work(p, part) for part in plan.parts), {"converter": both(2 * plan.waits)})
    return Schedule(tuple(steps), latency, formula, latency + 1, control=plan.microcode, parts={OUT: out}, counted=work)


def _work(p: ResidueLadderParameters, part: Part):
    """Cycles in which the rowers of both bases and the coxes work."""
    del p
    sums = [places for places in part.placed if places.count]
    found = {
        "rowers of A": sum(len(places.in_a) for places in part.placed),
        "rowers of B": sum(len(places.in_b) + 1 for places in part.placed),
        "cox accumulator": sum(places.p.rows for places in sums),
    }
    return times({unit: both(cycles) for unit, cycles in found.items()}, part.count)

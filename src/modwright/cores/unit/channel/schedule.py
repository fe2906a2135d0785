# SPDX-License-Identifier: Apache-2.0
"""Schedule of a unit: an operation a cycle through its registers."""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import ADDER, MULTIPLIER, REDUCTION, ROWER, UnitParameters

NAMES = {MULTIPLIER: "<x·y>", ROWER: "x·y", ADDER: "<x+t>", REDUCTION: "<x>"}
UNITS = {MULTIPLIER: "multiplier", ROWER: "multiply-accumulate", ADDER: "adder", REDUCTION: "reduction"}


def make_schedule(p: UnitParameters) -> Schedule:
    """Schedule of one operation: operands are registered in cycle 0; the result goes to the queue in the last cycle."""
    name, unit = NAMES.get(p.kind, "<x>"), UNITS.get(p.kind, "small residues")
    steps = [Step(name, unit, 0, latency=p.latency)]
    end, formula = p.latency, "L + 1"
    if p.kind == ROWER:
        F = p.sum_plan.stages
        steps.append(Step("<x·y>", "reduction", p.latency, latency=F, after=(name,)))
        end, formula = p.latency + F - 1, "L + F"
    steps.append(Step("z", "result", end, control={"done": 1}))
    return Schedule(tuple(steps), end + 1, formula)

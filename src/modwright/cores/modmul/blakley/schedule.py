# SPDX-License-Identifier: Apache-2.0
"""Steps of an interleaved multiplication: operands in cycle 0, a bit of x in each of the next n cycles, the result."""

from __future__ import annotations

from ....schedule import Schedule, Step
from .parameters import BlakleyParameters


def make_schedule(p: BlakleyParameters) -> Schedule:
    """One product at a time; the next one enters the registers in the cycle in which the result leaves them."""
    steps = [Step("s = 0", "accumulator", 0)]
    for cycle, bit in enumerate(reversed(range(p.width)), 1):
        before = (steps[-1].name,)
        steps.append(Step(f"s = 2s + x_{bit}·y mod p", "accumulator", cycle, control={"step": 1}, after=before))
    steps.append(Step("z = s", "result", p.width + 1, control={"done": 1}, after=(steps[-1].name,)))
    return Schedule(tuple(steps), p.width + 2, "n + 2, n bits of p")

# SPDX-License-Identifier: Apache-2.0
"""Schedule of inversion by Fermat's theorem: one product after another."""

from __future__ import annotations

from fractions import Fraction

from ...schedule import Schedule, Step, UnitCycles, times, total
from .parameters import FermatParameters

FIRST = 1
"""Cycle of the first product; the operand goes to the memory in the cycle before."""

MEMORY_WORK: UnitCycles = {"read port": (Fraction(1), Fraction(1)), "write port": (Fraction(1), Fraction(1))}
"""Work of the memory's ports for one product: both factors are read in one cycle, and the product is written."""


def make_schedule(p: FermatParameters) -> Schedule:
    """Schedule of the products, which follow from P alone, so that the cycles are the same for every operand."""
    step, count = p.product_cycles, len(p.program)
    steps = [Step("operand", "memory", 0, busy=1)]
    for number in range(count):
        steps.append(Step(f"product {number + 1}", "multiplier", FIRST + number * step, busy=step, latency=step))
    end = FIRST + count * step
    steps.append(Step("test for 0", "result", end))
    formula = f"2 + {count} products of {step}"
    work = total(times(p.schedule.work, count, part="product"), times(MEMORY_WORK, count))
    return Schedule(tuple(steps), end + 1, formula, minimum_interval=end + 1, counted=work)

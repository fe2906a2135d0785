# SPDX-License-Identifier: Apache-2.0
"""Schedule of a carry-save multiplier.

J digits, and L limbs + 3 cycles around them; one more for the choice in domain 1, and three where q is computed
ahead: for copies of a digit in each slice, for its rows, and for the choice of a limb.

With two products interleaved, each has every second cycle.

Where a step takes a cycle for each variable digit of X, `busy` is its least duration and `latency` its longest.
"""

from __future__ import annotations

from dataclasses import replace

from ....schedule import Schedule, Step
from .parameters import CarrySaveParameters

RECODE, LOOP, CONVERT = "recode X", "S", "to binary"
FIRST_DIGIT = 1
"""Cycle in which the first digit is recoded; it is multiplied in the next."""

LOOP_BEHIND = 2
"""Cycles from the recoder to the loop, where q is computed ahead: copies in each slice, and rows."""


def make_schedule(p: CarrySaveParameters) -> Schedule:
    """Schedule of one product; the core takes one at a time."""
    least, most, varies = p.least_digits, p.most_digits, p.cell.variable
    first = FIRST_DIGIT + 1 + (LOOP_BEHIND if p.ahead else 0)
    converted = first + most
    steps = [
        Step("operands", "operand registers", 0),
        Step(RECODE, "recoder", FIRST_DIGIT, least, 1, after=("operands",), depends_on_data=varies, most=most),
        Step("X, Y, M in range", "comparators", FIRST_DIGIT, least, most + 1, after=("operands",), most=most),
        Step(LOOP, "carry-save loop", first, least, most, after=(RECODE,), depends_on_data=varies, most=most),
        Step(CONVERT, "limb adder", converted, p.limbs, p.limbs + 1 + p.ahead, after=(LOOP, "X, Y, M in range")),
    ]
    tail = p.limbs + 1 + p.ahead
    if p.domain == 1:
        steps.append(Step("below M", "result register", converted + tail, after=(CONVERT,)))
        tail += 1
    around = first + tail
    formula = f"J + L + {around - p.limbs}"
    if p.interleave == 1:
        return Schedule(tuple(steps), most + around, formula, minimum_interval=least + around + 1)
    return Schedule(
        tuple(_interleaved(s) for s in steps),
        spread(most + around),
        f"2·({formula}) - 1",
        minimum_interval=spread(least + around) + 2,
        burst=2,
    )


def _interleaved(s: Step) -> Step:
    """The step in every second cycle."""
    busy, most = spread(s.busy), spread(s.most or s.busy)
    return replace(s, start=2 * s.start, busy=busy, latency=spread(s.latency), most=most)


def spread(cycles: int) -> int:
    """Cycles from the first to the last of `cycles`, every second one of which belongs to another product."""
    return 2 * cycles - 1

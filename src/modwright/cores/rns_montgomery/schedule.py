# SPDX-License-Identifier: Apache-2.0
"""When an extension and a multiplication do what, as programs of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the clocks from the bus to an operand, c the number
of columns, r that of rows. An extension takes L + F to the hats, c to the bus, G + r - 1 to the last product, L + F to
the result.
"""

from __future__ import annotations

from ...schedule import Schedule, Step
from ..coxrower.program import HELD, INPUT, RESULT, SAVED, Program
from .parameters import ExtensionParameters, MultiplierParameters

SLACK = 8
"""Clocks between the two products of operands that are tried, for the smallest interval."""


def extension_schedule(p: ExtensionParameters) -> Schedule:
    """x·T, the extension, and the subtraction that makes the result canonical, which has a clock of its own."""
    program = Program(p.engine)
    hats = program.reduce("x̂ reduced", program.product("x·T", 0, INPUT), 0)
    end = program.extend("X", hats, 0)
    program.steps.append(Step("push", "result", end, control={"take": 1}))
    return Schedule(tuple(program.steps), end + 1, "2L + 2F + G + c + r")


def multiplier_schedule(p: MultiplierParameters) -> Schedule:
    """The smallest interval, then the smallest latency, over the distance between the products x·y in B and in A."""
    found = [s for distance in range(1, SLACK + 1) if (s := _multiplication(p, distance)) is not None]
    return min(found, key=lambda s: (s.interval, s.latency))


def _multiplication(p: MultiplierParameters, distance: int) -> Schedule | None:
    """One multiplication: x·y in B first, then in A, then both extensions; None when two steps want one unit."""
    program = Program(p.engine)
    in_b = program.reduce("x·y in B reduced", program.product("x·y in B", 0, INPUT), 1)
    in_a = program.reduce("x·y in A reduced", program.product("x·y in A", distance, HELD), 0)
    program.steps.append(Step("x, y in A", "operands", 0, busy=distance))
    hats = program.reduce("q̂ reduced", program.product("q̂", in_a, RESULT, 0), 0)
    start = program.product("s·(A·T)^-1", in_b, RESULT, 1)
    program.save("s·(A·T)^-1 saved", start, program.first_operand(hats) + p.latency - 1)
    hats = program.extend("Q", hats, 0, first=SAVED)
    end = program.extend("S", hats, 1)
    program.keep("ŝ", hats, end - 1)
    # The queue is the last register of the result, so it is pushed one clock before the result is readable.
    program.steps.append(Step("push", "result", end - 1, control={"take": 1}))
    if not program.free_of_conflicts:
        return None
    return Schedule(
        tuple(program.steps), end, f"4L + 4F + 2G + 2c + 2r {'-' if distance < 2 else '+'} {abs(distance - 2)}"
    )

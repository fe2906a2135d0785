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
    start = program.product("x·T", 0, INPUT)
    hats = program.reduce("x̂", start, 0, after=("x·T",))
    end = program.extend("X", hats, 0, after=("x̂",))
    program.steps.append(Step("push", "result", end, control={"take": 1}, after=("X",)))
    return Schedule(tuple(program.steps), end + 1, "2L + 2F + G + c + r")


def multiplier_schedule(p: MultiplierParameters) -> Schedule:
    """The smallest interval, then the smallest latency, over the distance between the products x·y in B and in A."""
    found = [s for distance in range(1, SLACK + 1) if (s := _multiplication(p, distance)) is not None]
    return min(found, key=lambda s: (s.interval, s.latency))


def _multiplication(p: MultiplierParameters, distance: int) -> Schedule | None:
    """One multiplication: x·y in B first, then in A, then both extensions; None when two steps want one unit."""
    program = Program(p.engine)
    start = program.product("x·y in B", 0, INPUT)
    in_b = program.reduce("<x·y> in B", start, 1, after=("x·y in B",))
    start = program.product("x·y in A", distance, HELD)
    in_a = program.reduce("<x·y> in A", start, 0, after=("x·y in A",))
    program.steps.append(Step("x, y in A", "operands", 0, busy=distance))
    start = program.product("x·y·(-T/P)", in_a, RESULT, 0, after=("<x·y> in A",))
    hats = program.reduce("q̂", start, 0, after=("x·y·(-T/P)",))
    start = program.product("x·y/(A·T)", in_b, RESULT, 1, after=("<x·y> in B",))
    program.save("first of ŝ", start, program.first_operand(hats) + p.latency - 1, after=("x·y/(A·T)",))
    hats = program.extend("ŝ", hats, 0, after=("q̂",), first=SAVED)
    end = program.extend("s", hats, 1, after=("ŝ",))
    program.keep("ŝ kept", hats, end - 1, after=("ŝ",))
    # The queue is the last register of the result, so it is pushed one clock before the result is readable.
    program.steps.append(Step("push", "result", end - 1, control={"take": 1}))
    if not program.free_of_conflicts:
        return None
    return Schedule(
        tuple(program.steps), end, f"4L + 4F + 2G + 2c + 2r {'-' if distance < 2 else '+'} {abs(distance - 2)}"
    )

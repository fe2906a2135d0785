# SPDX-License-Identifier: Apache-2.0
"""Schedule of a base extension, as microcode of the cox-rower.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from the bus to an operand, c the number
of columns, r that of rows. An extension takes L + F to the hats, c to the bus, G + r - 1 to the last product, L + F to
the result.
"""

from __future__ import annotations

from ....engines.coxrower.steps import HELD, INPUT, StepBuilder
from ....schedule import Schedule, Step
from .parameters import ExtensionParameters


def extension_schedule(p: ExtensionParameters) -> Schedule:
    """x·T, the extension, and the subtraction that makes the result canonical, in a separate cycle."""
    builder = StepBuilder(p.engine)
    slots, first = p.engine.slots, p.engine.travel
    starts = builder.scaled("x·T", list(range(first, first + slots)), [INPUT, *[HELD] * (slots - 1)])
    if slots > 1:
        builder.steps.append(Step("x", "operands", first, busy=slots - 1))
    hats = builder.reduce("x̂", starts, 0, after=("x·T",))
    ends = builder.extend("X", hats, 0, after=("x̂",))
    builder.deliver(ends, ends[-1], after=("X",))
    on_bus = "r" if slots == 1 else f"{slots}r"
    rows = "c + r" if slots == 1 and p.engine.columns <= 2 else f"{slots + 1} + {on_bus}"
    entry = f" + {first}" if first else ""
    return Schedule(tuple(builder.steps), ends[-1] + 1, f"2L + 2F + G + {rows}{entry}")

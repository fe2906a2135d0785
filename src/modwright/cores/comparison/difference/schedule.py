# SPDX-License-Identifier: Apache-2.0
"""Schedule of a comparison, as microcode of the rowers.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles that local
rowers add to the way over the bus, n the number of digits. A digit takes G + L + F + 1, as the next one depends on it.
"""

from __future__ import annotations

from ....engines.coxrower.digits import place_digits, to_bus
from ....engines.coxrower.steps import ADD, ALONE, HELD, INPUT, StepBuilder, Term
from ....schedule import Schedule, Step
from .parameters import MINUS, PLUS, ComparisonParameters


def comparison_schedule(p: ComparisonParameters) -> Schedule:
    """The difference, its digits one after the other, and the comparison that keeps pace with them."""
    engine, builder = p.engine, StepBuilder(p.engine)

    def term(mode: int, operand: int, factor: int) -> Term:
        return mode, {"a": operand, "b": engine.factor_address(factor, 0)}

    start = engine.travel
    first = builder.sum_of("x - y", start, [term(ALONE, INPUT, PLUS), term(ADD, HELD, MINUS)], 0)
    last = place_digits(builder, p.factors, "x - y", first)
    on_bus, end = first + to_bus(engine), last + to_bus(engine) + 1
    builder.deliver([end], end, after=(f"v_{p.n}: bus",))
    builder.steps += [
        Step("y", "operands", start, busy=1),
        Step("x < y, x = y", "comparators", on_bus, busy=end - on_bus),
    ]
    step = to_bus(engine) + engine.bus_cycles + engine.latency + engine.fold_cycles
    return Schedule(tuple(builder.steps), end + 1, f"n(G + L + F + 1) + {end + 1 - p.n * step}")

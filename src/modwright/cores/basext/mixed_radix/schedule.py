# SPDX-License-Identifier: Apache-2.0
"""Schedule of an extension by mixed radix digits, as microcode of the rowers.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from a rower to the bus and back to
another, n the number of digits. A digit takes G + L + F, as the next one depends on it; then all of them pass over the
bus again.
"""

from __future__ import annotations

from ....engines.coxrower.steps import ADD, ALONE, BUS, COEFFICIENTS, INPUT, RESULT, StepBuilder, Term
from ....schedule import Schedule, Step
from .parameters import MixedRadixParameters


def mixed_radix_schedule(p: MixedRadixParameters) -> Schedule:
    """Digit by digit, the sum of the digits by their weights, and the subtraction that makes results canonical."""
    engine, builder = p.engine, StepBuilder(p.engine)
    to_bus = 1 + engine.travel
    (start,) = builder.scaled("x·1", [engine.travel], [INPUT])
    (ready,) = builder.reduce("x", [start], 0, after=("x·1",))
    begins, name = ready, "x"
    for step in range(p.n):
        builder.add(f"v_{step + 1}", "subtractor", ready, latency=to_bus, after=(name,), digit=step + 1)
        builder.add(f"v_{step + 1}: bus", "bus", ready + to_bus, after=(f"v_{step + 1}",))
        if step + 1 < p.n:
            name = f"x after {step + 1}"
            ready = builder.sum_of(name, ready, _terms(p, step), 0)
    bus = ready + to_bus
    for digit in range(1, p.n):
        builder.add(f"v_{digit} again", "stored digit", ready + digit, latency=to_bus, digit=p.n + 1)
        builder.add(f"v_{digit} again: bus", "bus", bus + digit, after=(f"v_{digit} again",))
    end = _sum(p, builder, bus + engine.bus_cycles)
    builder.deliver([end], end, after=("X",))
    stored = begins + engine.travel
    builder.steps += [
        Step("digits", "digits", stored, busy=bus + p.n - 1 - stored),
        Step("x < p", "comparators", stored + 1, busy=end + 1 - stored),
    ]
    return Schedule(tuple(builder.steps), end + 1, _latency(p, end + 1))


def _terms(p: MixedRadixParameters, step: int) -> list[Term]:
    """The products of a step; those by 0 keep the sum until the digit has arrived."""
    engine = p.engine

    def term(mode: int, operand: int, factor: int) -> Term:
        return mode, {"a": operand, "b": engine.factor_address(factor, 0)}

    waits = [term(ADD, BUS, p.nothing)] * (engine.travel + engine.bus_cycles)
    return [term(ALONE, RESULT, p.forward(step)), *waits, term(ADD, BUS, p.backward(step))]


def _sum(p: MixedRadixParameters, builder: StepBuilder, first: int) -> int:
    """Place the products of the digits on the bus by their weights, and the reduction of their sum; return the cycle
    in which it can be read."""
    engine = p.engine
    for row in range(p.n):
        digit = f"v_{row} again" if row else f"v_{p.n}"
        builder.add(
            f"X: row {row + 1}",
            "multiply-accumulate",
            first + row,
            latency=engine.latency,
            after=(digit,),
            also=(COEFFICIENTS,),
            a=BUS,
            b=engine.weight_address(0, row, 0),
        )
        if row:
            builder.add(f"X: sum {row + 1}", "accumulator", first + row + engine.latency - 1, sum=ADD)
    return builder.reduce("X", [first + p.n - 1 + engine.latency], 1, after=(f"X: row {p.n}",))[0]


def _latency(p: MixedRadixParameters, cycles: int) -> str:
    """The latency in symbols."""
    engine = p.engine
    to_bus = 1 + engine.travel + engine.bus_cycles
    rest = cycles - p.n * (to_bus + engine.latency + engine.fold_cycles) - engine.latency - engine.fold_cycles - p.n
    return f"n(G + L + F + 1) + L + F{f' + {rest}' if rest else ''}"

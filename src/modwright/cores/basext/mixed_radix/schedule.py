# SPDX-License-Identifier: Apache-2.0
"""Schedule of an extension by mixed radix digits, as microcode of the rowers.

L is the latency of a multiply-accumulate, F that of a reduction, G the cycles from a rower to the bus and back to
another, n the number of digits. A digit takes G + L + F, as the next one depends on it; then all of them pass over the
bus again.
"""

from __future__ import annotations

from ....engines.coxrower.digits import place_digits, to_bus
from ....engines.coxrower.steps import ADD, BUS, COEFFICIENTS, INPUT, StepBuilder
from ....schedule import Schedule, Step
from .parameters import MixedRadixParameters


def mixed_radix_schedule(p: MixedRadixParameters) -> Schedule:
    """Digit by digit, the sum of the digits by their weights, and the subtraction that makes results canonical."""
    engine, builder = p.engine, StepBuilder(p.engine)
    way = to_bus(engine)
    (start,) = builder.scaled("x·1", [engine.travel], [INPUT])
    (ready,) = builder.reduce("x", [start], 0, after=("x·1",))
    begins = ready
    ready = place_digits(builder, p.factors, "x", begins)
    bus = ready + way
    for digit in range(1, p.n):
        builder.add(f"v_{digit} again", "stored digit", ready + digit, latency=way, digit=p.n + 1)
        builder.add(f"v_{digit} again: bus", "bus", bus + digit, after=(f"v_{digit} again",))
    end = _sum(p, builder, bus + engine.bus_cycles)
    builder.deliver([end], end, after=("X",))
    stored = begins + engine.travel
    builder.steps += [
        Step("digits", "digits", stored, busy=bus + p.n - 1 - stored),
        Step("x < p", "comparators", stored + 1, busy=end + 1 - stored),
    ]
    return Schedule(tuple(builder.steps), end + 1, _latency(p, end + 1))


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
    step = to_bus(engine) + engine.bus_cycles
    rest = cycles - p.n * (step + engine.latency + engine.fold_cycles) - engine.latency - engine.fold_cycles - p.n
    return f"n(G + L + F + 1) + L + F{f' + {rest}' if rest else ''}"

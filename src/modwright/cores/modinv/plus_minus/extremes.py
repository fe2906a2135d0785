# SPDX-License-Identifier: Apache-2.0
"""Numbers inside plus-minus inversion: passes, U and V, divisors and factors."""

from __future__ import annotations

from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....engines.inversion.edges import SAMPLE, UNITS, candidates, value_of
from ....engines.plus_minus import Flow, factor
from ....schedule import Schedule
from .parameters import PassParameters


def extremes(p: PassParameters, schedule: Schedule) -> Extremes:
    """Extremes of an inverter by plus-minus passes."""
    del schedule
    largest = max(p.kind.divisors)
    quantities = (
        Quantity("passes", 0, p.most_passes, "certificate `passes`"),
        Quantity("V3/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P, rounded down; |V3| <= 2P"),
        Quantity("V1/P", -UNITS, UNITS, f"in {UNITS}ths of P, rounded down; certificate `range-plus-minus`"),
        Quantity("D", min(p.kind.divisors), largest, "divisors of a pass"),
        Quantity("f", 1 - -(-largest // 2), largest // 2, "multiples of P that make V1 divisible"),
    )

    def observe(operands: Operands) -> Values:
        return _passes(p, value_of(p.base, operands["a"]), value_of(p.base, operands["r"]) if p.blind else 1)

    return Extremes(quantities, observe, lambda: candidates(p.base, p.modulus, blind=p.blind), SAMPLE)


def _passes(p: PassParameters, a: int, start: int) -> Values:
    """V3 and V1 after each pass."""
    P, flow, U1, V1 = p.modulus, Flow(p.kind, p.modulus, a), 0, start
    found: dict[str, list[int]] = {"V3/P": [a * UNITS // P], "V1/P": [start * UNITS // P], "D": [], "f": []}
    while not flow.done:
        step = flow.step()
        total = V1 + step.sign * U1
        if step.swap:
            U1 = V1
        f = factor(total, step.divisor, P)
        V1 = (total + f * P) // step.divisor
        for name, value in (("V3/P", flow.V3 * UNITS // P), ("V1/P", V1 * UNITS // P), ("D", step.divisor), ("f", f)):
            found[name].append(value)
    return {**found, "passes": (len(found["D"]),)}

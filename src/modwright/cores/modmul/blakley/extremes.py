# SPDX-License-Identifier: Apache-2.0
"""The sum of a step, the one number of a product that no result shows."""

from __future__ import annotations

from ....contract import integer
from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .model import steps
from .parameters import BlakleyParameters


def extremes(p: BlakleyParameters, schedule: Schedule) -> Extremes:
    """Range of 2s + x_i·y, 0 to 3·(p-1).

    For x = 3 and y = p - 1, s is p - 1 after the first one of x, and the next one adds p - 1 to 2s.
    """
    del schedule
    possible, why = ((0, 4), "x = 3 is not below p = 3") if p.modulus == 3 else (None, "")
    total = Quantity("2s + x_i·y", 0, p.most, "certificate `sum`", possible, why)

    def observe(operands: Operands) -> Values:
        x, y = integer(operands["x"]), integer(operands["y"])
        return {total.name: [value for value, _ in steps(p, x, y)]} if max(x, y) < p.modulus else {}

    last = p.modulus - 1
    return Extremes((total,), observe, lambda: [{"x": 0, "y": 0}, {"x": min(3, last), "y": last}])

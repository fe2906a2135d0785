# SPDX-License-Identifier: Apache-2.0
"""The sum before the subtraction, the one number of an addition that no result shows."""

from __future__ import annotations

from ....contract import integer
from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .parameters import AdderParameters


def extremes(p: AdderParameters, schedule: Schedule) -> Extremes:
    """Range of the sum: 0 to 2·(p-1)."""
    del schedule
    total = Quantity("x + y", 0, p.most, "certificate `sum`")

    def observe(operands: Operands) -> Values:
        x, y = integer(operands["x"]), integer(operands["y"])
        return {total.name: [x + y]} if max(x, y) < p.modulus else {}

    last = p.modulus - 1
    return Extremes((total,), observe, lambda: [{"x": 0, "y": 0}, {"x": last, "y": last}])

# SPDX-License-Identifier: Apache-2.0
"""The number before the reduction, the one number of a unit that no result shows."""

from __future__ import annotations

from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....functions.unit import NEUTRAL
from ....schedule import Schedule
from .model import operands_of
from .parameters import UnitParameters


def extremes(p: UnitParameters, schedule: Schedule) -> Extremes:
    """Range of the result: 0 to the largest product, sum or operand."""
    del schedule
    number = Quantity("before the reduction", 0, p.most, "certificate `range`")

    def observe(operands: Operands) -> Values:
        return {number.name: [p.combine(*operands_of(operands))]}

    own = {field.name for field in p.i.fields}
    last = p.operand_limit - 1
    ends = [dict.fromkeys(own, end) | {n: v for n, v in NEUTRAL.items() if n not in own} for end in (0, last)]
    return Extremes((number,), observe, lambda: ends)

# SPDX-License-Identifier: Apache-2.0
"""Golden model of the modular adder."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue, integer
from ....schedule import Schedule
from .parameters import AdderParameters


def added(p: AdderParameters, x: int, y: int) -> int:
    """Sum x + y less the multiple of p that the hardware subtracts."""
    return x + y - min((x + y) // p.modulus, p.subtractions) * p.modulus


class AdderModel:
    """Results of the core, bit for bit, and their cycle."""

    def __init__(self, p: AdderParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One sum; x and y are any numbers of their fields."""
        x, y = integer(operands["x"]), integer(operands["y"])
        error = max(x, y) >= self.p.modulus
        return Outcome({"z": 0 if error else added(self.p, x, y), "error": int(error)}, self.schedule.latency)

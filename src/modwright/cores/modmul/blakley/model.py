# SPDX-License-Identifier: Apache-2.0
"""Golden model of interleaved multiplication, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue, integer
from ....schedule import Schedule
from .parameters import BlakleyParameters


def steps(p: BlakleyParameters, x: int, y: int) -> list[tuple[int, int]]:
    """Sums 2s + x_i·y, each with s after the subtractions, from the top bit of x down."""
    s, found = 0, list[tuple[int, int]]()
    for bit in reversed(range(p.width)):
        total = 2 * s + (x >> bit & 1) * y
        s = total - min(total // p.modulus, p.subtractions) * p.modulus
        found.append((total, s))
    return found


class BlakleyModel:
    """Results of the core, bit for bit, and their cycle."""

    def __init__(self, p: BlakleyParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; x and y are any numbers of their fields."""
        x, y = integer(operands["x"]), integer(operands["y"])
        error = max(x, y) >= self.p.modulus
        z = 0 if error else steps(self.p, x, y)[-1][1]
        return Outcome({"z": z, "error": int(error)}, self.schedule.latency)

# SPDX-License-Identifier: Apache-2.0
"""Golden model of both binary multipliers: the output is canonical, so it is the function itself."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....contract.fixed_modulus import FixedModulus
from ....schedule import Schedule


class BinaryModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: FixedModulus, schedule: Schedule) -> None:
        self.modulus, self.schedule = p.modulus, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; x and y are any numbers of their fields."""
        x, y = operands["x"], operands["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        malformed = x >= self.modulus or y >= self.modulus
        z = 0 if malformed else x * y % self.modulus
        return Outcome({"z": z, "error": int(malformed)}, self.schedule.latency)

# SPDX-License-Identifier: Apache-2.0
"""Golden model of both binary multipliers: the output is canonical, so it is the function itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule


class HasModulus(Protocol):
    """Parameters of either multiplier."""

    @property
    def p(self) -> int:
        """The modulus."""
        ...


class BinaryModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: HasModulus, schedule: Schedule) -> None:
        self.p, self.schedule = p.p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; x and y are any numbers of their fields."""
        x, y = operands["x"], operands["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        malformed = x >= self.p or y >= self.p
        z = 0 if malformed else x * y % self.p
        return Outcome({"z": z, "error": int(malformed)}, self.schedule.latency)

# SPDX-License-Identifier: Apache-2.0
"""Golden model: the two bits, from the digits that the rowers find."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....engines.coxrower.digits import digits_of_residues
from ....schedule import Schedule
from .parameters import MINUS, PLUS, ComparisonParameters


class ComparisonModel:
    """Two numbers in residues to two bits."""

    def __init__(self, p: ComparisonParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One comparison."""
        digits = self.digits(operands)
        less, equal = digits[-1] >= self.p.limit_digit, not any(digits)
        return Outcome({"less": int(less), "equal": int(equal), "error": 0}, self.schedule.latency)

    def digits(self, operands: Mapping[str, PayloadValue]) -> tuple[int, ...]:
        """The digits of x - y modulo A, from the steps of the rowers."""
        p, x, y = self.p, operands["x"], operands["y"]
        assert isinstance(x, tuple)
        assert isinstance(y, tuple)
        factors = p.engine.factors
        sums = [a * c + b * d for a, b, c, d in zip(x, y, factors[PLUS], factors[MINUS], strict=True)]
        return digits_of_residues(p.engine, p.factors, p.engine.reduce(0, sums))

# SPDX-License-Identifier: Apache-2.0
"""Golden model: outputs of the core, bit for bit, with the folds of the rowers."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....contract.fixed_modulus import NOT_REDUCED
from ....engines.coxrower.digits import digits_of_residues
from ....rns import mixed_radix
from ....schedule import Schedule
from .parameters import MixedRadixParameters


class MixedRadixModel:
    """Residues in A to digits, and digits to residues in B."""

    def __init__(self, p: MixedRadixParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One extension."""
        p = self.p
        digits = self.digits(operands)
        if not mixed_radix.below(digits, p.limit_digits):
            return Outcome({"z": (0,) * p.n, "error": NOT_REDUCED}, self.schedule.latency)
        *others, last = digits
        z = p.engine.extend(0, (last, *others))
        canonical = tuple(value % b for value, b in zip(z, p.B.moduli, strict=True))
        return Outcome({"z": canonical, "error": 0}, self.schedule.latency)

    def digits(self, operands: Mapping[str, PayloadValue]) -> tuple[int, ...]:
        """The digits of X, from the steps of the rowers."""
        p, x = self.p, operands["x"]
        assert isinstance(x, tuple)
        return digits_of_residues(p.engine, p.factors, p.engine.reduce(0, x))

# SPDX-License-Identifier: Apache-2.0
"""Golden model: outputs of the core, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import ExtensionParameters


class ExtensionModel:
    """Algorithms 1 and 2: residues in A to residues in B."""

    def __init__(self, p: ExtensionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One extension."""
        z = self.p.engine.extend(0, self.hats(operands))
        canonical = tuple(value % b for value, b in zip(z, self.p.B.moduli, strict=True))
        return Outcome({"z": canonical, "error": 0}, self.schedule.latency)

    def hats(self, operands: Mapping[str, PayloadValue]) -> tuple[int, ...]:
        """Residues of X, any representatives."""
        x = operands["x"]
        assert isinstance(x, tuple)
        return self.p.engine.reduce(0, [a * t for a, t in zip(x, self.p.A.inverses, strict=True)])

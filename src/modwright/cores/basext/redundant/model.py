# SPDX-License-Identifier: Apache-2.0
"""Golden model: outputs of the core, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import RedundantParameters


class RedundantModel:
    """Residues in A and modulo 2^w to residues in B."""

    def __init__(self, p: RedundantParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One extension."""
        hats, h = self.inside(operands)
        z = self.p.engine.extend(0, hats, h=h)
        canonical = tuple(value % b for value, b in zip(z, self.p.B.moduli, strict=True))
        return Outcome({"z": canonical, "error": 0}, self.schedule.latency)

    def inside(self, operands: Mapping[str, PayloadValue]) -> tuple[tuple[int, ...], int]:
        """Hats of X, any representatives, and h."""
        x = operands["x"]
        assert isinstance(x, tuple)
        *residues, redundant = x
        hats = self.p.engine.reduce(0, [a * t for a, t in zip(residues, self.p.A.inverses, strict=True)])
        return hats, self.p.extension.quotient(hats, redundant)

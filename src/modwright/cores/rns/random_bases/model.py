# SPDX-License-Identifier: Apache-2.0
"""Golden model: the multiplication between the bases of the draw, with the folds of the rowers."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue, integer
from ....schedule import Schedule
from .parameters import RandomBasesParameters


class RandomBasesModel:
    """Operands and result in both bases of the draw, as hats in B."""

    def __init__(self, p: RandomBasesParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        number = integer(operands["draw"])
        part = self.p.drawn[number]
        _, s = part.hats(operands)
        z = (*part.engine.extend(1, s), *s)
        return Outcome({"z": z, "drawn": number, "error": 0}, self.schedule.latency)

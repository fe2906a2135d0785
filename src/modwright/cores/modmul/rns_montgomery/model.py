# SPDX-License-Identifier: Apache-2.0
"""Golden model: outputs of the core, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import MultiplierParameters


class MultiplierModel:
    """Algorithm 3, reordered: operands and result in both bases, as hats in B."""

    def __init__(self, p: MultiplierParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product, or sum of products."""
        p = self.p
        _, s = p.hats(operands)
        if p.exact:
            return Outcome({"z": p.conversion.apply(s), "error": 0}, self.schedule.latency)
        return Outcome({"z": (*p.engine.extend(1, s), *p.stored(s)), "error": 0}, self.schedule.latency)

# SPDX-License-Identifier: Apache-2.0
"""Golden model: what the core outputs, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue, integer
from ....contract.runtime_modulus import BAD_MODULUS
from ....schedule import Schedule
from .parameters import RuntimeParameters


class RuntimeModel:
    """Algorithm 3 in its order, with whatever words come next to P."""

    def __init__(self, p: RuntimeParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        p, m = self.p, integer(operands["m"])
        if m % 2 == 0 or m < p.modulus_role.least:
            payload = {"z": (0,) * (2 * p.n), "modulus": m, "error": BAD_MODULUS}
            return Outcome(payload, self.schedule.latency)
        _, s = p.hats(operands)
        return Outcome({"z": (*p.engine.extend(1, s), *s), "modulus": m, "error": 0}, self.schedule.latency)

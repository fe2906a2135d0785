# SPDX-License-Identifier: Apache-2.0
"""Inversion by Fermat's theorem with the multiplier's model."""

from __future__ import annotations

from collections.abc import Mapping

from ...contract import Outcome, PayloadValue
from ...schedule import Schedule
from .parameters import NOT_INVERTIBLE, FermatParameters


class FermatModel:
    """Golden model over the multiplier's own."""

    def __init__(self, p: FermatParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        self.inner = p.core.model(p.inner, p.schedule)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One inversion."""
        p, memory = self.p, {0: operands["a"]}
        z = memory[0]
        for instruction in p.program:
            z = self.inner.run({"x": memory[instruction.x], "y": memory[instruction.y]}).payload["z"]
            memory[instruction.into] = z
        assert isinstance(z, tuple)
        bad = p.inner.A.from_residues(z[: p.n]) % p.modulus == 0
        payload: dict[str, PayloadValue] = {"z": (0,) * len(z) if bad else z, "error": NOT_INVERTIBLE if bad else 0}
        return Outcome(payload, self.schedule.latency)

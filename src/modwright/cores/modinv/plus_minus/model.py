# SPDX-License-Identifier: Apache-2.0
"""Plus-minus inversion in plain integers: the result, and the number of passes."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....engines.inversion.parameters import NOT_INVERTIBLE
from ....engines.plus_minus import invert
from ....schedule import Schedule
from .parameters import PassParameters
from .schedule import parts_in


class PassModel:
    """Golden model."""

    def __init__(self, p: PassParameters, schedule: Schedule) -> None:
        self.p, self.schedule, self.parts = p, schedule, parts_in(schedule)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One inversion."""
        p = self.p
        a, start = self._value(operands["a"]), 1
        if p.blind:
            start = self._value(operands["r"])
        z, passes = invert(p.kind, p.modulus, a, start)
        residues = (0,) * p.n if z is None else p.base.to_residues(z)
        payload: dict[str, PayloadValue] = {"z": residues, "error": NOT_INVERTIBLE if z is None else 0}
        return Outcome(payload, self.parts.cycles(passes))

    def _value(self, residues: PayloadValue) -> int:
        assert isinstance(residues, tuple)
        return self.p.base.from_residues(residues)

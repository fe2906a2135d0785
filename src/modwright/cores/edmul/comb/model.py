# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, and the inversion by iterations."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....engines.ladder.model import FieldModel
from ....schedule import Schedule
from .parameters import CombParameters
from .plan.formulas import STATE, exit_, setup, step
from .plan.table import FIELDS


class CombModel(FieldModel[CombParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: CombParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        p = self.p
        field = self.field_of(p.modulus)
        values = field.values = {"K": p.curve.a * p.one % p.modulus, "unit": p.one}
        field.run(self._setup)
        values |= {name: values[f"{name}0"] for name in STATE}
        for column in reversed(range(p.columns)):
            bits = sum((given["k"] >> row * p.columns + column & 1) << row for row in range(p.teeth))
            values |= dict(zip(FIELDS, p.table[len(FIELDS) * bits :], strict=False))
            field.run(self._step)
            values |= {name: values[f"{name}'"] for name in STATE}
        field.run(self._exit)
        return {"x": values["xr"], "y": values["yr"], "error": 0}

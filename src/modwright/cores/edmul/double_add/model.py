# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, and the inversion by iterations.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS
from ....engines.ladder.model import FieldModel
from ....schedule import Schedule
from .parameters import OFF_CURVE, EdmulParameters
from .plan.formulas import CURVE, GIVEN, KEPT, POINT, STATE, exit_, setup, step


class EdmulModel(FieldModel[EdmulParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: EdmulParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        error, (x, y) = self._result(given)
        return {"x": x, "y": y, "error": error}

    def _result(self, given: Mapping[str, int]) -> tuple[int, tuple[int, int]]:
        """Error code, and coordinates."""
        m = given["m"]
        if m % 2 == 0 or m < SMALLEST_MODULUS:
            return BAD_MODULUS, (0, 0)
        if any(given[name] >= m for name in (*POINT, *CURVE)):
            return OUT_OF_RANGE, (0, 0)
        field = self.field_of(m)
        field.values = {name: given[name] for name in GIVEN}
        field.run(self._setup)
        values = field.values
        values |= {name: values[f"{name}0"] for name in (*STATE, *KEPT)}
        for at in reversed(range(self.p.n)):
            field.flags["now"] = bool(given["k"] >> at & 1)
            field.run(self._step)
            values |= {name: values[f"{name}'"] for name in STATE}
        field.run(self._exit)
        if not field.flags["on_curve"]:
            return OFF_CURVE, (0, 0)
        return 0, (values["xr"], values["yr"])

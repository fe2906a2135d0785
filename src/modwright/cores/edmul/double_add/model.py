# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, and the inversion by iterations.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....engines.ladder.field import Field
from ....schedule import Schedule
from .parameters import BAD_MODULUS, OFF_CURVE, OUT_OF_RANGE, SMALLEST_MODULUS, EdmulParameters
from .plan.formulas import CURVE, GIVEN, KEPT, POINT, STATE, exit_, setup, step


class EdmulModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: EdmulParameters, schedule: Schedule) -> None:
        self.p = p
        self._latency = schedule.latency
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        error, (x, y) = self._result(given)
        return Outcome({"x": x, "y": y, "error": error}, self._latency)

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

    def field_of(self, m: int) -> Field:
        """The operations modulo m of one point multiplication."""
        return Field(m, self.p.T)

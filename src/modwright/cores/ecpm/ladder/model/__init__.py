# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, the inversion by iterations, the ladder's position by its rules.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² or a wrong order gives the
core's result. For a modulus that is not prime the inverse is that of the iterations.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.field import Field
from .....engines.ladder.model import FieldModel
from .....schedule import Schedule
from ..parameters import EcpmParameters
from ..plan.formulas import BLIND, GIVEN, exit_, setup, step
from ..plan.ladder import lifted_scalar
from .common import PointModel


class EcpmModel(PointModel[Field], FieldModel[EcpmParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    p: EcpmParameters

    def __init__(self, p: EcpmParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(p.blinding), step(p.sums), exit_(p.sums)

    def setup(self, given: Mapping[str, int]) -> Field:
        """Run checks and set-up, which leave the first state."""
        field = self.field_of(given["m"])
        field.values = {name: given[name] for name in (*GIVEN, BLIND) if name in given}
        field.run(self._setup)
        return field

    def scalar(self, given: Mapping[str, int]) -> int:
        """Bits of k' below its first one."""
        if self.p.lifts_scalar:
            return lifted_scalar(given["k"], given["order"], self.p.order_bits)
        return super().scalar(given)

    def step(self, field: Field) -> None:
        """Run a step of the ladder."""
        field.run(self._step)

    def exit(self, field: Field, given: Mapping[str, int]) -> tuple[int, int]:
        """Run the inversion and the products with the inverse; affine x and y."""
        del given
        field.run(self._exit)
        return field.values["x_out"], field.values["y_out"]

# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers modulo the order and modulo p, and the inversion by iterations.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS
from ....engines.ladder.field import Field
from ....engines.ladder.joint.parameters import SMALLEST_ORDER
from ....engines.ladder.model import FieldModel
from ....functions.eddsa import COMBINE
from ....functions.signature import SIGN, VERIFY
from ....schedule import Schedule
from .parameters import OFF_CURVE, UNVERIFIED, EddsaParameters
from .plan.formulas import BASE, CURVE, GIVEN, PUBLIC, STATE, exit_, setup, step


class EddsaModel(FieldModel[EddsaParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: EddsaParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        error, first, second, valid = self._result(given)
        return {"first": first, "second": second, "accepted": int(valid), "error": error}

    def _result(self, given: Mapping[str, int]) -> tuple[int, int, int, bool]:
        """Error code, both numbers, and whether the signature is valid."""
        m, order, op = given["m"], given["order"], given["op"]
        if m % 2 == 0 or m < SMALLEST_MODULUS or order % 2 == 0 or order < SMALLEST_ORDER:
            return BAD_MODULUS, 0, 0, False
        if any(given[name] >= m for name in (*CURVE, *BASE, *PUBLIC)) or op > VERIFY:
            return OUT_OF_RANGE, 0, 0, False
        field, integers = self.field_of(m), Field(order, self.p.T)
        values = field.values = integers.values = {name: given[name] for name in GIVEN}
        for arithmetic in (field, integers):
            arithmetic.flags |= {"sign": op == SIGN, "checked": op != COMBINE}
        integers.run(self._setup[0])
        field.run(self._setup[1])
        scalar = values["k_out"] if op == COMBINE else values["s_out"]
        for at in reversed(range(self.p.n)):
            field.flags["now"] = (scalar >> at & 1) + 2 * (given["h"] >> at & 1)
            field.run(self._step)
            values |= {name: values[f"{name}'"] for name in STATE}
        field.run(self._exit)
        if not field.flags["on_curve"]:
            return OFF_CURVE, 0, 0, False
        if op == COMBINE:
            return 0, values["first_out"], values["second_out"], False
        right = given["ry"] < m and bool(field.flags["equal"]) and (values["x_out"] & 1) == given["rs"]
        if op == VERIFY:
            return 0, 0, 0, right and given["s"] < order
        return (0, values["first_out"], 0, False) if right else (UNVERIFIED, 0, 0, False)

# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers modulo the order and modulo p, and the inversions by iterations.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....contract import PayloadValue
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS
from ....engines.ladder.field import Field
from ....engines.ladder.joint.parameters import SMALLEST_ORDER
from ....engines.ladder.model import FieldModel
from ....functions.ecdsa import KEYGEN
from ....functions.signature import SIGN, VERIFY
from ....schedule import Schedule
from .parameters import OFF_CURVE, UNVERIFIED, ZERO, EcdsaParameters
from .plan.formulas import BASE, CURVE, GIVEN, PUBLIC, STATE, exit_, setup, step


@dataclass(frozen=True)
class Pass:
    """One run of the program: error code, the two numbers, and whether r is that of the point."""

    error: int
    first: int = 0
    second: int = 0
    equal: bool = False


class EcdsaModel(FieldModel[EcdsaParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: EcdsaParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        op = given["op"]
        if op == KEYGEN:
            given = {**given, "k": given["d"]}
        found = self._pass(given, verifying=op == VERIFY)
        error = found.error
        if self.p.check and op == SIGN and not error:
            again = self._pass({**given, "r": found.first, "s": found.second}, verifying=True)
            error = 0 if again.equal else UNVERIFIED
        keep = not error and op != VERIFY
        return {
            "first": found.first if keep else 0,
            "second": found.second if keep else 0,
            "accepted": int(op == VERIFY and not error and found.equal),
            "error": error,
        }

    def _pass(self, given: Mapping[str, int], *, verifying: bool) -> Pass:
        m, order, op = given["m"], given["order"], given["op"]
        if m % 2 == 0 or m < SMALLEST_MODULUS or order % 2 == 0 or order < SMALLEST_ORDER:
            return Pass(BAD_MODULUS)
        public = verifying or (self.p.check and op == SIGN)
        scalars = ("r", "s") if verifying else ("d", "k")
        below = all(given[name] < m for name in (*BASE, *CURVE, *(PUBLIC if public else ())))
        inside = all(0 < given[name] < order for name in scalars)
        if not below or not (inside or verifying) or op > VERIFY:
            return Pass(OUT_OF_RANGE)
        field, integers = self.field_of(m), Field(order, self.p.T)
        values = field.values = integers.values = {name: given[name] for name in GIVEN}
        integers.flags |= {"verify": verifying, "sign": op == SIGN}
        integers.run(self._setup[0])
        field.run(self._setup[1])
        for at in reversed(range(self.p.n)):
            field.flags["now"] = (values["u1_out"] >> at & 1) + 2 * (values["u2_out"] >> at & 1)
            field.run(self._step)
            values |= {name: values[f"{name}'"] for name in STATE}
        field.run(self._exit[0])
        integers.run(self._exit[1])
        if public and not field.flags["on_curve"]:
            return Pass(OFF_CURVE)
        flags = integers.flags
        if op == SIGN and not verifying and (flags["rr_zero"] or flags["ss_zero"]):
            return Pass(ZERO)
        return Pass(0, values["first_out"], values["second_out"], inside and bool(flags["equal"]))

# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, the inversion by iterations, and the decoding of k and u.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS
from ....engines.ladder.field import Field
from ....engines.ladder.model import FieldModel
from ....schedule import Schedule
from .parameters import ZERO, XmulParameters
from .plan.formulas import EXCHANGED, GIVEN, KEPT, STATE, exit_, setup, step


class XmulModel(FieldModel[XmulParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: XmulParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(), step(), exit_()

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        error, z = self._result(given)
        return {"z": z, "error": error}

    def _result(self, given: Mapping[str, int]) -> tuple[int, int]:
        """Error code, and z."""
        m = given["m"]
        if m % 2 == 0 or m < SMALLEST_MODULUS:
            return BAD_MODULUS, 0
        if given["a24"] >= m:
            return OUT_OF_RANGE, 0
        mask = (1 << m.bit_length()) - 1
        field = self.field_of(m)
        field.values = {name: given[name] for name in GIVEN} | {"u": given["u"] & mask}
        field.run(self._setup)
        values = field.values
        values |= {name: values[f"{name}0"] for name in (*STATE, *KEPT)}
        bits = decoded(given["k"] & ((1 << self.p.n) - 1), given["clamp"], mask)
        for at in reversed(range(self.p.n)):
            self._one_step(field, bool(bits >> at & 1))
        field.run(self._exit)
        z = values["z"]
        return (0, z) if z else (ZERO, 0)

    def _one_step(self, field: Field, exchanged: bool) -> None:
        values = field.values
        if exchanged:
            values |= _exchange(values)
        field.run(self._step)
        values |= {name: values[f"{name}'"] for name in STATE}
        if exchanged:
            values |= _exchange(values)


def decoded(k: int, clamp: int, mask: int) -> int:
    """The scalar with its lowest bits cleared and its highest one set, unless `clamp` is 0."""
    return k & mask >> clamp << clamp | mask ^ mask >> 1 if clamp else k


def _exchange(values: Mapping[str, int]) -> dict[str, int]:
    """Exchange of Q and R."""
    names = {one: other for pair in EXCHANGED for one, other in (pair, pair[::-1])}
    return {name: values[other] for name, other in names.items()}

# SPDX-License-Identifier: Apache-2.0
"""Golden model: the graphs on plain integers, the inversion by iterations, the ladder's position by its rules.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² or an order that is none gives the
core's result. For a modulus that is no prime the inverse is that of the iterations.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import PayloadValue
from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, SMALLEST_MODULUS
from .....engines.ladder.field import Field
from .....engines.ladder.model import FieldModel
from .....schedule import Schedule
from ..parameters import EcpmParameters
from ..parameters.operands import OFF_CURVE
from ..plan.formulas import BLIND, CURVE, EXCHANGED, GIVEN, POINT, STATE, exit_, setup, step
from ..plan.ladder import Mode, begin, reduced_scalar


class EcpmModel(FieldModel[EcpmParameters]):
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: EcpmParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule)
        self._setup, self._step, self._exit = setup(p.blinding), step(p.sums), exit_(p.sums)

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        error, point, infinity = self._result(given)
        x, y = point
        return {"x": x, "y": y, "infinity": int(infinity), "error": error}

    def _result(self, given: Mapping[str, int]) -> tuple[int, tuple[int, int], bool]:
        """Error code, coordinates, and whether the result is at infinity."""
        nothing = (0, 0)
        m = given["m"]
        if m % 2 == 0 or m < SMALLEST_MODULUS or given["order"] == 0:
            return BAD_MODULUS, nothing, False
        checked = [*CURVE, *([] if given["infinity"] else POINT), *([BLIND] if BLIND in given else [])]
        if any(given[name] >= m for name in checked) or given.get(BLIND) == 0:
            return OUT_OF_RANGE, nothing, False
        if given["infinity"]:
            return 0, nothing, True
        field = self.field_of(m)
        field.values = {name: given[name] for name in (*GIVEN, BLIND) if name in given}
        field.run(self._setup)
        mode, mirror = self._ladder(field, given["k"], given["order"])
        flags = field.flags
        flags["mirror"] = mirror
        flags["direct"] = mode is Mode.NOTHING or (mode is Mode.FRESH and flags["x_zero"] and flags["a_zero"])
        flags["negate"] = mode is Mode.NOTHING and mirror
        field.run(self._exit)
        if not flags["on_curve"]:
            return OFF_CURVE, nothing, False
        if mode is Mode.NOTHING and not mirror:
            return 0, nothing, True
        return 0, (field.values["x_out"], field.values["y_out"]), False

    def _ladder(self, field: Field, k: int, order: int) -> tuple[Mode, bool]:
        """All steps; the state is in `field.values`."""
        flags, values = field.flags, field.values
        fresh = {name: values[f"{name}0"] for name in STATE}
        state = fresh
        position = begin(False, bool(flags["y_zero"]))
        g_zero = flags["g0_zero"]
        bits = reduced_scalar(k, order, self.p.order_bits)
        for at in reversed(range(self.p.order_bits)):
            bit = bool(bits >> at & 1)
            exchanged = position.exchanged(bit)
            if position.mode is Mode.FRESH:
                state, g_zero = fresh, flags["g0_zero"]
            values |= _exchange(state) if exchanged else state
            field.run(self._step)
            h_zero, y_zero = (bool(flags[name]) for name in ("h_zero", "y_zero"))
            position = position.after(bit, g_zero=bool(g_zero), h_zero=h_zero, y_zero=y_zero)
            g_zero = flags["g_zero"]
            state = {name: values[f"{name}'"] for name in STATE}
            state = _exchange(state) if exchanged else state
        values |= fresh if position.mode is Mode.FRESH else state
        return position.mode, position.mirror


def _exchange(state: Mapping[str, int]) -> dict[str, int]:
    """Exchange of Q and R."""
    names = {one: other for pair in EXCHANGED for one, other in (pair, pair[::-1])}
    return {name: state[names.get(name, name)] for name in state}

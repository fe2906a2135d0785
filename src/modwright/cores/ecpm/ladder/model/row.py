# SPDX-License-Identifier: Apache-2.0
"""Golden model over a row multiplier: the graphs in the integers of its words, the ladder's position by its rules."""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Outcome, PayloadValue
from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, is_bad
from .....engines.row.model import RowField, quotient
from .....schedule import Schedule
from ..parameters.operands import OFF_CURVE
from ..parameters.row import RowLadderParameters
from ..plan.formulas import CURVE, POINT
from ..plan.ladder import Mode, begin, reduced_scalar
from ..plan.row.formulas import EXCHANGED, GRAPHS, POWER_CARRIED, STATE


class RowLadderModel:
    """Golden model: the outputs of the core bit for bit, and their cycles, the same for every operand.

    Attributes
    ----------
    p : RowLadderParameters
    last : RowField or None
        Values of the last operation; None where an error came before.
    """

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        self.last: RowField | None = None
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        self.last = None
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        error, (x, y), infinity = self._result(given)
        return Outcome({"x": x, "y": y, "infinity": int(infinity), "error": error}, self._latency)

    def _result(self, given: Mapping[str, int]) -> tuple[int, tuple[int, int], bool]:
        """Error code, coordinates, and whether the result is at infinity."""
        nothing, m = (0, 0), given["m"]
        if is_bad(m) or given["order"] == 0:
            return BAD_MODULUS, nothing, False
        checked = [*CURVE, *([] if given["infinity"] else POINT)]
        if any(given[name] >= m for name in checked):
            return OUT_OF_RANGE, nothing, False
        if given["infinity"]:
            return 0, nothing, True
        field = self._begin(given)
        mode, mirror = self._ladder(field, given["k"], given["order"])
        flags = field.flags
        flags["mirror"] = mirror
        flags["direct"] = mode is Mode.NOTHING or (mode is Mode.FRESH and flags["x_zero"] and flags["a_zero"])
        flags["negate"] = mode is Mode.NOTHING and mirror
        self._end(field, given["m"])
        if not flags["on_curve"]:
            return OFF_CURVE, nothing, False
        if mode is Mode.NOTHING and not mirror:
            return 0, nothing, True
        x, y = (0 if flags[f"{name}_none"] else self._quotient(field, given, name) for name in "xy")
        return 0, (x, y), False

    def _begin(self, given: Mapping[str, int]) -> RowField:
        """Operands in words, checks, and the first state."""
        field = RowField(self.p.row, given["m"], (given["mk"] << self.p.row.K) - 1)
        self.last = field
        field.values = {name: given[name] for name in (*POINT, *CURVE, "r2", "t", "m")}
        field.values |= {"mK": given["mk"] << self.p.row.K, "one": 1}
        field.run(GRAPHS["begin"])
        field.lifted()
        field.run(GRAPHS["set-up"])
        return field

    def _end(self, field: RowField, m: int) -> None:
        """Inversion, and the coordinates times t."""
        field.run(GRAPHS["exit"], {"S0": "S", "A0": "A"})
        for at in range(self.p.n):
            field.flags["e_bit"] = bool((m - 2) >> at & 1)
            field.run(GRAPHS["power"], {made: name for name, made in POWER_CARRIED.items()})
        field.run(GRAPHS["end"])

    def _quotient(self, field: RowField, given: Mapping[str, int], name: str) -> int:
        return quotient(field.values[f"{name}_out"], given["t"], self.p.n)

    def _ladder(self, field: RowField, k: int, order: int) -> tuple[Mode, bool]:
        """All steps; the state is in `field.values`."""
        flags, values = field.flags, field.values
        fresh = {name: values[f"{name}0"] for name in STATE}
        state, position, g_zero = fresh, begin(False, flags["y_zero"]), flags["g0_zero"]
        bits = reduced_scalar(k, order, self.p.order_bits)
        for at in reversed(range(self.p.order_bits)):
            bit = bool(bits >> at & 1)
            exchanged = position.exchanged(bit)
            if position.mode is Mode.FRESH:
                state, g_zero = fresh, flags["g0_zero"]
            values |= _exchange(state) if exchanged else state
            field.run(GRAPHS["step"])
            position = position.after(bit, g_zero=g_zero, h_zero=flags["h_zero"], y_zero=flags["y_zero"])
            g_zero = flags["g_zero"]
            state = {name: values[f"{name}'"] for name in STATE}
            state = _exchange(state) if exchanged else state
        values |= fresh if position.mode is Mode.FRESH else state
        return position.mode, position.mirror


def _exchange(state: Mapping[str, int]) -> dict[str, int]:
    """Exchange of Q and R."""
    names = {one: other for pair in EXCHANGED for one, other in (pair, pair[::-1])}
    return {name: state[names.get(name, name)] for name in state}

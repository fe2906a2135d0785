# SPDX-License-Identifier: Apache-2.0
"""Golden model of a point multiplication: errors, the walk over the bits of the scalar, and the result.

What a field operation is, and how a result leaves its program, is for the subclass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar

from .....contract import PayloadValue
from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, is_bad
from ..parameters.operands import OFF_CURVE, EcpmOperands
from ..plan.formulas import BLIND, CURVE, EXCHANGED, POINT, STATE
from ..plan.ladder import Mode, Position, begin, reduced_scalar


class Values(Protocol):
    """Values and flags of one operation, by name."""

    values: dict[str, int]
    flags: dict[str, int]


F = TypeVar("F", bound=Values)


class PointModel(ABC, Generic[F]):
    """Output payload of an operation; a subclass runs the formulas.

    Attributes
    ----------
    p : EcpmOperands
    """

    p: EcpmOperands

    @abstractmethod
    def setup(self, given: Mapping[str, int]) -> F:
        """Run checks and set-up, which leave the first state."""
        ...

    @abstractmethod
    def step(self, field: F) -> None:
        """Run a step of the ladder."""
        ...

    @abstractmethod
    def exit(self, field: F, given: Mapping[str, int]) -> tuple[int, int]:
        """Run what follows the ladder; affine x and y."""
        ...

    def scalar(self, given: Mapping[str, int]) -> int:
        """Bits of k' below its first one."""
        return reduced_scalar(given["k"], given["order"], self.p.order_bits)

    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        error, (x, y), infinity = self._result(given)
        return {"x": x, "y": y, "infinity": int(infinity), "error": error}

    def _result(self, given: Mapping[str, int]) -> tuple[int, tuple[int, int], bool]:
        """Error code, coordinates, and whether the result is at infinity."""
        nothing, m = (0, 0), given["m"]
        if is_bad(m) or given["order"] == 0:
            return BAD_MODULUS, nothing, False
        checked = [*CURVE, *([] if given["infinity"] else POINT), *([BLIND] if BLIND in given else [])]
        if any(given[name] >= m for name in checked) or given.get(BLIND) == 0:
            return OUT_OF_RANGE, nothing, False
        if given["infinity"]:
            return 0, nothing, True
        field = self.setup(given)
        position = self._walk(field, self.scalar(given))
        mode, mirror, flags = position.mode, position.mirror, field.flags
        flags["mirror"] = mirror
        flags["direct"] = mode is Mode.NOTHING or (mode is Mode.FRESH and flags["x_zero"] and flags["a_zero"])
        flags["negate"] = mode is Mode.NOTHING and mirror
        point = self.exit(field, given)
        if not flags["on_curve"]:
            return OFF_CURVE, nothing, False
        if mode is Mode.NOTHING and not mirror:
            return 0, nothing, True
        return 0, point, False

    def _walk(self, field: F, scalar: int) -> Position:
        """Run all steps; the state is in `field.values`."""
        flags, values = field.flags, field.values
        fresh = {name: values[f"{name}0"] for name in STATE}
        state, position, g_zero = fresh, begin(False, bool(flags["y_zero"])), flags["g0_zero"]
        for at in reversed(range(self.p.order_bits)):
            bit = bool(scalar >> at & 1)
            exchanged = position.exchanged(bit)
            if position.mode is Mode.FRESH:
                state, g_zero = fresh, flags["g0_zero"]
            values |= _exchange(state) if exchanged else state
            self.step(field)
            h_zero, y_zero = (bool(flags[name]) for name in ("h_zero", "y_zero"))
            position = position.after(bit, g_zero=bool(g_zero), h_zero=h_zero, y_zero=y_zero)
            g_zero = flags["g_zero"]
            state = {name: values[f"{name}'"] for name in STATE}
            state = _exchange(state) if exchanged else state
        values |= fresh if position.mode is Mode.FRESH else state
        return position


def _exchange(state: Mapping[str, int]) -> dict[str, int]:
    """Q for R and R for Q."""
    names = {one: other for pair in EXCHANGED for one, other in (pair, pair[::-1])}
    return {name: state[names.get(name, name)] for name in state}

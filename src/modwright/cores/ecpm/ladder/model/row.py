# SPDX-License-Identifier: Apache-2.0
"""Golden model over a row multiplier: the graphs in the integers of its words, the ladder's position by its rules."""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Outcome, PayloadValue
from .....engines.row.model import RowField
from .....schedule import Schedule
from ..parameters.row import RowLadderParameters
from ..plan.formulas import CURVE, POINT
from ..plan.ladder import lifted_scalar
from ..plan.row.formulas import BATCH_CARRIED, GRAPHS, OFFERED
from .common import PointModel


class RowLadderModel(PointModel[RowField]):
    """Golden model: the outputs of the core bit for bit, and their cycles, the same for every operand.

    Attributes
    ----------
    p : RowLadderParameters
    last : RowField or None
        Values of the last operation; None where an error came before.
    """

    p: RowLadderParameters

    def __init__(self, p: RowLadderParameters, schedule: Schedule) -> None:
        self.p = p
        self.last: RowField | None = None
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        self.last = None
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        return Outcome(self.outputs(given), self._latency)

    def setup(self, given: Mapping[str, int]) -> RowField:
        """Operands in words, checks, and the first state."""
        field = RowField(self.p.row, given["m"], (given["mk"] << self.p.row.K) - 1)
        self.last = field
        field.values = {name: given[name] for name in (*POINT, *CURVE, "r2", "t", "m")}
        field.values |= {"mK": given["mk"] << self.p.row.K, "one": 1, "shift": 1 << self.p.row.K}
        field.given = {name: field.values[name] for name in OFFERED}
        field.run(GRAPHS["set-up"])
        return field

    def scalar(self, given: Mapping[str, int]) -> int:
        """Bits of k' below its first one."""
        return lifted_scalar(given["k"], given["order"], self.p.order_bits)

    def step(self, field: RowField) -> None:
        """Run a step of the ladder."""
        field.run(GRAPHS["step"])

    def exit(self, field: RowField, given: Mapping[str, int]) -> tuple[int, int]:
        """Run the inverse, and what makes the coordinates; affine x and y, which leave times 2^K."""
        field.run(GRAPHS["exit"])
        field.unlifted()
        field.run(GRAPHS["prepare"])
        field.values["e"] = field.values["w"]
        for _ in range(self.p.batches):
            field.run(GRAPHS["batch"], {made: name for name, made in BATCH_CARRIED.items()})
        flags = field.flags
        flags["turned"] = flags["negate"] if flags["direct"] else field.divsteps.take_f(field.values["f"])
        field.run(GRAPHS["end"])
        field.unlifted()
        field.run(GRAPHS["last"])
        x, y = (field.values[f"{name}_out"] >> self.p.row.K for name in "xy")
        return x, y

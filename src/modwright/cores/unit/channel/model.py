# SPDX-License-Identifier: Apache-2.0
"""Golden model of a unit, and its codec."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ....contract import Outcome, PayloadValue, integer
from ....contract.codec import FieldCodec
from ....contract.operands import draw
from ....functions.unit import NEUTRAL
from ....schedule import Schedule
from .parameters import UnitParameters


def operands_of(operands: Mapping[str, PayloadValue]) -> tuple[int, int, int]:
    """x, y and t of a payload, with the neutral elements of those that the unit lacks."""
    y, t = (integer(operands.get(name, NEUTRAL[name])) for name in ("y", "t"))
    return integer(operands["x"]), y, t


class UnitModel:
    """Results of the core, bit for bit, and their cycle."""

    def __init__(self, p: UnitParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation; operands are any numbers in range."""
        z = self.p.reduce(self.p.combine(*operands_of(operands)))
        return Outcome({"z": z, "error": 0}, self.schedule.latency)


class UnitCodec(FieldCodec):
    """Operands by their roles; a case of the function has 1 or 0 for those that the unit lacks. A unit reports nothing,
    as in a channel operands are in range."""

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Operands below their limits."""
        assert self._built_in is not None
        limits = {operand.field.name: operand.limit({}, self._built_in) for operand in self.operands.values()}
        return {name: draw(rng, limit) for name, limit in limits.items()}

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Plain operands; ValueError for one that the unit lacks and the case has."""
        for name, value in NEUTRAL.items():
            if name not in self.operands and case.get(name, value) != value:
                raise ValueError(f"it has no {name}, and computes with {value} in its place, not {case[name]:#x}")
        return super().encode(case)

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case with the neutral element of each operand that the unit lacks."""
        lacking = {name: value for name, value in NEUTRAL.items() if name not in self.operands}
        return {**case, **lacking}

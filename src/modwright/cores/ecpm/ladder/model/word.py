# SPDX-License-Identifier: Apache-2.0
"""Golden model on limbs: the graphs in the integers of the words, the ladder's position by its rules."""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Outcome, PayloadValue
from .....engines.word.divsteps import LimbDivsteps
from .....engines.word.model import WordField
from .....schedule import Schedule
from ..parameters.word import WordLadderParameters
from ..plan.ladder import lifted_scalar
from ..plan.word.formulas import BATCH_CARRIED, EXTERNAL, GRAPHS
from .common import PointModel


class WordLadderModel(PointModel[WordField]):
    """Golden model: the outputs of the core bit for bit, and their cycles, the same for every operand.

    Attributes
    ----------
    p : WordLadderParameters
    last : WordField or None
        Values of the last operation; None where an error came before.
    """

    p: WordLadderParameters

    def __init__(self, p: WordLadderParameters, schedule: Schedule) -> None:
        self.p = p
        self.last: WordField | None = None
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        self.last = None
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        return Outcome(self.outputs(given), self._latency)

    def setup(self, given: Mapping[str, int]) -> WordField:
        """Operands in words, checks, and the first state."""
        self.last = field = WordField(self.p.words, given, LimbDivsteps(self.p.K, self.p.words.w))
        field.values = {name: given[name] for name in EXTERNAL if name in given} | self.p.constants_of_program
        field.run(GRAPHS["begin"])
        field.run(GRAPHS["set-up"])
        return field

    def scalar(self, given: Mapping[str, int]) -> int:
        """Bits of k' below its first one."""
        return lifted_scalar(given["k"], given["order"], self.p.order_bits)

    def step(self, field: WordField) -> None:
        """Run a step of the ladder."""
        field.run(GRAPHS["step"])

    def exit(self, field: WordField, given: Mapping[str, int]) -> tuple[int, int]:
        """Run the inverse and what follows it; affine x and y."""
        field.run(GRAPHS["exit"])
        field.signed = True
        field.run(GRAPHS["prepare"])
        for _ in range(self.p.batches):
            field.run(GRAPHS["batch"], {made: name for name, made in BATCH_CARRIED.items()})
        field.signed = False
        field.run(GRAPHS["end"])
        cut = (1 << self.p.n) - 1
        return field.values["x_out"] & cut, field.values["y_out"] & cut

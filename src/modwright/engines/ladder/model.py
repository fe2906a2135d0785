# SPDX-License-Identifier: Apache-2.0
"""Golden models of programs of field operations: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from ...contract import Outcome, PayloadValue
from ...schedule import Schedule
from .field import Field
from .parameters import FieldParameters

P = TypeVar("P", bound=FieldParameters)


class FieldModel(ABC, Generic[P]):
    """Golden model: the outputs of the core bit for bit, and their cycles, which are the same for every operand.

    Attributes
    ----------
    p : FieldParameters
    last : Field or None
        Field of the last operation, with what was inverted; None where an error came before.
    """

    def __init__(self, p: P, schedule: Schedule) -> None:
        self.p = p
        self.last: Field | None = None
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        self.last = None
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        return Outcome(self.outputs(given), self._latency)

    @abstractmethod
    def outputs(self, given: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Output payload of an operation."""
        ...

    def field_of(self, m: int) -> Field:
        """The operations modulo m of this operation."""
        self.last = Field(m, self.p.T)
        return self.last

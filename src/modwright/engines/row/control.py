# SPDX-License-Identifier: Apache-2.0
"""Control words of graphs that are placed on a row multiplier; see `machine` for the cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ladder.control import GraphWords
from ..ladder.dataflow import (
    BELOW,
    GIVEN,
    INTEGER,
    MARK,
    MULTIPLICATIONS,
    OUT,
    RUN,
    SUBTRACT,
    TAKE,
    ZERO,
)
from ..ladder.machine import Placed
from .machine import WRITTEN, RowMachine


@dataclass
class RowWords(GraphWords):
    """One graph with its words, and the writing of its control words.

    Parameters
    ----------
    modulus : int
        The word of M in the first part.
    given : mapping of str to int
        Numbers of what comes in.
    machine : RowMachine
        Machine on which the graph is placed.
    """

    modulus: int = 0
    given: Mapping[str, int] = field(default_factory=dict[str, int])
    machine: RowMachine = field(kw_only=True)

    def _operation(self, placement: Placed) -> None:
        kind = placement.operation.kind
        if kind in (MARK, RUN):
            for cycle in range(placement.start, placement.written + 1):
                self._set(cycle, **{placement.operation.name: 1})
            return
        if kind == GIVEN:
            self._set(placement.start, load=self.given[placement.operation.name])
            self._set(placement.written - self.machine.cleared, operand=1)
            self._result(placement)
            return
        self._read(placement)
        if kind == ZERO:
            flag = self.names.zeros.index(placement.operation.name)
            self._set(placement.written, zero=flag, tail_flag=int(self._tail(placement.written)))
        elif kind in (OUT, TAKE):
            self._set(placement.start + self.machine.strobe, **{placement.operation.name: 1})
        elif kind in MULTIPLICATIONS:
            # a register goes with each slice
            self._set(placement.start + self.machine.strobe, start=1, integer=int(kind == INTEGER))
            self._result(placement)
        else:
            self._sum(placement)

    def _read(self, placement: Placed) -> None:
        if placement.operation.kind != BELOW:
            super()._read(placement)
            return
        value = placement.operation.operands[0].value
        self._set(placement.start, read=self._address(value))
        self._set(placement.start + 1, read=self.modulus)

    def _sum(self, placement: Placed) -> None:
        kind = placement.operation.kind
        self._set(placement.start + self.machine.adds, minus=int(kind in (SUBTRACT, BELOW)), sum=1)
        if kind == BELOW:
            self._set(placement.written + WRITTEN, range=self.names.ranges[placement.operation.operands[0].value])
        else:
            self._result(placement)

# SPDX-License-Identifier: Apache-2.0
"""Control words of graphs that are placed on a row multiplier; see `machine` for the cycles."""

from __future__ import annotations

from dataclasses import dataclass

from ..ladder.control import GraphWords
from ..ladder.dataflow import BELOW, MARK, MULTIPLICATIONS, OUT, SUBTRACT, ZERO
from ..ladder.machine import Placed
from .machine import ADDED, FOUND, WRITTEN


@dataclass
class RowWords(GraphWords):
    """One graph with its words, and the writing of its control words; `modulus` is the word of M in the first part."""

    modulus: int = 0

    def _operation(self, placement: Placed) -> None:
        kind = placement.operation.kind
        if kind == MARK:
            self._set(placement.start, **{placement.operation.name: 1})
            return
        self._read(placement)
        if kind == ZERO:
            flag = self.names.zeros.index(placement.operation.name)
            self._set(placement.written, zero=flag, tail_flag=int(self._tail(placement.written)))
        elif kind == OUT:
            self._set(placement.start + FOUND - 1, **{placement.operation.name: 1})
        elif kind in MULTIPLICATIONS:
            self._set(placement.start + FOUND - 1, start=1)  # a register goes with each slice
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
        self._set(placement.start + ADDED - 2, minus=int(kind in (SUBTRACT, BELOW)), sum=1)
        if kind == BELOW:
            self._set(placement.written + WRITTEN, range=self.names.ranges[placement.operation.operands[0].value])
        else:
            self._result(placement)

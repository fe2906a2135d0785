# SPDX-License-Identifier: Apache-2.0
"""Control words of graphs that are placed on a row multiplier; see `machine` for the cycles."""

from __future__ import annotations

from dataclasses import dataclass

from ..ladder.control import GraphWords
from ..ladder.dataflow import BELOW, MARK, MULTIPLICATIONS, OUT, SUBTRACT, ZERO
from ..ladder.machine import Placed
from .machine import ADDED, FOUND


@dataclass
class RowWords(GraphWords):
    """One graph with its words, and the writing of its control words; `modulus` is the word of M in the first part."""

    modulus: int = 0

    def _operation(self, one: Placed) -> None:
        kind = one.operation.kind
        if kind == MARK:
            self._set(one.start, **{one.operation.name: 1})
            return
        self._read(one)
        if kind == ZERO:
            flag = self.names.zeros.index(one.operation.name)
            self._set(one.written, zero=flag, tail_flag=int(self._tail(one.written)))
        elif kind == OUT:
            self._set(one.start + FOUND - 1, **{one.operation.name: 1})  # a register goes with each slice
        elif kind in MULTIPLICATIONS:
            self._set(one.start + FOUND, start=1)
            self._result(one)
        else:
            self._sum(one)

    def _read(self, one: Placed) -> None:
        if one.operation.kind != BELOW:
            super()._read(one)
            return
        value = one.operation.operands[0].value
        self._set(one.start, read=self._address(value))
        self._set(one.start + 1, read=self.modulus)

    def _sum(self, one: Placed) -> None:
        kind = one.operation.kind
        self._set(one.start + ADDED - 2, minus=int(kind in (SUBTRACT, BELOW)))
        self._set(one.start + ADDED - 1, sum=1)
        if kind == BELOW:
            self._set(one.written, range=self.names.ranges[one.operation.operands[0].value])
        else:
            self._result(one)

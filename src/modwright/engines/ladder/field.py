# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program of field operations: the graphs on plain integers, the inversion by iterations.

An operand of the Montgomery domain is what the core has in its words, so a wrong R² gives the core's result. For a
modulus that is not prime the inverse is that of the iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from . import dataflow as graphs
from .dataflow import Graph, Operand
from .inversion import invert


@dataclass
class Field:
    """Operations modulo m on values of the Montgomery domain.

    Parameters
    ----------
    m : int
    T : int
        R = 2^T.
    values, flags : dict
        Values and flags computed so far; a flag may be a number that chooses among four.
    inverted : int or None
        Last operand of an inversion.
    """

    m: int
    T: int
    values: dict[str, int] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)
    inverted: int | None = None

    def __post_init__(self) -> None:
        self.back = pow(2, -self.T, self.m)
        m, back = self.m, self.back
        self._apply: dict[str, Callable[[list[int]], int]] = {
            graphs.PRODUCT: lambda v: v[0] * v[1] * back % m,
            graphs.SQUARE: lambda v: v[0] * v[0] * back % m,
            graphs.SUM: lambda v: (v[0] * v[1] + v[2] * v[3]) * back % m,
            graphs.ADD: lambda v: (v[0] + v[1]) % m,
            graphs.SUBTRACT: lambda v: (v[0] - v[1]) % m,
            graphs.REDUCE: lambda v: v[0] % m,
            graphs.ONE: lambda v: 1,
            graphs.INVERSE: self._invert,
        }

    def _invert(self, v: list[int]) -> int:
        self.inverted = v[0]
        result, self.flags["inv_sign"] = invert(v[0], self.m, 2 * self.T)
        return result

    def _operand(self, operand: Operand) -> int:
        return self.values[operand.values[self.flags[operand.flag]] if operand.flag else operand.value]

    def run(self, graph: Graph) -> None:
        """Every operation of a graph."""
        for operation in graph.operations:
            kind = operation.kind
            if kind == graphs.MARK:
                continue
            operands = [self._operand(operand) for operand in operation.operands]
            if kind == graphs.ZERO:
                self.flags[operation.name] = operands[0] == 0
            elif kind == graphs.BELOW:
                self.flags[operation.name] = operands[0] < self.m
            elif kind == graphs.OUT:
                self.values[operation.name] = operands[0]
            else:
                self.values[operation.name] = self._apply[kind](operands)

# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program over a row multiplier: graphs in the integers that its words hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ladder.dataflow import ADD, BELOW, MARK, MULTIPLICATIONS, OUT, SCALE, SUBTRACT, ZERO, Graph, Operand
from ..orup.interleaved import InterleavedParameters
from .parameters import LIFT, short_digits


@dataclass
class RowField:
    """Values in the words of a program.

    Parameters
    ----------
    row : InterleavedParameters
    modulus : int
    multiple : int
        Multiple M~ of the modulus, modulo which products are computed.
    values : dict
    flags : dict
        Flags that comparisons set, and that choose operands.
    lift : int
        Lift of a sum.
    """

    row: InterleavedParameters
    modulus: int
    multiple: int
    values: dict[str, int] = field(default_factory=dict[str, int])
    flags: dict[str, int] = field(default_factory=dict[str, int])
    lift: int = 0

    def __post_init__(self) -> None:
        self.inverse = pow(self.multiple, -1, 1 << self.row.T)
        self.largest = 0  # of all results
        self.words = (1 << self.row.operand_bits) - 1

    def lifted(self) -> None:
        """Lift sums by a multiple of M~ from now on."""
        self.lift = self.multiple << LIFT

    def product(self, x: int, y: int, digits: int | None = None) -> int:
        """Product (x·y + Q·M~) / 2^T with 0 <= Q < 2^T, or with fewer digits of x."""
        exponent = self.row.T if digits is None else self.row.k * digits
        mask, z = (1 << exponent) - 1, x * y
        return z + (-(z & mask) * self.inverse & mask) * self.multiple >> exponent

    def run(self, graph: Graph, rename: Mapping[str, str] | None = None) -> None:
        """Every operation of a graph; results under the names that `rename` gives."""
        names = rename or {}
        for operation in graph.operations:
            operands = [self._operand(operand) for operand in operation.operands]
            if operation.kind == MARK:
                continue
            if operation.kind == ZERO:
                self.flags[operation.name] = operands[0] in (0, self.multiple)
            elif operation.kind == BELOW:
                self.flags[operation.name] = operands[0] < self.modulus
            elif operation.kind == OUT:
                self.values[operation.name] = operands[0]
            elif operation.kind == SCALE:
                self.values[operation.name] = self.product(*operands, digits=short_digits(self.row))
            elif operation.kind in MULTIPLICATIONS:
                self.values[operation.name] = self.product(operands[0], operands[-1])
            else:
                sign = {ADD: 1, SUBTRACT: -1}[operation.kind]
                self.values[operation.name] = operands[0] + sign * operands[1] + self.lift & self.words
            if operation.makes_value and self.lift:
                self.largest = max(self.largest, self.values[operation.name])
        self.values |= {to: self.values[made] for made, to in names.items()}

    def _operand(self, operand: Operand) -> int:
        return self.values[operand.values[self.flags[operand.flag]] if operand.flag else operand.value]


def quotient(z: int, t: int, bits: int) -> int:
    """Quotient z / t modulo 2^bits for odd t, which is z / t where t divides z below t·2^bits."""
    rest = found = 0
    for at in range(bits):
        digit = (rest ^ z >> at) & 1
        rest = rest + digit * t >> 1
        found |= digit << at
    return found

# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program over a row multiplier: graphs in the integers that its words hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..ladder import dataflow
from ..ladder.dataflow import ADD, GIVEN, SUBTRACT, Graph, Operand, Operation
from ..orup.interleaved import InterleavedParameters
from .divsteps import RESET, TAKEN_F, Divsteps
from .parameters import LIFT, factor_digits, short_digits


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
        self.divsteps = Divsteps(self.row.K, self.row.operand_bits)

    def lifted(self) -> None:
        """Lift sums by a multiple of M~ from now on."""
        self.lift = self.multiple << LIFT

    def unlifted(self) -> None:
        """Lift no sum from now on."""
        self.lift = 0

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
            self._look(operation, operands)
            if operation.makes_value:
                value = self._given(operation) if operation.kind == GIVEN else self._result(operation.kind, operands)
                self.values[operation.name] = value
                if self.lift:
                    self.largest = max(self.largest, value)
        self.values |= {to: self.values[made] for made, to in names.items()}

    def _look(self, operation: Operation, operands: Sequence[int]) -> None:
        """Flags, what leaves, and what divsteps do."""
        name = operation.name
        match operation.kind:
            case dataflow.ZERO:
                self.flags[name] = operands[0] in (0, self.multiple)
            case dataflow.BELOW:
                self.flags[name] = operands[0] < self.modulus
            case dataflow.OUT:
                self.values[name] = operands[0]
            case dataflow.TAKE if name == TAKEN_F:
                self.flags[name] = self.divsteps.take_f(operands[0])
            case dataflow.TAKE:
                self.divsteps.take_g(operands[0])
            case dataflow.RUN:
                self.divsteps.run()
                self.flags |= self.divsteps.flags
            case dataflow.MARK if name == RESET:
                self.divsteps.reset()
            case _:
                pass

    def _given(self, operation: Operation) -> int:
        return {**self.divsteps.words, "m": self.modulus}[operation.name]

    def _result(self, kind: str, operands: Sequence[int]) -> int:
        """Value of a product or a sum."""
        x, y = operands[0], operands[-1]
        match kind:
            case dataflow.PRODUCT | dataflow.SQUARE:
                return self.product(x, y)
            case dataflow.SCALE:
                return self.product(x, y, digits=short_digits(self.row))
            case dataflow.FACTOR:
                return self.product(x, y, digits=factor_digits(self.row))
            case dataflow.INTEGER:
                return x * y >> self.row.K
            case dataflow.WHOLE:
                return x * y & self.words
            case _:
                return x + {ADD: 1, SUBTRACT: -1}[kind] * y + self.lift & self.words

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

# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program over a row multiplier: graphs in the integers that its words hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ladder import dataflow
from ..ladder.dataflow import ADD, GIVEN, SUBTRACT, Operation
from ..ladder.lazy import LazyField
from ..orup.interleaved import InterleavedParameters
from .divsteps import RESET, TAKEN_F, TAKEN_G, Divsteps
from .parameters import LIFT, factor_digits, short_digits

LOAD = "load_tilde"
"""Name of the operation with which M~ leaves to the adder, which lifts sums from then on."""


@dataclass
class RowField(LazyField):
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
    given : dict
        Numbers that may come in, besides the modulus and the matrix of divsteps.
    """

    row: InterleavedParameters
    modulus: int
    multiple: int
    values: dict[str, int] = field(default_factory=dict[str, int])
    flags: dict[str, int] = field(default_factory=dict[str, int])
    lift: int = 0
    given: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.inverse = pow(self.multiple, -1, 1 << self.row.T)
        self.largest = 0  # of all results
        self.zeros = (0, self.multiple)
        self.words = (1 << self.row.operand_bits) - 1
        self.divsteps = Divsteps(self.row.K, self.row.operand_bits)

    def has_limit(self, operation: Operation) -> bool:
        """Whether sums are lifted."""
        return bool(self.lift)

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

    def _look(self, operation: Operation, operands: Sequence[int]) -> None:
        """Flags, what leaves, and what divsteps do."""
        name = operation.name
        match operation.kind:
            case dataflow.TAKE if name == TAKEN_F:
                self.flags[name] = self.divsteps.take_f(operands[0])
            case dataflow.TAKE if name == TAKEN_G:
                self.divsteps.take_g(operands[0])
            case dataflow.TAKE:
                self.flags[name] = 2 * operands[0] <= self.words
            case dataflow.RUN:
                self.divsteps.run()
                self.flags |= self.divsteps.flags
            case dataflow.OUT if name == LOAD:
                self.lifted()
            case dataflow.MARK if name == RESET:
                self.divsteps.reset()
            case _:
                super()._look(operation, operands)

    def _made(self, operation: Operation, operands: Sequence[int]) -> int:
        """Value of a product or a sum, or what comes in."""
        if operation.kind == GIVEN:
            return {**self.divsteps.words, **self.given, "m": self.modulus}[operation.name]
        x, y = operands[0], operands[-1]
        match operation.kind:
            case dataflow.PRODUCT | dataflow.SQUARE:
                return self.product(x, y)
            case dataflow.SCALE:
                return self.product(x, y, digits=short_digits(self.row))
            case dataflow.FACTOR:
                return self.product(x, y, digits=factor_digits(self.row))
            case dataflow.INTEGER:
                return x * y >> self.row.K
            case dataflow.WHOLE:
                return (x & (1 << self.row.K) - 1) * y & self.words
            case _:
                return x + {ADD: 1, SUBTRACT: -1}[operation.kind] * y + self.lift & self.words

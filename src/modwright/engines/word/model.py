# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program on limbs: graphs in the integers that its words hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..columns.model import reduced
from ..ladder.dataflow import ADD, MULTIPLICATIONS, REDUCE, SUBTRACT, SUM, Operation
from ..ladder.lazy import LazyField
from .parameters import LIFT, TESTED, WordParameters


class WordField(LazyField):
    """Values in the words of a program.

    Parameters
    ----------
    p : WordParameters
    given : mapping of str to int
        m, mu and q.
    """

    def __init__(self, p: WordParameters, given: Mapping[str, int]) -> None:
        self.p, self.modulus, self.mu, self.q = p, given["m"], given["mu"], given["q"]
        self.values: dict[str, int] = {}
        self.flags: dict[str, int] = {}
        self.largest = 0
        self.words = (1 << p.T) - 1
        self.zeros = tuple(times * self.modulus for times in range(TESTED))

    def product(self, total: int) -> int:
        """Result of the columns of a product, or of a sum of two."""
        return reduced(self.p, total, self.modulus, self.mu, self.q) & self.words

    def _made(self, operation: Operation, operands: Sequence[int]) -> int:
        """Value of a product or a sum."""
        x, y = operands[0], operands[-1]
        if operation.kind == SUM:
            return self.product(operands[0] * operands[1] + operands[2] * operands[3])
        if operation.kind in MULTIPLICATIONS:
            return self.product(x * y)
        sums = {ADD: x + y, SUBTRACT: x - y + LIFT * self.modulus, REDUCE: x - self.modulus}
        return sums[operation.kind] & self.words

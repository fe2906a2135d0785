# SPDX-License-Identifier: Apache-2.0
"""Golden model of a program on limbs: graphs in the integers that its words hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..columns.model import reduced
from ..ladder.dataflow import (
    ADD,
    DIFFERENCE,
    GIVEN,
    LINEAR,
    MULTIPLICATIONS,
    REDUCE,
    RESIDUE,
    SUBTRACT,
    SUM,
    Operation,
)
from ..ladder.lazy import LazyField
from . import divsteps
from .parameters import LIFT, TESTED, WordParameters


class WordField(LazyField):
    """Values in the words of a program.

    Parameters
    ----------
    p : WordParameters
    given : mapping of str to int
        m, mu and q.
    unit : LimbDivsteps or None
        Where the program has divsteps.

    Attributes
    ----------
    signed : bool
        Sums are of signed numbers.
    """

    def __init__(self, p: WordParameters, given: Mapping[str, int], unit: divsteps.LimbDivsteps | None = None) -> None:
        self.p, self.modulus, self.mu, self.q = p, given["m"], given["mu"], given["q"]
        self.values: dict[str, int] = {}
        self.flags: dict[str, int] = {}
        self.largest = 0
        self.divsteps = unit
        self.signed = False
        self.words = (1 << p.T) - 1
        self.zeros = tuple(times * self.modulus for times in range(TESTED))

    def product(self, total: int) -> int:
        """Result of the columns of a product, or of a sum of two."""
        return reduced(self.p, total, self.modulus, self.mu, self.q) & self.words

    def has_limit(self, operation: Operation) -> bool:
        """Whether a result is one of those with a limit, and not a signed number."""
        return not self.signed and operation.kind not in (DIFFERENCE, REDUCE)

    def row(self, operands: Sequence[int], kind: str) -> int:
        """Row of a matrix of signed numbers: modulo 2^(w(s+1)), without the lowest limb, which is 0 or made so."""
        w, total = self.p.w, 0
        cut, half = (1 << w) - 1, 1 << self.p.T - 1
        for entry, value, less in (operands[:3], operands[3:]):
            total += (entry & cut) * (value - half) + ((entry >> w) * less << w)
        total &= (1 << self.p.T + w) - 1
        if kind == LINEAR:
            return total >> w
        quotient = (total & cut) * self.q & cut
        upper = (cut + quotient * (self.modulus & cut) >> w) + quotient * (self.modulus >> w)
        return (total >> w) + upper & self.words

    def _look(self, operation: Operation, operands: Sequence[int]) -> None:
        """Flags, what leaves, and what divsteps do."""
        if self.divsteps is None:
            super()._look(operation, operands)
            return
        match operation.name:
            case divsteps.TAKEN_F:
                self.divsteps.take_f(operands[0])
            case divsteps.TAKEN_G:
                self.divsteps.take_g(operands[0])
            case divsteps.RESET:
                self.divsteps.reset()
            case divsteps.STEPS:
                self.divsteps.run()
            case _:
                super()._look(operation, operands)

    def _made(self, operation: Operation, operands: Sequence[int]) -> int:
        """Value of a product or a sum."""
        if operation.kind == GIVEN:
            assert self.divsteps is not None
            return self.divsteps.words[operation.name]
        x, y = operands[0], operands[-1]
        if operation.kind in (LINEAR, RESIDUE):
            return self.row(operands, operation.kind)
        if operation.kind == SUM:
            return self.product(operands[0] * operands[1] + operands[2] * operands[3])
        if operation.kind in MULTIPLICATIONS:
            return self.product(x * y)
        sums = {ADD: x + y, SUBTRACT: x - y + LIFT * self.modulus, DIFFERENCE: x - y, REDUCE: x - self.modulus}
        return sums[operation.kind] & self.words

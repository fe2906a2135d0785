# SPDX-License-Identifier: Apache-2.0
"""Graphs of operations on values that are not reduced: their integers, and the limits of these.

A product leaves a class modulo the modulus, some multiples of it too large, and sums and differences stay what they
are; a lift, which is a multiple of the modulus, keeps differences from being negative.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from .dataflow import BELOW, OUT, REDUCE, SUBTRACT, ZERO, Graph, Operand, Operation

Rules = Mapping[str, Callable[[Sequence[Fraction]], Fraction]]
"""By kind of operation, the limit of its value from those of its operands."""


class LazyField(ABC):
    """Values of a program, by name.

    Attributes
    ----------
    modulus : int
    values : dict
    flags : dict
        Flags that comparisons set, and that choose operands.
    largest : int
        The largest of all results that have a limit.
    zeros : tuple of int
        Integers that a comparison with 0 finds.
    """

    modulus: int
    values: dict[str, int]
    flags: dict[str, int]
    largest: int
    zeros: tuple[int, ...]

    @abstractmethod
    def _made(self, operation: Operation, operands: Sequence[int]) -> int:
        """Value of an operation that writes one."""
        ...

    def has_limit(self, operation: Operation) -> bool:
        """Whether a result is one of those with a limit."""
        return operation.kind != REDUCE

    def run(self, graph: Graph, rename: Mapping[str, str] | None = None) -> None:
        """Every operation of a graph; results under the names that `rename` gives."""
        for operation in graph.operations:
            operands = [self._operand(operand) for operand in operation.operands]
            self._look(operation, operands)
            if operation.makes_value:
                self.values[operation.name] = value = self._made(operation, operands)
                if self.has_limit(operation):
                    self.largest = max(self.largest, value)
        self.values |= {to: self.values[made] for made, to in (rename or {}).items()}

    def _look(self, operation: Operation, operands: Sequence[int]) -> None:
        """Set flags, and keep what leaves."""
        name = operation.name
        if operation.kind == ZERO:
            self.flags[name] = operands[0] in self.zeros
        elif operation.kind == BELOW:
            self.flags[name] = operands[0] < self.modulus
        elif operation.kind == OUT:
            self.values[name] = operands[0]

    def _operand(self, operand: Operand) -> int:
        return self.values[operand.values[self.flags[operand.flag]] if operand.flag else operand.value]


def follow(graph: Graph, given: Mapping[str, Fraction], rules: Rules, short: Sequence[str] = ()) -> dict[str, Fraction]:
    """Exclusive limit of each value of a graph, from those of its inputs.

    Values of inputs that are not given are integers without such a limit, and so is what is made of them. Of kinds in
    `short`, the first operand does not count.
    """
    found = dict(given)
    for operation in graph.operations:
        operands = operation.operands[operation.kind in short :]
        names = [name for operand in operands for name in operand.values]
        if not operation.makes_value or not names or any(name not in found for name in names):
            continue
        if operation.kind in rules:
            terms = [max(found[name] for name in operand.values) for operand in operands]
            found[operation.name] = rules[operation.kind](terms)
    return found


def subtracted(graph: Graph, limits: Mapping[str, Fraction]) -> Fraction:
    """Largest limit of subtracted operands in a graph; 0 without any."""
    taken = (operation.operands[1].values for operation in graph.operations if operation.kind == SUBTRACT)
    return largest_of(limits, (name for names in taken for name in names))


def largest_of(limits: Mapping[str, Fraction], names: Iterable[str]) -> Fraction:
    """The largest of some limits."""
    return max((limits[name] for name in names), default=Fraction(0))

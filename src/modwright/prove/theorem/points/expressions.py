# SPDX-License-Identifier: Apache-2.0
"""Residues as expressions: operands, the state that a step begins with, and what the operation unit makes of them.

Equal expressions have one number. An expression has a bound: its word is below so many times the modulus. One with the
bound 1 is the least residue, so that it is 0 if and only if its word is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..decide import UndecidedError

GIVEN, STATE, ONE = "given", "state", "one"
PRODUCT, ADD, SUBTRACT, INVERSE = "product", "add", "subtract", "inverse"

Expression = tuple[str, tuple[int, ...], str]
"""Operation, numbers of its operands, and the name of what has none; "-" with an inverse is that of the negative."""


class Expressions:
    """Table of expressions.

    Attributes
    ----------
    table : list of Expression
    bounds : list of int
        Multiple of the modulus that each is below.
    """

    def __init__(self) -> None:
        self.table: list[Expression] = []
        self.bounds: list[int] = []
        self._numbers: dict[tuple[Expression, int], int] = {}

    def make(self, op: str, operands: Sequence[int] = (), name: str = "", bound: int = 1) -> int:
        """The number of an expression."""
        key = (op, tuple(operands), name), bound
        if key not in self._numbers:
            self._numbers[key] = len(self.table)
            self.table.append(key[0])
            self.bounds.append(bound)
        return self._numbers[key]

    def below(self, number: int, bound: int) -> int:
        """The same residue with another bound."""
        op, operands, name = self.table[number]
        return self.make(op, operands, name, bound)

    def leaves(self, number: int) -> set[Expression]:
        """Operands and words of the state in an expression."""
        found, queue, seen = set[Expression](), [number], {number}
        while queue:
            expression = self.table[queue.pop()]
            if not expression[1]:
                found.add(expression)
            for operand in expression[1]:
                if operand not in seen:
                    seen.add(operand)
                    queue.append(operand)
        return found

    def match(self, pattern: int, number: int, state: dict[str, int]) -> None:
        """Find what stands in `number` for the words of the state in `pattern`; `state` receives it.

        Raises
        ------
        UndecidedError
            When one is not the other with other words of the state.
        """
        pairs, seen = [(pattern, number)], set[tuple[int, int]]()
        while pairs:
            pair = pairs.pop()
            if pair in seen:
                continue
            seen.add(pair)
            (op, operands, name), (other, others, called) = self.table[pair[0]], self.table[pair[1]]
            if op == STATE:
                if self.bounds[pair[1]] > self.bounds[pair[0]]:
                    raise UndecidedError(f"{name} may be as large as the modulus where a step reads it")
                if state.setdefault(name, pair[1]) != pair[1]:
                    raise UndecidedError(f"a step reads different words for {name}")
            elif (op, name, self.bounds[pair[0]]) != (other, called, self.bounds[pair[1]]):
                raise UndecidedError("a step of the ladder computes other words than the one before it")
            else:
                pairs += zip(operands, others, strict=True)

    def substituted(self, number: int, state: Mapping[str, int]) -> int:
        """An expression with others for the words of the state."""
        made: dict[int, int] = {}

        def walk(number: int) -> int:
            if number not in made:
                op, operands, name = self.table[number]
                if op == STATE and name in state:
                    made[number] = state[name]
                else:
                    made[number] = self.make(op, [walk(operand) for operand in operands], name, self.bounds[number])
            return made[number]

        return walk(number)

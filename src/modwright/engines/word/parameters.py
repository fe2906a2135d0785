# SPDX-License-Identifier: Apache-2.0
"""Limbs of programs of field operations on columns, and the bounds of their values, which are never reduced.

In units of the modulus m, of operands below a·m and b·m, with R = 2^(ws) and m < 2^n:

    a product      (x·y + t·(mu·2^w - 1) + q·m·2^(w(s-1))) / R    is below (2 + a·b·2^(n-ws))·m
    x·y + v·w      the same columns                              below (2 + (a·b + c·d)·2^(n-ws))·m
    a sum          x + y                                         below (a + b)·m
    a difference   x - y + 4m                                    below (a + 4)·m, not negative where b <= 4

t < 2^(w(s-1)) and q < 2^w are those of `engines.columns`. A product below 3m is 0 modulo m if and only if it is 0, m or
2m, so a test compares with these three. A product with 1 is below 2m for every operand of s limbs, so its residue takes
one subtraction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ...contract import Certificate, Field, Inequality
from ...contract.roles import NegInverse, Power
from ...plan.tiling import TILE_SIZES
from ..columns.cycles import BEHIND_SUMS
from ..columns.digits import MOST_DIGITS
from ..columns.parameters import FEWEST_LIMBS, ColumnParameters
from ..ladder.dataflow import ADD, LINEAR, PRODUCT, RESIDUE, SQUARE, SUBTRACT, SUM, Graph
from ..ladder.lazy import Rules, follow
from .rows import columns_of

HEADROOM = 10
"""Bits of R above those of m, at least: products of the programs' values stay below 3m."""
DIGIT = 17
"""Bits of a digit where the target has no blocks."""
FOUND = 3
"""Cycles from a control word to the limb that it reads."""
CONTEXTS = 4
"""Products in turn."""
LIFT = 4
"""Multiple of m that is added to a difference."""
TESTED = 3
"""Multiples of m with which a test for 0 compares, from 0 on: its operand is below that many m."""


@dataclass(frozen=True)
class WordParameters(ColumnParameters):
    """Every constant of the limbs and columns of a program."""

    @cached_property
    def largest_digits(self) -> tuple[int, int]:
        """Largest redundant digit and largest carry of a sum of two products, or of a row, with all limbs at their
        largest."""
        found = [
            self.largest((column.opening, len(column.products), column.stores) for column in columns_of(self.s, kind))
            for kind in (SUM, LINEAR, RESIDUE)
        ]
        return max(digit for digit, _ in found), max(carry for _, carry in found)

    @property
    def word_cycles(self) -> int:
        """Cycles from the control word of the last product of a column to that of one that reads its word at once."""
        return self.sums_cycles + BEHIND_SUMS

    @property
    def left(self) -> int:
        """Cycles from the control word of the last product of a column to the one that writes its word."""
        return FOUND + self.word_cycles - 1

    @property
    def stored_cycles(self) -> int:
        """Cycles from the last product of a column to one that reads its word from the memory, at least."""
        return self.left + 1

    @property
    def skew(self) -> int:
        """Cycles by which the upper half of a sum follows the lower one: limbs in halves are as long as two."""
        return int(self.in_halves)

    @property
    def summed(self) -> int:
        """Cycles from the control word of the last limb of a sum to the one that writes its word."""
        return FOUND + 1 + self.skew

    @property
    def signed(self) -> int:
        """Cycles from the control word of the last limb of a comparison to the one that takes its carry."""
        return self.summed + 1

    @property
    def compared(self) -> int:
        """Cycles from the control word of the last limb of a test to the one that sets the flag."""
        return self.summed + 4

    @property
    def places(self) -> int:
        """Limbs of a value in the memory: a power of two."""
        return 1 << (self.s - 1).bit_length()

    @cached_property
    def certificate(self) -> Certificate:
        """Room above the modulus, widths of the columns, and digits that fit their blocks."""
        room = Inequality(
            "headroom",
            f"n + {HEADROOM} <= w·s",
            self.n + HEADROOM,
            "<=",
            self.T,
            "values have room above the modulus, and products of them do not grow",
            "other values of a program would need less or more; its own inequalities have the limits themselves",
        )
        _, limbs, few = self._result()
        return Certificate((room, limbs, few, *self._sums(), *self._shape()))


def digit_of(n: int, D: int, target: str) -> int:
    """Bits of a digit: those of a block; where limbs are multiplied in halves, the fewest with as few limbs, and at
    least one less than those of a block, as the sum of two digits has a bit more."""
    block = TILE_SIZES[target][1] if target in TILE_SIZES else DIGIT
    if D <= MOST_DIGITS:
        return block
    bits = n + HEADROOM
    limbs = max(FEWEST_LIMBS, -(-bits // (D * (block - (target in TILE_SIZES)))))
    return -(-bits // (D * limbs))


def derive_words(n: int, b: int, D: int, target: str) -> WordParameters:
    """Parameters with the fewest limbs for a modulus of n bits, and the narrowest digits of a column."""
    s = max(FEWEST_LIMBS, -(-(n + HEADROOM) // (b * D)))
    wide = WordParameters(b, D, target, n, s, CONTEXTS, 1, 1)
    digit, carry = wide.largest_digits
    return replace(wide, digit_bits=digit.bit_length(), carry_bits=max(1, carry.bit_length()))


def constants(p: WordParameters) -> tuple[Field, ...]:
    """Operands that follow from the modulus: -m^-1, 2^-w and R²."""
    return (
        Field("q", p.w, role=NegInverse(p.w)),
        Field("mu", p.n, role=Power(-p.w)),
        Field("r2", p.n, role=Power(2 * p.T)),
    )


def limits(p: WordParameters, graph: Graph, given: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Exclusive limit of each value of a graph in units of m, from those of its inputs (`engines.ladder.lazy`)."""
    share = Fraction(1, 1 << p.T - p.n)

    def product(terms: Sequence[Fraction]) -> Fraction:
        return 2 + terms[0] * terms[-1] * share

    def both(terms: Sequence[Fraction]) -> Fraction:
        return 2 + (terms[0] * terms[1] + terms[2] * terms[3]) * share

    rules: Rules = {
        PRODUCT: product,
        SQUARE: product,
        SUM: both,
        ADD: lambda terms: terms[0] + terms[1],
        SUBTRACT: lambda terms: terms[0] + LIFT,
    }
    return follow(graph, given, rules)

# SPDX-License-Identifier: Apache-2.0
"""Placing the products of a step in time, each step a period after the one before: earliest place in a given order.

Resources, in every cycle modulo the period: the operand register, which adds a word at a time; the register of the
second factor; the row of blocks. A step is right where each word is read after it is written, and before it is
written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from .formulas import CONSTANT, SAME, STATE, STEP, Product, Sum
from .timing import AHEAD, FETCH, STILL, Timing

ORDER = ("DA", "CB", "BB", "AA", "TT", "X3'", "F", "X2'", "Z3'", "Z2'")
"""Products of a step in the order in which they are placed: the best of all orders at 255 bits."""


def reads_of(terms: Sum) -> tuple[tuple[str, str], ...]:
    """Words in the order in which they are added: a difference has its bias behind the first one."""
    (first, *rest) = terms
    bias = (("+", "bias"),) if any(sign == "-" for sign, _ in rest) else ()
    return (first, *bias, *rest)


@dataclass(frozen=True)
class Placed:
    """A product in time.

    Parameters
    ----------
    product : Product
    start : int
        Cycle of its first digits.
    taken : int
        Cycle in which the second factor goes from the operand register into its own; -1 for none.
    turns : int
        Cycles of the row of blocks.
    adds : tuple of (int, str, str)
        Cycle in which the operand register adds a word, the sign, and the value; those of the second factor first.
    made : int
        Cycle in which the product can be written.
    """

    product: Product
    start: int
    taken: int
    turns: int
    adds: tuple[tuple[int, str, str], ...]
    made: int


@dataclass(frozen=True)
class Loop:
    """A step: its products, and the distance of two steps."""

    placed: Mapping[str, Placed]
    period: int


class _Table:
    """Resources of a step modulo a period, a bit for each cycle."""

    def __init__(self, timing: Timing, period: int) -> None:
        self.timing, self.period = timing, period
        self.operand = self.second = self.row = 0
        self.placed: dict[str, Placed] = {}

    def place(self, product: Product, least: int) -> Placed | None:
        """Put a product where it can be earliest, not before `least`; None where no place is free."""
        turns = 1 if product.y == CONSTANT else self.timing.turns
        for start in range(least, least + self.period):
            row = self._bits(start, turns)
            if row is None or row & self.row:
                continue
            for taken in self._taken(product, start):
                if self._fits(product, start, taken, turns):
                    self.row |= row
                    return self.placed[product.name]
        return None

    def _bits(self, first: int, length: int) -> int | None:
        """Cycles modulo the period; None for more than it has."""
        if length > self.period:
            return None
        bits = (1 << length) - 1 << first % self.period
        return bits & (1 << self.period) - 1 | bits >> self.period

    def _taken(self, product: Product, start: int) -> Sequence[int]:
        if product.y == CONSTANT:
            return (-1,)
        last = start - AHEAD - 1
        return range(last, max(last - self.timing.turns, 0), -1)

    def _fits(self, product: Product, start: int, taken: int, turns: int) -> bool:
        """Whether everything is there, and registers are free; then the product has its place."""
        there = taken if product.y == SAME else start - STILL
        second = _adds(product.y, taken) if isinstance(product.y, tuple) else ()
        first = _adds(product.x, there)
        if any(cycle < self._ready(value) for cycle, _, value in (*second, *first)):
            return False
        held = self._bits(first[0][0], start - STILL + 1 - first[0][0])
        own = self._bits(second[0][0], len(second)) if second else 0
        moves = self._bits(taken, start - AHEAD + turns - 1 - taken) if taken >= 0 else 0
        if held is None or own is None or moves is None:
            return False
        if held & own or (held | own) & self.operand or moves & self.second:
            return False
        self.operand, self.second = self.operand | held | own, self.second | moves
        made = start + self.timing.made(turns)
        self.placed[product.name] = Placed(product, start, taken, turns, (*second, *first), made)
        return True

    def _ready(self, value: str) -> int:
        """First cycle in which a word can be added."""
        return FETCH + (self.placed[value].made + 1 if value in self.placed else 0)

    def closes(self) -> bool:
        """Whether the next step finds its state, and no word is written before it is read for the last time."""
        return all(map(self._closes, "XZ")) and all(map(self._lives, self.placed.values()))

    def _reads(self, names: Sequence[str]) -> list[int]:
        """Cycles of the addresses of words."""
        return [cycle - FETCH for placed in self.placed.values() for cycle, _, value in placed.adds if value in names]

    def _closes(self, pair: str) -> bool:
        """Whether both words of a pair are there when one of them is read, and are read as those of their own step."""
        names = [name for name in STATE if name[0] == pair]
        reads, made = self._reads(names), [self.placed[f"{name}'"].made for name in names]
        in_time = max(made) < min(reads) + self.period
        return in_time and max(reads) < min(*made, self.period) and max(made) < 2 * self.period

    def _lives(self, placed: Placed) -> bool:
        """Whether a word is read before the next step writes it."""
        last = max(self._reads([placed.product.name]), default=0)
        return last < min(placed.made + self.period, 2 * self.period)


def _adds(terms: Sum, there: int) -> tuple[tuple[int, str, str], ...]:
    """Cycles in which words are added so that the sum is in the operand register in cycle `there`."""
    reads = reads_of(terms)
    return tuple((there - len(reads) + at, sign, value) for at, (sign, value) in enumerate(reads))


def place_step(timing: Timing, order: Sequence[str] = ORDER) -> Loop:
    """Place a step with the least period for which its products fit in this order."""
    least = sum(1 if product.y == CONSTANT else timing.turns for product in STEP)
    return next(loop for period in count(least) if (loop := place_in(timing, period, order)) is not None)


def place_in(timing: Timing, period: int, order: Sequence[str]) -> Loop | None:
    """Place a step with this period; None where its products do not fit in this order."""
    products = {product.name: product for product in STEP}
    table, at = _Table(timing, period), 0
    for name in order:
        placed = table.place(products[name], at)
        if placed is None:
            return None
        at = placed.start + placed.turns
    return Loop(table.placed, period) if table.closes() else None

# SPDX-License-Identifier: Apache-2.0
"""Cycles of the columns: products of several operations take the multiply-accumulate in turn.

Operations in flight start at multiples of the interval I, so the cycles of one, modulo I, must differ. The columns of
one are placed in their order: each begins when what its context has stored and the limbs that it reads are there, or
later, where those cycles modulo I are free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .cycles import CLOSE_TO_FIRST, LAST_READ, WORD
from .digits import NOTHING
from .program import Column, Limb

EFFORT = 160_000
"""Columns that the search places for one interval, at most, times the square of the columns of an operation: those take
as long to compare, and as many more intervals are tried."""
FULL = 9, 8
"""An operation alone whose cycles are less than 9/8 of its products' is not placed in turn with others: one of 23
limbs or more."""
STEPS = 100
"""Intervals are tried in steps of one part in so many, so that long operations are placed within a second."""


@dataclass(frozen=True)
class Placement:
    """First cycle of each column, counted from the first product, and the interval I."""

    starts: tuple[int, ...]
    interval: int


def place(columns: Sequence[Column], contexts: int) -> Placement:
    """Places with the least interval that the search finds, and among those the least cycles of an operation.

    Parameters
    ----------
    columns : sequence of Column
        Columns of one operation, in their order.
    contexts : int
        Operations in turn: the operands of one stay for that many intervals.
    """
    cycles = sum(column.cycles for column in columns)
    shortest = next(Search(columns, cycles + len(columns) * WORD, 1).results())  # nothing in its way
    alone = ends(columns, shortest) + LAST_READ
    if contexts == 1 or alone * FULL[1] < cycles * FULL[0]:
        return Placement(shortest, alone)
    interval = max(cycles, -(-alone // contexts))
    while interval < alone:
        if found := list(Search(columns, interval, contexts).results()):
            return Placement(found[-1], interval)
        interval += max(1, interval // STEPS)
    return Placement(shortest, alone)


def ends(columns: Sequence[Column], starts: Sequence[int]) -> int:
    """Cycle of the last product."""
    return starts[-1] + columns[-1].cycles - 1


class Search:
    """Places of columns, depth first; each that is found ends earlier than the one before."""

    def __init__(self, columns: Sequence[Column], interval: int, contexts: int) -> None:
        self.columns, self.interval = columns, interval
        self.bound = interval * contexts - LAST_READ + 1  # no later column ends at this cycle
        self.left = max(2 * len(columns), EFFORT // len(columns) ** 2)
        later = [0]
        for column in reversed(columns[1:]):
            later.append(later[-1] + column.cycles)
        self.after = later[::-1]  # cycles of all columns behind one

    def results(self) -> Iterator[tuple[int, ...]]:
        """Each result better than those before it."""
        yield from self._from(0, (), 0, 0, {})

    def _from(
        self, index: int, starts: tuple[int, ...], taken: int, closed: int, words: dict[Limb, int]
    ) -> Iterator[tuple[int, ...]]:
        """Places of the columns from `index` on.

        `taken` has a bit for each cycle modulo I, `closed` is the last cycle of the column that this one continues, and
        `words` those after which limbs leave.
        """
        if index == len(self.columns):
            self.bound = ends(self.columns, starts)
            yield starts
            return
        column = self.columns[index]
        least = earliest(column, closed, words)
        for start in range(least, least + self.interval):
            end = start + column.cycles
            if end + self.after[index] > self.bound or self.left <= 0:
                return
            cycles = self._cycles(start, column.cycles)
            if cycles & taken:
                continue
            self.left -= 1
            leaves = words if column.leaves is None else words | {column.leaves: end - 1}
            yield from self._from(
                index + 1, (*starts, start), taken | cycles, end - 1 if column.stores else closed, leaves
            )

    def _cycles(self, start: int, length: int) -> int:
        """Bits of some cycles modulo I."""
        ones = ((1 << length) - 1) << (start % self.interval)
        return (ones | ones >> self.interval) & ((1 << self.interval) - 1)


def earliest(column: Column, closed: int, words: Mapping[Limb, int], word: int = WORD) -> int:
    """First cycle in which a column may begin: what it continues is stored, and each limb there for its product, `word`
    cycles behind the last product of its column."""
    begins = 0 if column.opening is NOTHING else closed + CLOSE_TO_FIRST
    limbs = ((place, a) for place, (a, _) in enumerate(column.products) if a in words)
    return max([begins, *(words[limb] + word - place for place, limb in limbs)])

# SPDX-License-Identifier: Apache-2.0
"""Signed sums of shifted bit slices modulo 2^n, the common form of products of limbs, folds and last subtractions.

A sum is planned here in exact integers and built in hardware by `adders`. Slices are packed into rows as intervals.
Rows are added three at a time in segments of a bounded carry chain; the carry out of a segment enters the next
one level later. When one row is left, each segment is computed for carry-in 0 and 1 at once, and a short
chain of carries selects (carry-select addition).

A slice with sign -1 enters inverted: -v·2^s = ~v·2^s + 2^s - 2^(s+k) for a k-bit v, and the constants are collected.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from .....plan.pipeline import LOOKUP, adder

GROUP = 3
"""Rows that are added in one step: one level of carry-save adders in front of the carry chain."""

SEGMENT = 64
"""Default of the longest carry chain in bits: with its carry-save level as slow as the 100-bit adders in a
product of two 66-bit factors, which cannot be cut."""


SHORT = 2
"""Most carries that logic computes for a selection; more are computed by an adder with a bit for each."""


@dataclass(frozen=True)
class Term:
    """Signed slice: sign · 2^shift · (bits [low, low + width) of `source`)."""

    source: str
    low: int
    width: int
    shift: int
    sign: int = 1

    @property
    def end(self) -> int:
        """One above the highest position."""
        return self.shift + self.width

    def cut(self, width: int) -> Term:
        """Remove the part at or above 2^width."""
        return Term(self.source, self.low, min(self.width, width - self.shift), self.shift, self.sign)


@dataclass(frozen=True)
class Heap:
    """Sum Σ terms + constant_j modulo 2^width, for every constant.

    Parameters
    ----------
    terms : tuple of Term
        Parts at or above 2^width are cut off.
    width : int
        n, bits of a result.
    segment : int
        Longest carry chain, in bits.
    constants : tuple of int
        One constant of any sign for each result.
    """

    terms: tuple[Term, ...]
    width: int
    segment: int
    constants: tuple[int, ...] = (0,)

    @cached_property
    def rows(self) -> tuple[tuple[Term, ...], ...]:
        """The terms in rows without overlap: first fit by position, which needs the fewest rows."""
        rows: list[list[Term]] = []
        free: list[int] = []  # rows that end at or below the term, and the others with their ends, both as heaps
        busy: list[tuple[int, int]] = []
        inside = (t.cut(self.width) for t in self.terms if t.shift < self.width)
        for term in sorted(inside, key=lambda t: (t.shift, t.source, t.low, t.sign)):
            while busy and busy[0][0] <= term.shift:
                heappush(free, heappop(busy)[1])
            if not free:
                heappush(free, len(rows))
                rows.append([])
            row = heappop(free)
            rows[row].append(term)
            heappush(busy, (term.end, row))
        return tuple(tuple(row) for row in rows)

    @cached_property
    def addends(self) -> tuple[int, ...]:
        """The constant of each result in [0, 2^n), with the corrections of inverted slices."""
        inverted = sum((1 << t.shift) - (1 << t.end) for row in self.rows for t in row if t.sign < 0)
        return tuple((constant + inverted) % (1 << self.width) for constant in self.constants)

    @cached_property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of each segment."""
        count = -(-self.width // self.segment)
        size = -(-self.width // count)
        return tuple((low, min(low + size, self.width)) for low in range(0, self.width, size))

    @cached_property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """Sizes of the groups of rows that each level adds; the last level has one group, made for each constant."""
        count = len(self.rows)
        if count == 1 and self.addends == (0,):
            return ()
        levels = []
        while count > GROUP - any(self.addends):
            groups = -(-count // GROUP)
            levels.append(tuple(len(range(g, count, groups)) for g in range(groups)))
            count = groups
        return (*levels, (count,))

    @property
    def candidates(self) -> bool:
        """Whether carries remain between segments after the levels."""
        return bool(self.levels) and len(self.segments) > 1

    @property
    def select(self) -> bool:
        """Whether a chain of carries selects: the lowest two segments never need it."""
        return bool(self.levels) and len(self.segments) > 2

    @property
    def pairs(self) -> int:
        """Segments with two candidates."""
        return max(0, len(self.segments) - 2)

    @cached_property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """Name and estimated delay of each step that a register may follow."""
        size = max(end - start for start, end in self.segments)
        last = len(self.levels) - 1
        stages = [
            (f"level {n}", adder(size, max(groups) + (n == last and any(self.addends))))
            for n, groups in enumerate(self.levels)
        ]
        if self.candidates:
            stages.append(("candidates", adder(size)))
        if self.select:
            stages.append(("select", 2 * LOOKUP + (adder(self.pairs) if self.pairs > SHORT else 0.0)))
        return tuple(stages)

    @cached_property
    def cost(self) -> int:
        """Estimated LUT4: an adder bit each, one row less than there are; twice for the two candidates."""
        bits = sum(t.width for row in self.rows for t in row)
        return bits + 2 * self.width * len(self.constants)

    def value(self, sources: dict[str, int]) -> tuple[int, ...]:
        """The results in plain integers."""
        total = sum(t.sign * (((sources[t.source] >> t.low) & ((1 << t.width) - 1)) << t.shift) for t in self.terms)
        return tuple((total + constant) % (1 << self.width) for constant in self.constants)

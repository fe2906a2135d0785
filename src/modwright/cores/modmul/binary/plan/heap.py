# SPDX-License-Identifier: Apache-2.0
"""Signed sums of shifted bit slices, the common form of products, folds and last subtractions.

A sum is planned here in exact integers and built in hardware by `adders`. Slices are packed into rows of one sign, rows
are cut into segments, and the numbers of a segment are added two at a time (`levels`), so that no carry chain is longer
than a segment and nothing but a route lies in front of it.

An open sum stays in segments: a row, and the carries into its segments as bits of their own. Its value is that of the
signed sum and a known excess, never negative, and nothing is cut off: all bits together are the number, so that it can
be folded or added as it is. A closed sum is a binary number modulo 2^n, made for each of some constants: each segment
is computed for carry-in 0 and 1, and a chain of carries selects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from .....plan.pipeline import LOOKUP, adder
from .levels import Levels, Number, plan_levels

SEGMENT = 32
"""Default of the longest carry chain in bits: by placement on ECP5, routes outweigh chains of this length."""


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

    def cut(self, start: int, end: int) -> Term:
        """The part in [start, end), which is not empty."""
        low, high = max(start, self.shift), min(end, self.end)
        return Term(self.source, self.low + low - self.shift, high - low, low, self.sign)

    def value(self, sources: Mapping[str, int]) -> int:
        """The slice in plain integers, with its sign and weight."""
        return self.sign * ((sources[self.source] >> self.low & ((1 << self.width) - 1)) << self.shift)


@dataclass(frozen=True)
class Piece:
    """A number before the first level: slices in a segment, at positions from its start; or a constant."""

    number: Number
    slices: tuple[Term, ...] = ()
    constant: int = 0

    def value(self, sources: Mapping[str, int]) -> int:
        """The number in plain integers; a slice that is subtracted and counts as a carry is inverted."""
        total = self.constant + sum(abs(t.value(sources)) for t in self.slices)
        return 1 - total if self.inverted else total

    @property
    def inverted(self) -> bool:
        """Whether it is a carry with sign -1, which is added as its complement."""
        return self.number.count and self.slices[0].sign < 0


@dataclass(frozen=True)
class Heap:
    """Sum of terms.

    Parameters
    ----------
    terms : tuple of Term
    segment : int
        Bits of a segment; the highest one is up to half a segment longer or shorter.
    most : int
        Largest Σ terms. An open sum is planned for it.
    constant : int
        Number ≥ 0 that an open sum adds.
    room : int
        Largest constant that the sum is planned for; with 0 it has no row for one.
    width : int or None
        n, bits of a closed sum; None for an open one.
    constants : tuple of int
        A constant of any sign for each result of a closed sum, without the excess.
    """

    terms: tuple[Term, ...]
    segment: int
    most: int
    constant: int = 0
    room: int = 0
    width: int | None = None
    constants: tuple[int, ...] = (0,)

    @property
    def open(self) -> bool:
        """Whether carries stay."""
        return self.width is None

    @cached_property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of each segment."""
        bits = self.width or max(1, self.most.bit_length())
        count = max(1, round(bits / self.segment))
        starts = [self.segment * n for n in range(count)]
        return tuple(zip(starts, [*starts[1:], bits], strict=True))

    @cached_property
    def _inside(self) -> tuple[Term, ...]:
        """The terms; a closed sum has nothing at or above 2^n."""
        if self.width is None:
            return self.terms
        return tuple(t.cut(0, self.width) for t in self.terms if t.shift < self.width)

    @cached_property
    def _counted(self) -> dict[Term, int]:
        """Segment of each bit at the start of one other than the lowest: it is counted like a carry."""
        starts = {start: n for n, (start, _) in enumerate(self.segments) if n}
        return {t: starts[t.shift] for t in self._inside if t.width == 1 and t.shift in starts}

    @cached_property
    def rows(self) -> tuple[tuple[Term, ...], ...]:
        """The other terms in rows of one sign without overlap: first fit by position, which needs the fewest rows."""
        rest = [t for t in self._inside if t not in self._counted]
        return tuple(row for sign in (1, -1) for row in _packed([t for t in rest if t.sign == sign]))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The numbers before the first level."""
        last = len(self.segments) - 1
        pieces = [piece for row in self.rows for piece in self._cut(row)]
        for t in self._inside:
            if t in self._counted:
                carry = Term(t.source, t.low, 1, 0, t.sign)
                pieces.append(Piece(Number(self._counted[t], 1, 1, count=True), (carry,)))
        for n, (start, end) in enumerate(self.segments):
            if self.room >> start:
                below = -1 if n == last else (1 << (end - start)) - 1
                most = min(self.room >> start, below) if n < last else self.room >> start
                pieces.append(Piece(Number(n, 1, most), constant=self.constant >> start & below))
        return tuple(pieces)

    def _cut(self, row: tuple[Term, ...]) -> Iterator[Piece]:
        for n, (start, end) in enumerate(self.segments):
            top = n == len(self.segments) - 1
            inside = [t.cut(start, t.end if top else end) for t in row if t.end > start and (top or t.shift < end)]
            if inside:
                slices = tuple(Term(t.source, t.low, t.width, t.shift - start, t.sign) for t in inside)
                largest = sum(((1 << t.width) - 1) << t.shift for t in slices)
                yield Piece(Number(n, slices[0].sign, largest, low=slices[0].shift), slices)

    @cached_property
    def levels(self) -> Levels:
        """The additions."""
        sizes = tuple(end - start for start, end in self.segments)
        return plan_levels([piece.number for piece in self.pieces], sizes, is_open=self.open)

    @cached_property
    def excess(self) -> int:
        """Value of an open sum, less that of its terms and its constant; for a closed one, what its constants have to
        take away."""
        inverted = sum(1 << self.segments[p.number.segment][0] for p in self.pieces if p.inverted)
        flipped = sum(1 << self.segments[segment][0] + bits for segment, bits in self.levels.flipped)
        later = sum(1 << self.segments[n.segment][1] for n in self.levels.after if n.sign < 0)  # by a constant
        return inverted + flipped + later

    # --- an open sum

    @property
    def largest(self) -> int:
        """Largest value of an open sum."""
        return self.most + self.excess + self.room

    @cached_property
    def layout(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Bits of the row of an open sum; (segment, bits) of each carry, which follow it in this order."""
        top = self.largest >> self.segments[-1][0]
        carries = tuple((segment, most.bit_length()) for segment, most in self.levels.left)
        return self.segments[-1][0] + max(1, top.bit_length()), carries

    def result(self, name: str) -> tuple[Term, ...]:
        """The bits of an open sum that is called `name`."""
        row, carries = self.layout
        terms, at = [Term(name, 0, row, 0)], row
        for segment, bits in carries:
            terms.append(Term(name, at, bits, self.segments[segment][0]))
            at += bits
        return tuple(terms)

    # --- a closed sum

    @cached_property
    def addends(self) -> tuple[int, ...]:
        """The constant of each result of a closed sum in [0, 2^n), without the excess."""
        assert self.width is not None
        return tuple((constant - self.excess) % (1 << self.width) for constant in self.constants)

    @property
    def pairs(self) -> int:
        """Segments with two candidates: the carry into the lowest two is known before."""
        return max(0, len(self.segments) - 2)

    @property
    def most_carries(self) -> int:
        """Largest number of carries that the tree leaves for one segment of a closed sum."""
        return max((n.largest for n in self.levels.after if n.count), default=0)

    @cached_property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """Name and estimated delay of each step that a register may follow."""
        size = max(end - start for start, end in self.segments)
        stages = [(f"level {n}", adder(size)) for n in range(len(self.levels.steps))]
        if self.open:
            return tuple(stages)
        if self.constants != (0,) or self.excess or any(n.sign < 0 for n in self.levels.after):
            stages.append(("constants", adder(size)))
        if len(self.segments) > 1:
            stages.append(("candidates", LOOKUP + adder(size)))
        if self.pairs:
            stages.append(("carries", LOOKUP + adder(self.pairs)))
            stages.append(("select", 2 * LOOKUP))
        return tuple(stages)

    @cached_property
    def cost(self) -> int:
        """Estimated LUT4: an adder bit each, a row less than there are; for a closed sum, what follows the tree."""
        bits = sum(t.width for t in self._inside)
        return bits + (4 * self.width * len(self.constants) if self.width else 0)

    def value(self, sources: Mapping[str, int]) -> int:
        """Σ terms in plain integers."""
        return sum(t.value(sources) for t in self.terms)

    def run(self, sources: Mapping[str, int]) -> int:
        """An open sum as the hardware has it: its row, and the carries above it."""
        numbers = self.levels.run([piece.value(sources) for piece in self.pieces])
        row, carries = self.layout
        result = sum(
            numbers[main] << self.segments[n][0] for n, main in enumerate(self.levels.mains) if main is not None
        )
        at = row
        for index, (_, bits) in zip(self.levels.carries, carries, strict=True):
            result |= numbers[index] << at
            at += bits
        return result


def _packed(terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Terms in the fewest rows without overlap, in which they follow by position."""
    rows: list[list[Term]] = []
    free: list[int] = []  # rows that end at or below the term, and the others with their ends, both as heaps
    busy: list[tuple[int, int]] = []
    for term in sorted(terms, key=lambda t: (t.shift, t.source, t.low)):
        while busy and busy[0][0] <= term.shift:
            heappush(free, heappop(busy)[1])
        if not free:
            heappush(free, len(rows))
            rows.append([])
        row = heappop(free)
        rows[row].append(term)
        heappush(busy, (term.end, row))
    return [tuple(row) for row in rows]

# SPDX-License-Identifier: Apache-2.0
"""Signed sums of shifted bit slices, the common form of products, folds and last subtractions.

A sum is planned here in exact integers and built in hardware by `adders`. Slices are cut into segments and packed into
numbers of one sign, and the numbers of a segment are added two at a time (`levels`), so that no carry chain is much
longer than a segment and nothing but a route lies in front of it. Numbers behind the levels overlap the next segment.

An open sum stays in segments: a row, and what overlaps as terms of their own. Its value is that of the signed sum and a
known excess, never negative, and nothing is cut off: all bits together are the number, so that it can be folded or
added as it is. A joined one adds what overlaps to the next segment, of which a bit is left: one level more, and fewer
bits for the sum that follows.

A closed sum is a binary number modulo 2^n, made for each of some constants, which are numbers like others: each segment
and what overlaps it are added for carry-in 0 and 1, and a chain of carries selects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush

from .....plan.pipeline import LOOKUP, adder
from .levels import Levels, Number, plan_levels

SEGMENT = 32
"""Default of a segment in bits: by placement on ECP5, routes outweigh chains of this length."""


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
    """A number before the first level: slices in a segment, at positions from its start; or the bits of a constant from
    the start on, below 2^bits."""

    number: Number
    slices: tuple[Term, ...] = ()
    start: int = 0
    bits: int = 0

    def value(self, sources: Mapping[str, int], constant: int) -> int:
        """The number in plain integers; a bit that is subtracted is inverted."""
        if not self.slices:
            return self.part(constant)
        total = sum(abs(t.value(sources)) for t in self.slices)
        return 1 - total if self.inverted else total

    def part(self, constant: int) -> int:
        """The bits of the constant."""
        return constant >> self.start & ((1 << self.bits) - 1)

    @property
    def inverted(self) -> bool:
        """Whether it is a bit with sign -1, which is added as its complement."""
        return self.number.bit and self.slices[0].sign < 0


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
        Largest constant that the sum is planned for; with 0 it has no number for one.
    joined : bool
        Whether an open sum is joined.
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
    joined: bool = False
    width: int | None = None
    constants: tuple[int, ...] = (0,)

    @property
    def open(self) -> bool:
        """Whether segments overlap in the result."""
        return self.width is None

    @cached_property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of each segment."""
        bits = self.width or max(1, self.most.bit_length())
        count = max(1, round(bits / self.segment))
        starts = [self.segment * n for n in range(count)]
        return tuple(zip(starts, [*starts[1:], bits], strict=True))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Bits of each segment."""
        return tuple(end - start for start, end in self.segments)

    @cached_property
    def inside(self) -> tuple[Term, ...]:
        """The terms; a closed sum has nothing at or above 2^n."""
        if self.width is None:
            return self.terms
        return tuple(t.cut(0, self.width) for t in self.terms if t.shift < self.width)

    @cached_property
    def bits(self) -> tuple[tuple[Term, int], ...]:
        """Each bit at the start of a segment other than the lowest, with that segment: it enters additions."""
        starts = {start: n for n, (start, _) in enumerate(self.segments) if n}
        return tuple((t, starts[t.shift]) for t in self.inside if t.width == 1 and t.shift in starts)

    @cached_property
    def rows(self) -> tuple[tuple[tuple[Term, ...], ...], ...]:
        """The numbers of each segment as slices of one sign without overlap: first fit by position, which needs the
        fewest."""
        last = len(self.segments) - 1
        parts: list[tuple[list[Term], list[Term]]] = [([], []) for _ in self.segments]
        for t in self.inside:
            first = min(t.shift // self.segment, last)
            if t.width > 1 or not first or t.shift != self.segments[first][0]:
                for n in range(first, min((t.end - 1) // self.segment, last) + 1):
                    start, end = self.segments[n]
                    parts[n][t.sign < 0].append(t.cut(start, t.end if n == last else end))
        return tuple((*_packed(plus), *_packed(minus)) for plus, minus in parts)

    @property
    def depth(self) -> int:
        """Most numbers in a segment."""
        return max(map(len, self.rows), default=0)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The numbers before the first level."""
        pieces = []
        for n, (rows, (start, _)) in enumerate(zip(self.rows, self.segments, strict=True)):
            for row in rows:
                slices = tuple(Term(t.source, t.low, t.width, t.shift - start, t.sign) for t in row)
                largest = sum(((1 << t.width) - 1) << t.shift for t in slices)
                pieces.append(Piece(Number(n, slices[0].sign, largest, low=slices[0].shift), slices))
        for t, n in self.bits:
            pieces.append(Piece(Number(n, 1, 1, bit=True), (Term(t.source, t.low, 1, 0, t.sign),)))
        return (*pieces, *self._constant_pieces())

    def _constant_pieces(self) -> Iterator[Piece]:
        """The numbers of a constant."""
        room = self.room if self.width is None else self._closed_room
        for n, (start, end) in enumerate(self.segments):
            if room >> start:
                top = n == len(self.segments) - 1
                most = room >> start if top else min(room >> start, (1 << end - start) - 1)
                yield Piece(Number(n, 1, most, varies=True), start=start, bits=most.bit_length())

    @property
    def _closed_room(self) -> int:
        """Largest constant of a closed sum; without subtractions there is no excess to take away."""
        if self.constants == (0,) and all(t.sign > 0 for t in self.inside):
            return 0
        return (1 << (self.width or 0)) - 1

    @cached_property
    def levels(self) -> Levels:
        """The additions."""
        return plan_levels([piece.number for piece in self.pieces], self.sizes, is_open=self.open)

    @cached_property
    def excess(self) -> int:
        """Value of an open sum, less that of its terms and its constant; for a closed one, what its constants have to
        take away."""
        inverted = sum(1 << self.segments[p.number.segment][0] for p in self.pieces if p.inverted)
        return inverted + sum(1 << self.segments[segment][0] + bits for segment, bits in self.levels.flipped)

    @cached_property
    def joins(self) -> tuple[tuple[int, ...], ...]:
        """Largest number of each segment before and behind each join.

        A join adds to a segment what overlaps it. One is enough where segments have more bits than the number of
        levels. Behind the last one of an open sum one bit overlaps; behind that of a closed one, less than a segment.
        """
        found = [tuple(0 if main is None else self.levels.after[main].largest for main in self.levels.mains)]
        bits = [int(bit is not None) for bit in self.levels.bits]
        while self._overlap(found[-1]):
            highs = [0, *(largest >> size for largest, size in zip(found[-1], self.sizes, strict=True))]
            lows = [min(largest, (1 << size) - 1) for largest, size in zip(found[-1], self.sizes, strict=True)]
            lows[-1] = found[-1][-1]
            sums = [low + high + bit for low, high, bit in zip(lows, highs, bits, strict=False)]
            sums[-1] = sums[-1] if self.open else min(sums[-1], (1 << self.sizes[-1]) - 1)
            found.append(tuple(sums))
            bits = [0] * len(bits)
        return tuple(found)

    @property
    def ends(self) -> tuple[int, ...]:
        """Largest number of each segment behind the levels and joins."""
        return self.joins[-1]

    def _overlap(self, largest: Sequence[int]) -> bool:
        """Whether segments have to be joined."""
        if self.open and not self.joined:
            return False
        each = zip(largest[:-1], self.sizes[:-1], strict=True)
        return any(number >> size > (1 if self.open else (1 << size) - 1) for number, size in each)

    def changed(self, *, constant: int | None = None, joined: bool | None = None) -> Heap:
        """The sum with another constant or end; its levels do not depend on them, and are not planned again."""
        constant = self.constant if constant is None else constant
        found = replace(self, constant=constant, joined=self.joined if joined is None else joined)
        found.__dict__.update(rows=self.rows, pieces=self.pieces, levels=self.levels, excess=self.excess)
        return found

    # --- an open sum

    @property
    def largest(self) -> int:
        """Largest value of an open sum."""
        return self.most + self.excess + self.room

    @cached_property
    def layout(self) -> tuple[int, tuple[tuple[int, int], ...], tuple[int, ...]]:
        """Bits of the row of an open sum; (segment, bits) of what overlaps each segment; segments with a bit that was
        left. The terms follow in this order."""
        mains, start = self.ends, self.segments[-1][0]
        top = min(self.largest >> start, mains[-1])
        over = [
            (n + 1, (most >> size).bit_length()) for n, (most, size) in enumerate(zip(mains, self.sizes, strict=True))
        ]
        left = [n for n, bit in enumerate(self.levels.bits) if bit is not None and len(self.joins) == 1]
        return start + max(1, top.bit_length()), tuple((n, bits) for n, bits in over[:-1] if bits), tuple(left)

    def result(self, name: str) -> tuple[Term, ...]:
        """The bits of an open sum that is called `name`."""
        row, over, left = self.layout
        terms, at = [Term(name, 0, row, 0)], row
        for segment, bits in (*over, *((segment, 1) for segment in left)):
            terms.append(Term(name, at, bits, self.segments[segment][0]))
            at += bits
        return tuple(terms)

    # --- a closed sum

    @cached_property
    def addends(self) -> tuple[int, ...]:
        """The constant of each result; of a closed sum in [0, 2^n), less the excess."""
        if self.width is None:
            return (self.constant,)
        return tuple((constant - self.excess) % (1 << self.width) for constant in self.constants)

    @property
    def pairs(self) -> int:
        """Segments with two candidates: the carry into the lowest two is known before."""
        return max(0, len(self.segments) - 2)

    @property
    def most_over(self) -> int:
        """Largest number that overlaps a segment of a closed sum when its candidates are made."""
        each = zip(self.ends[:-1], self.sizes[:-1], strict=True)
        return max((most >> size for most, size in each), default=0)

    @cached_property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """Name and estimated delay of each step that a register may follow."""
        size = max(self.sizes)
        stages = [(f"level {n}", adder(size)) for n in range(len(self.levels.steps))]
        stages += [(f"join {n}", adder(size)) for n in range(len(self.joins) - 1)]
        if not self.open and len(self.segments) > 1:
            stages.append(("candidates", adder(size)))
            if self.pairs:
                stages += [("carries", LOOKUP + adder(self.pairs)), ("select", 2 * LOOKUP)]
        return tuple(stages)

    @cached_property
    def cost(self) -> int:
        """Estimated LUT4: an adder bit each, a row less than there are; for a closed sum, what follows the tree."""
        bits = sum(t.width for t in self.inside)
        return bits + (4 * self.width * len(self.constants) if self.width else 0)

    def value(self, sources: Mapping[str, int]) -> int:
        """Σ terms in plain integers."""
        return sum(t.value(sources) for t in self.terms)

    def run(self, sources: Mapping[str, int]) -> int:
        """An open sum as the hardware has it: its row, and above it what overlaps."""
        numbers = self.levels.run([piece.value(sources, self.constant) for piece in self.pieces])
        mains = [0 if index is None else numbers[index] for index in self.levels.mains]
        bits = [0 if index is None else numbers[index] for index in self.levels.bits]
        for _ in self.joins[1:]:
            mains = [low + high + bit for low, high, bit in zip(*self._halves(mains), bits, strict=True)]
            bits = [0] * len(bits)
        lows, highs = self._halves(mains)
        row, over, left = self.layout
        result = sum(low << start for low, (start, _) in zip(lows, self.segments, strict=True))
        at = row
        for value, width in (*((highs[n], width) for n, width in over), *((bits[n], 1) for n in left)):
            result |= value << at
            at += width
        return result

    def _halves(self, mains: Sequence[int]) -> tuple[list[int], list[int]]:
        """The own bits of each segment, the highest one whole, and what overlaps it from below."""
        lows = [main & ((1 << size) - 1) for main, size in zip(mains, self.sizes, strict=True)]
        highs = [main >> size for main, size in zip(mains, self.sizes, strict=True)]
        return [*lows[:-1], mains[-1]], [0, *highs[:-1]]


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


def highest(terms: Sequence[Term], segment: int) -> int:
    """Most numbers that some segment has, of terms that are packed."""
    changes: dict[tuple[int, int], int] = defaultdict(int)
    for t in terms:
        if t.width > 1 or t.shift % segment:
            changes[t.sign, t.shift] += 1
            changes[t.sign, t.end] -= 1
    most: dict[tuple[int, int], int] = defaultdict(int)
    height, last = 0, (0, 0)
    for (sign, at), change in sorted(changes.items()):
        if sign == last[0]:
            for n in range(last[1] // segment, (at - 1) // segment + 1):
                most[sign, n] = max(most[sign, n], height)
        height, last = height + change, (sign, at)
    return max((most[1, n] + most[-1, n] for _, n in list(most)), default=0)

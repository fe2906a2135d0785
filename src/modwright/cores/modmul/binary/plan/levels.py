# SPDX-License-Identifier: Apache-2.0
"""Levels of additions in segments: two numbers of a segment at a time, and the carries into a segment counted aside.

Numbers of a segment have a sign. One of each sign are subtracted, others added, so that no bit is inverted in front of
a chain: a - b + 2^n has the bits of a - b below n, and a carry that is the inverted borrow. What is above a segment
goes to the next one as a carry. Carries with sign -1 are counted as their complement. Carries are added in groups next
to the numbers, and meet them when one number and one count are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GROUP = 3
"""Counts that are added in one level."""


@dataclass(frozen=True)
class Number:
    """A number between two levels.

    Parameters
    ----------
    segment : int
        Segment at whose start its lowest bit lies.
    sign : int
        1, or -1 if it is subtracted.
    largest : int
        Largest value.
    low : int
        Bits below this one are 0.
    count : bool
        Whether it is a number of carries.
    """

    segment: int
    sign: int
    largest: int
    low: int = 0
    count: bool = False


@dataclass(frozen=True)
class Step:
    """Σ added - minus + 2^n for one number that is subtracted.

    Parameters
    ----------
    added : tuple of int
        Indices of numbers of the level before.
    minus : int or None
        Index of the number that is subtracted.
    bits : int
        Number n of bits that are the result.
    carry : str
        Place of the bits above: "" where they are cut off or 0, "next" for the next segment, "inverted" for that with
        the opposite sign, "top" where they stay.
    """

    added: tuple[int, ...]
    minus: int | None
    bits: int
    carry: str

    def run(self, numbers: Sequence[int] | Mapping[int, int]) -> tuple[int, ...]:
        """The results in plain integers."""
        total = sum(numbers[n] for n in self.added)
        if self.minus is not None:
            total += (1 << self.bits) - numbers[self.minus]
        if self.carry == "top":
            return (total,)
        low, high = total & ((1 << self.bits) - 1), total >> self.bits
        return (low, *{"": (), "next": (high,), "inverted": (1 - high,)}[self.carry])


@dataclass(frozen=True)
class Levels:
    """The additions of a sum.

    Parameters
    ----------
    steps : tuple of tuple of Step
        Steps of each level; results follow in this order.
    numbers : tuple of tuple of Number
        Numbers before each level, and behind the last one.
    flipped : tuple of (int, int)
        (segment, n) of each 2^n that was added to the sum, from the start of the segment.
    segments : int
        Number of segments.
    """

    steps: tuple[tuple[Step, ...], ...]
    numbers: tuple[tuple[Number, ...], ...]
    flipped: tuple[tuple[int, int], ...]
    segments: int

    @property
    def after(self) -> tuple[Number, ...]:
        """Numbers behind the last level."""
        return self.numbers[-1]

    @property
    def mains(self) -> tuple[int | None, ...]:
        """Index of the number of each segment behind the last level."""
        found = {n.segment: index for index, n in enumerate(self.after) if not n.count}
        return tuple(found.get(segment) for segment in range(self.segments))

    @property
    def carries(self) -> tuple[int, ...]:
        """Indices of the carries behind the last level."""
        return tuple(index for index, n in enumerate(self.after) if n.count)

    @property
    def left(self) -> tuple[tuple[int, int], ...]:
        """(segment, largest value) of each of them."""
        return tuple((self.after[index].segment, self.after[index].largest) for index in self.carries)

    def run(self, numbers: Sequence[int]) -> list[int]:
        """The numbers behind the last level in plain integers."""
        for level in self.steps:
            numbers = [value for step in level for value in step.run(numbers)]
        return list(numbers)


def plan_levels(numbers: Sequence[Number], sizes: tuple[int, ...], *, is_open: bool) -> Levels:
    """Levels until each segment has one number and one count at most; those of an open sum are added, too.

    Parameters
    ----------
    numbers : sequence of Number
        Numbers before the first level.
    sizes : tuple of int
        Bits of each segment.
    is_open : bool
        Whether nothing is cut off above the highest segment.
    """
    planner = _Planner(list(numbers), sizes, is_open)
    while planner.crowded():
        planner.level(planner.reduced())
    if is_open and any(n.count or n.sign < 0 for n in planner.numbers):
        planner.level(planner.joined())
    return Levels(tuple(planner.steps), tuple(planner.all), tuple(planner.flipped), len(sizes))


@dataclass(frozen=True)
class _Wish:
    """Numbers to be added or subtracted; `sign` is that of the result."""

    segment: int
    added: tuple[int, ...]
    minus: int | None = None
    sign: int = 1
    count: bool = False


class _Planner:
    def __init__(self, numbers: list[Number], sizes: tuple[int, ...], is_open: bool) -> None:
        self.numbers, self.sizes, self.is_open = numbers, sizes, is_open
        self.all = [tuple(numbers)]
        self.steps: list[tuple[Step, ...]] = []
        self.flipped: list[tuple[int, int]] = []

    def _of(self, segment: int, count: bool) -> list[int]:
        return [i for i, n in enumerate(self.numbers) if n.segment == segment and n.count == count]

    def crowded(self) -> bool:
        """Whether a segment has two numbers, or two counts."""
        kinds = [(n.segment, n.count) for n in self.numbers]
        return len(set(kinds)) < len(kinds)

    def reduced(self) -> list[_Wish]:
        """Pairs of numbers, and groups of counts."""
        wishes = []
        for segment in range(len(self.sizes)):
            wishes += self._pairs(segment)
            counts = self._of(segment, True)
            groups = [tuple(counts[at : at + GROUP]) for at in range(0, len(counts), GROUP)]
            wishes += [_Wish(segment, group, count=True) for group in groups]
        return wishes

    def _pairs(self, segment: int) -> list[_Wish]:
        mains = self._of(segment, False)
        plus = [i for i in mains if self.numbers[i].sign > 0]
        minus = [i for i in mains if self.numbers[i].sign < 0]
        both = min(len(plus), len(minus))
        wishes = [_Wish(segment, (a,), b) for a, b in zip(plus, minus, strict=False)]
        for rest, sign in ((plus[both:], 1), (minus[both:], -1)):
            wishes += [_Wish(segment, tuple(rest[at : at + 2]), sign=sign) for at in range(0, len(rest), 2)]
        return wishes

    def joined(self) -> list[_Wish]:
        """The number of each segment and its count."""
        wishes = []
        for segment in range(len(self.sizes)):
            mains, counts = self._of(segment, False), tuple(self._of(segment, True))
            if mains and self.numbers[mains[0]].sign < 0:
                wishes.append(_Wish(segment, counts, mains[0]))
            elif mains or counts:
                wishes.append(_Wish(segment, (*mains, *counts)))
        return wishes

    def level(self, wishes: list[_Wish]) -> None:
        """Add a level."""
        steps, numbers = [], []
        for wish in wishes:
            step, found = self._step(wish)
            steps.append(step)
            numbers += found
        self.steps.append(tuple(steps))
        self.numbers = numbers
        self.all.append(tuple(numbers))

    def _step(self, wish: _Wish) -> tuple[Step, list[Number]]:
        """A step and its results."""
        given = [self.numbers[n] for n in wish.added]
        largest = sum(n.largest for n in given)
        top = wish.segment == len(self.sizes) - 1
        size = self.sizes[wish.segment]
        if wish.count or (top and self.is_open and wish.minus is None):
            low = min(n.low for n in given)
            result = Number(wish.segment, wish.sign, largest, low, wish.count)
            return Step(wish.added, None, largest.bit_length(), ""), [result]
        if wish.minus is not None:
            return self._difference(wish, largest, top=top, size=size)
        low = min(n.low for n in given)
        most = (1 << size) - 1
        result = Number(wish.segment, wish.sign, min(most, largest), low)
        if largest <= most or top:
            return Step(wish.added, None, size, ""), [result]
        carry = Number(wish.segment + 1, 1, largest >> size, count=True)
        if wish.sign > 0:
            return Step(wish.added, None, size, "next"), [result, carry]
        self.flipped.append((wish.segment + 1, 0))
        return Step(wish.added, None, size, "inverted"), [result, carry]

    def _difference(self, wish: _Wish, largest: int, *, top: bool, size: int) -> tuple[Step, list[Number]]:
        assert wish.minus is not None
        subtracted = self.numbers[wish.minus]
        bits = max(size, largest.bit_length(), subtracted.largest.bit_length()) if top and self.is_open else size
        low = min([subtracted.low, *(self.numbers[n].low for n in wish.added)])
        self.flipped.append((wish.segment, bits))
        if top and self.is_open:
            return Step(wish.added, wish.minus, bits, "top"), [Number(wish.segment, 1, largest + (1 << bits), low)]
        result = Number(wish.segment, 1, (1 << bits) - 1, low)
        if top:
            return Step(wish.added, wish.minus, bits, ""), [result]
        carry = Number(wish.segment + 1, 1, (largest + (1 << bits)) >> bits, count=True)
        return Step(wish.added, wish.minus, bits, "next"), [result, carry]

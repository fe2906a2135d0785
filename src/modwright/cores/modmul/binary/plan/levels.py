# SPDX-License-Identifier: Apache-2.0
"""Levels of additions in segments: two numbers of a segment at a time, and no carry from one segment to the next.

Numbers of a segment have a sign. One of each sign are subtracted, others added, so that no bit is inverted in front of
a chain: a - b + 2^n is not negative. A result may be wider than its segment, a bit more for each level, and overlaps
the next segment by these bits. So the segments of a sum have nothing to do with each other until its end.

A number of one bit at the start of a segment enters an addition of two others there, as the carry into its chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


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
    bit : bool
        Whether it is a bit that enters additions.
    varies : bool
        Whether it differs among the results of a sum with several constants.
    """

    segment: int
    sign: int
    largest: int
    low: int = 0
    bit: bool = False
    varies: bool = False


@dataclass(frozen=True)
class Step:
    """Σ added + entering - minus + 2^n for one number that is subtracted.

    Parameters
    ----------
    added : tuple of int
        Indices of at most two numbers of the level before.
    entering : int or None
        Index of a bit that is added, too.
    minus : int or None
        Index of the number that is subtracted.
    bits : int
        Number n of bits: all of a sum, those of the greater operand of a difference.
    cut : bool
        Whether the result is modulo 2^n.
    """

    added: tuple[int, ...]
    entering: int | None
    minus: int | None
    bits: int
    cut: bool

    @property
    def operands(self) -> tuple[int, ...]:
        """Indices of all numbers that it reads."""
        return (*self.added, *(n for n in (self.entering, self.minus) if n is not None))

    def run(self, numbers: Sequence[int] | Mapping[int, int]) -> int:
        """The result in plain integers."""
        total = sum(numbers[n] for n in self.added) + (0 if self.entering is None else numbers[self.entering])
        if self.minus is not None:
            total += (1 << self.bits) - numbers[self.minus]
        return total & ((1 << self.bits) - 1) if self.cut else total


@dataclass(frozen=True)
class Levels:
    """The additions of a sum.

    Parameters
    ----------
    steps : tuple of tuple of Step
        Steps of each level; each has one result, in this order.
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
        """Index of the number of each segment behind the last level, bits aside."""
        found = {n.segment: index for index, n in enumerate(self.after) if not n.bit}
        return tuple(found.get(segment) for segment in range(self.segments))

    @property
    def bits(self) -> tuple[int | None, ...]:
        """Index of the bit at the start of each segment that is left behind the last level."""
        found = {n.segment: index for index, n in enumerate(self.after) if n.bit}
        return tuple(found.get(segment) for segment in range(self.segments))

    def run(self, numbers: Sequence[int]) -> list[int]:
        """The numbers behind the last level in plain integers."""
        for level in self.steps:
            numbers = [step.run(numbers) for step in level]
        return list(numbers)


def plan_levels(numbers: Sequence[Number], sizes: tuple[int, ...], *, is_open: bool) -> Levels:
    """Levels until each segment has one number, which is not subtracted; next to it an open sum may have a bit.

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
    while any(planner.crowded(segment) for segment in range(len(sizes))):
        planner.level()
    return Levels(tuple(planner.steps), tuple(planner.all), tuple(planner.flipped), len(sizes))


@dataclass(frozen=True)
class _Wish:
    """Numbers to be added or subtracted; `sign` is that of the result."""

    added: tuple[int, ...]
    minus: int | None = None
    sign: int = 1
    entering: int | None = None
    bit: bool = False


class _Planner:
    def __init__(self, numbers: list[Number], sizes: tuple[int, ...], is_open: bool) -> None:
        self.sizes, self.is_open = sizes, is_open
        self.all: list[tuple[Number, ...]] = []
        self.steps: list[tuple[Step, ...]] = []
        self.flipped: list[tuple[int, int]] = []
        self._take(numbers)

    def _take(self, numbers: Sequence[Number]) -> None:
        """Numbers between two levels."""
        self.numbers = tuple(numbers)
        self.all.append(self.numbers)
        self.inside: list[list[int]] = [[] for _ in self.sizes]
        for index, number in enumerate(numbers):
            self.inside[number.segment].append(index)

    def _of(self, segment: int, *, bit: bool, sign: int = 1) -> list[int]:
        """Indices of numbers, those that differ among results last."""
        found = [
            i for i in self.inside[segment] if self.numbers[i].bit == bit and (bit or self.numbers[i].sign == sign)
        ]
        return sorted(found, key=lambda i: self.numbers[i].varies)

    def crowded(self, segment: int) -> bool:
        """Whether a segment has two numbers, one that is subtracted, or a bit too many."""
        bits = self._of(segment, bit=True)
        plus, minus = self._of(segment, bit=False), self._of(segment, bit=False, sign=-1)
        return len(plus) > 1 or len(minus) > 0 or len(bits) > int(self.is_open)

    def level(self) -> None:
        """Add a level."""
        steps, numbers = [], []
        for segment in range(len(self.sizes)):
            for wish in self._wishes(segment) if self.crowded(segment) else self._kept(segment):
                step, number = self._step(segment, wish)
                steps.append(step)
                numbers.append(number)
        self.steps.append(tuple(steps))
        self._take(numbers)

    def _kept(self, segment: int) -> list[_Wish]:
        """The numbers of a segment as they are."""
        return [_Wish((n,), bit=bit) for bit in (False, True) for n in self._of(segment, bit=bit)]

    def _wishes(self, segment: int) -> list[_Wish]:
        """Pairs of numbers, each of two that are added with a bit that enters.

        Bits for which later additions are too few are numbers of their own, or enter one without a partner.
        """
        bits = self._of(segment, bit=True)
        plus, minus = self._of(segment, bit=False), self._of(segment, bit=False, sign=-1)
        both = min(len(plus), len(minus))
        wishes = [_Wish((a,), b) for a, b in zip(plus, minus, strict=False)]
        plus, minus = plus[both:], minus[both:]
        if len(minus) == 1 and not wishes:
            return [_Wish(tuple(bits[:1]), minus[0]), *(_Wish((n,), bit=True) for n in bits[1:])]
        wishes += [_Wish(tuple(minus[at : at + 2]), sign=-1) for at in range(0, len(minus), 2)]
        for at in range(0, len(plus) - 1, 2):
            wishes.append(_Wish(tuple(plus[at : at + 2]), entering=bits.pop() if bits else None))
        single = plus[-1:] if len(plus) % 2 else []
        while len(bits) > len(wishes) and (single or bits):
            taken, bits = bits[: 3 - len(single)], bits[3 - len(single) :]
            added = [*single, *taken]
            wishes.append(_Wish(tuple(added[:2]), entering=added[2] if len(added) > 2 else None))
            single = []
        if single:
            wishes.append(_Wish(tuple(single)))
        return [*wishes, *(_Wish((n,), bit=True) for n in bits)]

    def _step(self, segment: int, wish: _Wish) -> tuple[Step, Number]:
        """A step and its result."""
        read = [self.numbers[n] for n in (*wish.added, *(n for n in (wish.entering, wish.minus) if n is not None))]
        largest = sum(self.numbers[n].largest for n in wish.added) + (wish.entering is not None)
        cut = segment == len(self.sizes) - 1 and not self.is_open
        bits = self.sizes[segment] if cut else largest.bit_length()
        if wish.minus is not None:
            bits = max(bits, 1) if cut else max(bits, self.numbers[wish.minus].largest.bit_length())
            largest += 1 << bits
            if not cut:
                self.flipped.append((segment, bits))
        low = 0 if wish.entering is not None else min(n.low for n in read)
        largest = min(largest, (1 << bits) - 1) if cut else largest
        number = Number(segment, wish.sign, largest, low, wish.bit, any(n.varies for n in read))
        return Step(wish.added, wish.entering, wish.minus, bits, cut), number

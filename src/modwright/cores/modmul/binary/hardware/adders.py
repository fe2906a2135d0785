# SPDX-License-Identifier: Apache-2.0
"""Hardware of a heap: levels of additions in segments, then the joins and the carries of its end (see `plan.heap`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..plan.heap import Heap, Piece
from ..plan.levels import Number, Step

NONE: Mapping[int, Mapping[str, Value]] = {}
"""No segment with sources of its own."""
SHORT = 2
"""Most carries that logic computes for a selection; more are computed by an adder with a bit for each."""


def first_numbers(
    heap: Heap, sources: Mapping[str, Value], constant: int, near: Mapping[int, Mapping[str, Value]] = NONE
) -> list[Value]:
    """The numbers before the first level, for one constant; `near` has sources that some segments read instead."""
    return [_joined(piece, {**sources, **near.get(piece.number.segment, {})}, constant) for piece in heap.pieces]


def _joined(piece: Piece, sources: Mapping[str, Value], constant: int) -> Value:
    """A number of slices, or a constant, which is also what lies above a source that is narrower."""
    if not piece.slices:
        return _constant(piece.part(constant))
    inside = [t for t in piece.slices if t.low < len(sources[t.source])]
    if not inside:
        return _constant(int(piece.inverted))
    parts: list[Value] = []
    at = 0
    for term in inside:
        bits = sources[term.source][term.low : term.low + term.width]
        parts += [Const(0, term.shift - at), bits]
        at = term.shift + len(bits)
    joined = Cat(*parts)
    return ~joined if piece.inverted else joined


def _constant(value: int) -> Const:
    return Const(value, max(1, value.bit_length()))


def add_level(m: Module, heap: Heap, level: int, sets: Sequence[Sequence[Value]], name: str) -> list[list[Value]]:
    """The numbers behind a level, for each constant; those that do not depend on it are the same signals."""
    before, after = heap.levels.numbers[level : level + 2]
    results: list[list[Value]] = []
    for number, numbers in enumerate(sets):
        found = []
        for index, step in enumerate(heap.levels.steps[level]):
            if number and not after[index].varies:
                found.append(results[0][index])
            else:
                found.append(_add(m, step, before, numbers, f"{name}_{level}_{index}_{number}"))
        results.append(found)
    return results


def _add(m: Module, step: Step, before: Sequence[Number], numbers: Sequence[Value], name: str) -> Value:
    """Result of a step: the bits below the lowest that two numbers share need no adder."""
    constants = {n: number.value for n in step.operands if isinstance(number := numbers[n], Const)}
    if len(constants) == len(step.operands):
        return _constant(step.run(constants))
    values = [numbers[n] for n in step.added]
    if step.entering is not None:
        return _sum(m, values, numbers[step.entering], step.bits, name)
    lows = [before[n].low for n in step.added]
    if step.minus is None and len(values) == 1:
        return values[0][: step.bits]
    split = max(lows) if step.minus is None else before[step.minus].low
    below = [value for value, low in zip(values, lows, strict=True) if low < split]
    low = Cat(*(value[:split] for value in below[:1]), Const(0, split - sum(min(split, len(v)) for v in below[:1])))
    above = [value[split:] for value in values]
    if step.minus is None:
        return Cat(low, _sum(m, above, None, step.bits - split, name))
    total = Signal(step.bits - split + (not step.cut), name=name)
    added = Cat(exactly(sum(above, Const(0, 0)), step.bits - split), Const(1, 1))
    m.d.comb += total.eq(added - numbers[step.minus][split:])
    return Cat(low, total)


def _sum(m: Module, values: Sequence[Value], entering: Value | None, bits: int, name: str) -> Value:
    """A sum of at most two numbers and a bit, which is the carry into their chain: made by a bit below, next to a 1."""
    if entering is None:
        total = Signal(bits, name=name)
        m.d.comb += total.eq(sum(values, Const(0, 0)))
        return total
    first, second = (*values, Const(0, 1))[:2]
    total = Signal(bits + 1, name=name)
    m.d.comb += total.eq(Cat(entering, first) + Cat(Const(1, 1), second))
    return total[1:]


def join(m: Module, heap: Heap, index: int, numbers: Sequence[Value], name: str) -> list[Value]:
    """Each segment's own bits and what overlaps it from below; the bits that were left by the levels, too."""
    mains = _mains(heap, numbers) if index == 0 else list(numbers)
    bits = [None if n is None or index else numbers[n] for n in heap.levels.bits]
    lows, highs = _halves(heap, mains, heap.joins[index])
    result: list[Value] = []
    for n, (low, high, most) in enumerate(zip(lows, highs, heap.joins[index + 1], strict=True)):
        bit, width = bits[n], max(1, most.bit_length())
        if high is None:
            high, bit = bit, None
        result.append(low[:width] if high is None else _sum(m, [low, high], bit, width, f"{name}_{n}"))
    return result


def _mains(heap: Heap, numbers: Sequence[Value]) -> list[Value]:
    """The number of each segment behind the levels."""
    return [Const(0, 1) if main is None else numbers[main] for main in heap.levels.mains]


def _halves(heap: Heap, mains: Sequence[Value], most: Sequence[int]) -> tuple[list[Value], list[Value | None]]:
    """The own bits of each segment, the highest one whole, and what overlaps it from below, where something can."""
    lows = [main[:size] for main, size in zip(mains, heap.sizes, strict=True)]
    highs = [
        main[size : largest.bit_length()] if largest >> size else None
        for main, size, largest in zip(mains, heap.sizes, most, strict=True)
    ]
    return [*lows[:-1], mains[-1]], [None, *highs[:-1]]


def joined_row(heap: Heap, numbers: Sequence[Value]) -> Value:
    """An open sum: its row, and above it what overlaps, from the numbers behind the levels or the last join."""
    joined = len(heap.joins) > 1
    mains = list(numbers) if joined else _mains(heap, numbers)
    width, over, left = heap.layout
    lows, highs = _halves(heap, mains, heap.ends)
    parts: list[Value] = []
    for n, ((start, end), low) in enumerate(zip(heap.segments, lows, strict=True)):
        parts.append(exactly(low, (width if n == len(lows) - 1 else end) - start))
    for n, bits in over:
        high = highs[n]
        parts.append(exactly(Const(0, 1) if high is None else high, bits))
    bits = heap.levels.bits
    parts += [exactly(numbers[bits[n] or 0], 1) for n in left]
    return Cat(*parts)


def exactly(value: Value, bits: int) -> Value:
    """The value as a number of so many bits."""
    return Cat(value[:bits], Const(0, max(0, bits - len(value))))


# --- a closed sum


class Closing:
    """Writer of what follows the levels and joins of a closed sum, for one constant.

    Each method gives the values of the next stage from those of the one before.
    """

    def __init__(self, m: Module, heap: Heap, name: str) -> None:
        self.m, self.heap, self.name = m, heap, name

    def whole(self, numbers: Sequence[Value]) -> Value:
        """The sum where there is one segment."""
        (main,) = numbers if len(self.heap.joins) > 1 else _mains(self.heap, numbers)
        return exactly(main, self.heap.sizes[0])

    def candidates(self, numbers: Sequence[Value]) -> list[Value]:
        """Each segment, with its carry on top, for carry-in 0; from the third one on for carry-in 1, too."""
        mains = list(numbers) if len(self.heap.joins) > 1 else _mains(self.heap, numbers)
        lows, highs = _halves(self.heap, mains, self.heap.ends)
        result: list[Value] = [exactly(lows[0], self.heap.sizes[0])]
        for n, size in enumerate(self.heap.sizes[1:], start=1):
            high = highs[n]
            values = [exactly(lows[n], size), Const(0, 1) if high is None else high]
            for more in (0,) if n == 1 else (0, 1):
                name = f"{self.name}_candidate_{n}_{more}"
                result.append(_sum(self.m, values, Const(1, 1) if more else None, size + 1, name))
        return result

    def carries(self, values: Sequence[Value]) -> list[Value]:
        """The carry into each segment from the third one on, and the candidates.

        Segment k generates a carry when its candidate for 0 has one and passes one on when its candidate for 1 has
        one, so the carries are those inside the sum of these two rows of bits.
        """
        first, pairs = values[1][-1], _pairs(values)
        if len(pairs) <= SHORT:
            carries = [first]
            for zero, one in pairs[:-1]:
                carries.append(zero[-1] | (one[-1] & carries[-1]))
            return [Cat(*carries), *values]
        generate = Cat(first, *(zero[-1] for zero, _ in pairs))
        allow = Cat(first, *(one[-1] for _, one in pairs))
        inside = (generate + allow) ^ generate ^ allow
        return [inside[1 : len(pairs) + 1], *values]

    def select(self, values: Sequence[Value]) -> Value:
        """The sum: each segment chosen by the carry into it."""
        carries, *rest = values
        chosen = [Mux(carries[n], one, zero)[:-1] for n, (zero, one) in enumerate(_pairs(rest))]
        return Cat(rest[0], rest[1][:-1], *chosen)


def _pairs(values: Sequence[Value]) -> list[tuple[Value, Value]]:
    return list(zip(values[2::2], values[3::2], strict=True))

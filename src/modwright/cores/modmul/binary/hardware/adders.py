# SPDX-License-Identifier: Apache-2.0
"""Hardware of a heap: levels of additions in segments, then the carries of a closed sum (see `plan.heap`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..plan.heap import Heap, Piece
from ..plan.levels import Number, Step

SHORT = 2
"""Most carries that logic computes for a selection; more are computed by an adder with a bit for each."""


def first_numbers(heap: Heap, sources: Mapping[str, Value]) -> list[Value]:
    """The numbers before the first level."""
    return [_joined(piece, sources) for piece in heap.pieces]


def _joined(piece: Piece, sources: Mapping[str, Value]) -> Value:
    """A number of slices, or a constant, which is also what lies above a source that is narrower."""
    inside = [t for t in piece.slices if t.low < len(sources[t.source])]
    if not inside:
        return _constant(int(piece.inverted) if piece.slices else piece.constant)
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


def add_level(m: Module, heap: Heap, level: int, numbers: Sequence[Value], name: str) -> list[Value]:
    """The numbers behind a level."""
    before = heap.levels.numbers[level]
    result = []
    for index, step in enumerate(heap.levels.steps[level]):
        result += _add(m, step, before, numbers, f"{name}_{level}_{index}")
    return result


def _add(m: Module, step: Step, before: Sequence[Number], numbers: Sequence[Value], name: str) -> list[Value]:
    """Results of a step: the bits below the lowest that two numbers share need no adder."""
    values = [numbers[n] for n in step.added]
    lows = [before[n].low for n in step.added]
    minus = None if step.minus is None else numbers[step.minus]
    constants = {n: value.value for n, value in enumerate(numbers) if isinstance(value, Const)}
    if all(n in constants for n in (*step.added, *(() if step.minus is None else (step.minus,)))):
        return [_constant(value) for value in step.run(constants)]
    if minus is None and len(values) == 1:
        return [values[0][: step.bits]]
    split = max(lows, default=0) if minus is None else before[step.minus or 0].low
    below = [value for value, low in zip(values, lows, strict=True) if low < split]
    bits = step.bits - split
    largest = sum(before[n].largest >> split for n in step.added)
    width = bits + 1 if minus is not None else max(bits, largest.bit_length())
    total = Signal(width, name=name)
    added = sum((value[split:] for value in values), Const(0, 0))
    m.d.comb += total.eq(added if minus is None else Cat(_exactly(added, bits), Const(1, 1)) - minus[split:])
    low = Cat(*(value[:split] for value in below[:1]), Const(0, split - sum(min(split, len(v)) for v in below[:1])))
    ends = _ends(step, before, constants)
    return _results(step, Cat(low, total), split + width, {end >> step.bits for end in ends})


def _ends(step: Step, before: Sequence[Number], constants: Mapping[int, int]) -> tuple[int, int]:
    """Least and greatest total of a step, where some numbers are constants."""
    least = sum(constants.get(n, 0) for n in step.added)
    greatest = sum(constants.get(n, before[n].largest) for n in step.added)
    if step.minus is None:
        return least, greatest
    power = 1 << step.bits
    return least + power - constants.get(step.minus, before[step.minus].largest), greatest + power


def _results(step: Step, total: Value, width: int, carries: set[int]) -> list[Value]:
    """The bits of a total, and its carry; one that is always the same is a constant, which needs no register."""
    low, high = total[: step.bits], total[step.bits : width]
    if step.carry == "top":
        return [total]
    if step.carry == "":
        return [low]
    if len(carries) == 1:
        (carry,) = carries
        return [low, _constant(1 - carry if step.carry == "inverted" else carry)]
    return [low, ~high if step.carry == "inverted" else high]


def joined_row(heap: Heap, numbers: Sequence[Value]) -> Value:
    """An open sum: its row, and the carries above it."""
    width, carries = heap.layout
    parts: list[Value] = []
    for n, ((start, end), main) in enumerate(zip(heap.segments, heap.levels.mains, strict=True)):
        bits = (width if n == len(heap.segments) - 1 else end) - start
        parts.append(_exactly(Const(0, 1) if main is None else numbers[main], bits))
    for index, (_, bits) in zip(heap.levels.carries, carries, strict=True):
        parts.append(_exactly(numbers[index], bits))
    return Cat(*parts)


def _exactly(value: Value, bits: int) -> Value:
    return Cat(value[:bits], Const(0, max(0, bits - len(value))))


# --- a closed sum


class Closing:
    """Writer of what follows the levels of a closed sum, for one constant.

    Each method gives the values of the next stage from those of the one before.
    """

    def __init__(self, m: Module, heap: Heap, addend: int, name: str) -> None:
        self.m, self.heap, self.addend, self.name = m, heap, addend, name
        self.sizes = [end - start for start, end in heap.segments]

    def constants(self, numbers: Sequence[Value]) -> list[Value]:
        """Sum of each segment and the constant, its carry on top, and the carries of the tree that enter it."""
        result: list[Value] = []
        counts = {n.segment: index for index, n in enumerate(self.heap.levels.after) if n.count}
        for n, size in enumerate(self.sizes):
            part = self.addend >> self.heap.segments[n][0] & ((1 << size) - 1)
            main = self.heap.levels.mains[n]
            if main is None:
                total: Value = Const(part, size + 1)
            else:
                total = Signal(size + 1, name=f"{self.name}_total_{n}")
                negative = self.heap.levels.after[main].sign < 0
                sum_ = (
                    Const(part | 1 << size, size + 1) - numbers[main] if negative else numbers[main] + Const(part, size)
                )
                self.m.d.comb += total.eq(sum_)
            result += [total, numbers[counts[n]] if n in counts else Const(0, 1)]
        return result

    def candidates(self, values: Sequence[Value]) -> list[Value]:
        """Each segment, with its carry on top, for carry-in 0; from the third one on for carry-in 1, too."""
        result: list[Value] = [values[0][: self.sizes[0]]]
        for n, size in enumerate(self.sizes[1:], start=1):
            total, count, carry = values[2 * n][:size], values[2 * n + 1], values[2 * n - 2][-1]
            for more in (0,) if n == 1 else (0, 1):
                candidate = Signal(size + 1, name=f"{self.name}_candidate_{n}_{more}")
                self.m.d.comb += candidate.eq(total + count + carry + more)
                result.append(candidate)
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

# SPDX-License-Identifier: Apache-2.0
"""Hardware of a heap: levels of segmented additions, then carry-select (see `heap`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..plan.heap import SHORT, Heap, Term


@dataclass(frozen=True)
class Addend:
    """A number in [0, largest] at the bottom of a segment."""

    value: Value
    largest: int


Addends = list[Addend]
Row = list[Addends]
"""Addends of each segment."""


def first_rows(heap: Heap, sources: Mapping[str, Value]) -> list[Row]:
    """The rows of the heap, cut into segments."""
    return [[_cut_row(row, sources, *segment) for segment in heap.segments] for row in heap.rows]


def _cut_row(row: tuple[Term, ...], sources: Mapping[str, Value], start: int, end: int) -> Addends:
    """Bits [start, end) of a row, as at most one addend."""
    parts: list[Value] = []
    at = start
    for term in row:
        low, high = max(term.shift, start), min(term.end, end)
        if low >= high:
            continue
        first = term.low + low - term.shift
        bits = sources[term.source][first : first + high - low]
        bits = Cat(bits, Const(0, high - low - len(bits)))  # a source may be narrower than the plan allows
        parts += [Const(0, low - at), ~bits if term.sign < 0 else bits]
        at = high
    return [Addend(Cat(*parts), (1 << (at - start)) - 1)] if parts else []


def add_rows(m: Module, heap: Heap, rows: list[Row], addend: int, name: str) -> Addends:
    """Add rows and a constant, segment by segment; `split` interprets the totals."""
    totals = []
    for k, (start, end) in enumerate(heap.segments):
        part = (addend >> start) & ((1 << (end - start)) - 1)
        summands = [a for row in rows for a in row[k]] + ([Addend(Const(part), part)] if part else [])
        largest = sum(a.largest for a in summands)
        total = Signal(max(largest.bit_length(), end - start), name=f"{name}_{k}")
        m.d.comb += total.eq(sum((a.value for a in summands), Const(0, 0)))
        totals.append(Addend(total, largest))
    return totals


def pack(totals: Addends) -> Value:
    """The totals of all segments in one value, for a register."""
    return Cat(*(total.value for total in totals))


def split(heap: Heap, packed: Value, totals: Addends) -> Row:
    """The row of packed totals: the carry of a segment enters the next; the highest carry is dropped."""
    row: Row = []
    carry: Addends = []
    at = 0
    for (start, end), total in zip(heap.segments, totals, strict=True):
        size, width = end - start, len(total.value)
        value = packed[at : at + width]
        at += width
        row.append([Addend(value[:size], min(total.largest, (1 << size) - 1)), *carry])
        carry = [Addend(value[size:], total.largest >> size)] if total.largest >> size else []
    return row


def join(heap: Heap, row: Row) -> Value:
    """A row without carries between segments, as one number."""
    parts = []
    for (start, end), addends in zip(heap.segments, row, strict=True):
        value = addends[0].value if addends else Const(0, 0)
        parts += [value, Const(0, end - start - len(value))]
    return Cat(*parts)


def candidates(m: Module, heap: Heap, row: Row, name: str) -> Value:
    """Each segment for carry-in 0 and then 1, with its carry-out on top, packed.

    The carry-out is at most 1, as the carry that comes in is less than a segment. Nothing enters the lowest segment,
    and only the row's carry enters the next: those two have one candidate.
    """
    parts: list[Value] = [row[0][0].value]
    for k, addends in enumerate(row[1:], start=1):
        start, end = heap.segments[k]
        for carry in (0,) if k == 1 else (0, 1):
            candidate = Signal(end - start + 1, name=f"{name}_{k}_{carry}")
            m.d.comb += candidate.eq(sum((a.value for a in addends), Const(carry)))
            parts.append(candidate)
    return Cat(*parts)


def select(heap: Heap, packed: Value) -> Value:
    """The sum: each segment chosen by the carry from below."""
    sizes = [end - start for start, end in heap.segments]
    at = sizes[0] + sizes[1] + 1
    result = [packed[: sizes[0]], packed[sizes[0] : at - 1]]
    pairs = []
    for size in sizes[2:]:
        pairs.append((packed[at : at + size + 1], packed[at + size + 1 : at + 2 * size + 2]))
        at += 2 * size + 2
    first = packed[sizes[0] + sizes[1]]
    carries = _carries(first, pairs)
    for n, (zero, one) in enumerate(pairs):
        result.append(Mux(carries[n], one, zero)[:-1])
    return Cat(*result)


def _carries(first: Value, pairs: list[tuple[Value, Value]]) -> Value:
    """The carry into each pair's segment.

    Segment k generates a carry when its candidate for 0 has one and passes one on when its candidate for 1 has one,
    so the carries are those inside the sum of these two rows of bits.
    """
    if len(pairs) <= SHORT:
        carries = [first]
        for zero, one in pairs[:-1]:
            carries.append(zero[-1] | (one[-1] & carries[-1]))
        return Cat(*carries)[: len(pairs)]
    generate = Cat(first, *(zero[-1] for zero, _ in pairs))
    allow = Cat(first, *(one[-1] for _, one in pairs))
    return ((generate + allow) ^ generate ^ allow)[1 : len(pairs) + 1]

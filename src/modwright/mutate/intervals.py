# SPDX-License-Identifier: Apache-2.0
"""Intervals of words: the results of each kind of cell for operands in intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Interval(NamedTuple):
    """Integers that a word may represent, modulo two to the power of its width; both ends are included.

    A word of w bits has 0 <= low <= high < 2^w, or -2^w < low < 0 <= high where the values wrap around.
    """

    low: int
    high: int


BIT = Interval(0, 1)


def full(width: int) -> Interval:
    """Every value of a word."""
    return Interval(0, (1 << width) - 1)


def fit(low: int, high: int, width: int) -> Interval:
    """The values of a word of `width` bits that holds an integer in [low, high]."""
    span = 1 << width
    if high - low >= span - 1:
        return full(width)
    shift = low // span * span
    low, high = low - shift, high - shift
    return Interval(low, high) if high < span else Interval(low - span, high - span)


def unsigned(value: Interval, width: int) -> Interval:
    """The word as a non-negative integer."""
    return value if value.low >= 0 else full(width)


def signed(value: Interval, width: int) -> Interval:
    """The word in two's complement."""
    half = 1 << width - 1
    if value.low >= half:
        return Interval(value.low - 2 * half, value.high - 2 * half)
    return value if -half <= value.low and value.high < half else Interval(-half, half - 1)


def join(a: Interval, b: Interval, width: int) -> Interval:
    """The shortest interval that contains both, of those with the second one shifted by 0 or ±2^width."""
    span = 1 << width
    ways = [(min(a.low, b.low + k), max(a.high, b.high + k)) for k in (0, -span, span)]
    return fit(*min(ways, key=lambda way: way[1] - way[0]), width)


def holds(a: Interval, b: Interval, width: int) -> bool:
    """Whether every value of `b` is one of `a`."""
    span = 1 << width
    return any(a.low <= b.low + k and b.high + k <= a.high for k in (0, -span, span)) or a == full(width)


def widened(value: Interval, width: int) -> Interval:
    """The interval with its ends moved out to powers of two, so that a word grows no more than `width` times."""
    low = -(1 << (-value.low - 1).bit_length()) if value.low < 0 else 0
    return fit(low, (1 << value.high.bit_length()) - 1, width)


def part(value: Interval, low: int, width: int) -> Interval:
    """The word's bits from `low` on, `width` of them."""
    return fit(value.low >> low, value.high >> low, width)


def _product(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return Interval(min(ends), max(ends))


def _and(a: Interval, b: Interval) -> Interval | None:
    highs = [x.high for x in (a, b) if x.low >= 0]
    return Interval(0, min(highs)) if highs else None


def _or(a: Interval, b: Interval) -> Interval | None:
    if min(a.low, b.low) < 0:
        return None
    return Interval(max(a.low, b.low), (1 << max(a.high, b.high).bit_length()) - 1)


def _xor(a: Interval, b: Interval) -> Interval | None:
    return None if min(a.low, b.low) < 0 else Interval(0, (1 << max(a.high, b.high).bit_length()) - 1)


def _less(a: Interval, b: Interval) -> Interval:
    return Interval(1, 1) if a.high < b.low else Interval(0, 0) if a.low >= b.high else BIT


def _not(a: Interval) -> Interval:
    return Interval(1 - a.high, 1 - a.low)


def _equal(a: Interval, b: Interval) -> Interval:
    if a.high < b.low or b.high < a.low:
        return Interval(0, 0)
    return Interval(1, 1) if a.low == a.high == b.low == b.high else BIT


_ONE: Mapping[str, Callable[[Interval], Interval]] = {
    "$pos": lambda a: a,
    "$neg": lambda a: Interval(-a.high, -a.low),
    "$not": lambda a: Interval(-1 - a.high, -1 - a.low),
}
_TWO: Mapping[str, Callable[[Interval, Interval], Interval | None]] = {
    "$add": lambda a, b: Interval(a.low + b.low, a.high + b.high),
    "$sub": lambda a, b: Interval(a.low - b.high, a.high - b.low),
    "$mul": _product,
    "$and": _and,
    "$or": _or,
    "$xor": _xor,
    "$lt": _less,
    "$gt": lambda a, b: _less(b, a),
    "$ge": lambda a, b: _not(_less(a, b)),
    "$le": lambda a, b: _not(_less(b, a)),
    "$eq": _equal,
    "$ne": lambda a, b: _not(_equal(a, b)),
}
_TRUTHS = ("$reduce_or", "$reduce_bool", "$reduce_and", "$reduce_xor", "$logic_not", "$logic_and", "$logic_or")


def of_cell(kind: str, operands: Sequence[Interval], width: int) -> Interval:
    """The result of a cell of one or two operands; the full interval for an unknown kind.

    Parameters
    ----------
    kind : str
        Type of the cell.
    operands : sequence of Interval
        Operands as integers, by the signs of the cell.
    width : int
        Bits of the result.
    """
    found: Interval | None = None
    if kind in _ONE:
        found = _ONE[kind](operands[0])
    elif kind in _TWO:
        found = _TWO[kind](operands[0], operands[1])
    elif kind == "$shr" and min(operands)[0] >= 0:
        a, b = operands
        most = a.high.bit_length()  # a shift by more gives 0 as well
        found = Interval(a.low >> min(b.high, most), a.high >> min(b.low, most))
    elif kind in _TRUTHS:
        found = BIT
    return full(width) if found is None else fit(*found, width)

# SPDX-License-Identifier: Apache-2.0
"""The address of a program with loops one behind the other, with registers that decide a cycle ahead.

Of the loop that the address is in, or comes to next, registers hold its first word, the word before its last one and
the rounds to come; so one counter serves all loops. With the address of a word in `at`:

    here     it is the last word of the loop
    jump     the first word of the loop follows it
    more     a round follows this one; `many`: two or more do
    single   the loop has one word; so has the next loop, right behind this one: `near`, with rounds to come `near_jump`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value

from ..schedule import Loop


@dataclass(frozen=True)
class _Row:
    """Values that the registers hold of a loop."""

    first: int
    before: int
    left: int
    single: bool
    near: bool
    near_jump: bool

    @property
    def more(self) -> bool:
        return self.left > 0

    @property
    def many(self) -> bool:
        return self.left > 1

    def __getitem__(self, name: str) -> int:
        return int(getattr(self, name))


_NOWHERE = _Row(0, 0, 0, False, False, False)
"""Behind the last loop: no address but 0, which is not there, is before its end, and nothing jumps."""
_FLAGS = ("more", "many", "single", "near", "near_jump")


def _rows(loops: Sequence[Loop]) -> list[_Row]:
    rows = []
    for loop, behind in zip(loops, [*loops[1:], None], strict=True):
        end = loop.first + loop.length - 1
        near = behind is not None and behind.first == end + 1 and behind.length == 1
        near_jump = near and behind is not None and behind.count > 1
        rows.append(_Row(loop.first, end - 1, loop.count - 1, loop.length == 1, near, near_jump))
    return rows


def walk(m: Module, at: Signal, loops: Sequence[Loop], begin: int, *, going: Value, ends: Value) -> None:
    """Drive the address.

    Parameters
    ----------
    m : Module
    at : Signal
        Address; `begin` at first, and again after the end.
    loops : sequence of Loop
        In order, as a `Microcode` has them.
    begin : int
        Address of the first word, at most that of the first loop's last one.
    going : Value
        The next address follows.
    ends : Value
        The program ends.
    """
    rows = _rows(loops)
    start, following = rows[0], Array(_number(row, rows) for row in [*rows[1:], _NOWHERE])
    held = {name: Signal(width, name=name, init=start[name]) for name, width in _widths(rows).items()}
    at_end = begin == start.before + 1
    here, jump = Signal(init=at_end), Signal(init=at_end and start.more)
    number, left, more, many = Signal(range(len(rows))), held["left"], held["more"], held["many"]
    close, loaded = at == held["before"], Cat(held.values())
    with m.If(ends):
        m.d.sync += [at.eq(begin), number.eq(0), here.eq(at_end), jump.eq(at_end and start.more)]
        m.d.sync += loaded.eq(_number(start, rows))
    with m.Elif(going):
        m.d.sync += [
            at.eq(Mux(jump, held["first"], at + 1)),
            here.eq(Mux(jump, held["single"], Mux(here, held["near"], close))),
            jump.eq(Mux(jump, held["single"] & many, Mux(here, held["near_jump"], close & more))),
        ]
        with m.If(jump):
            m.d.sync += [left.eq(left - 1), more.eq(many), many.eq(left > 2)]
        with m.Elif(here):
            m.d.sync += loaded.eq(following[number])
            m.d.sync += number.eq(Mux(number == len(rows) - 1, number, number + 1))


def _widths(rows: Sequence[_Row]) -> Mapping[str, int]:
    numbers = {name: max(row[name] for row in rows).bit_length() for name in ("first", "before", "left")}
    return {name: max(1, width) for name, width in numbers.items()} | dict.fromkeys(_FLAGS, 1)


def _number(row: _Row, rows: Sequence[_Row]) -> Const:
    """The registers side by side."""
    value = low = 0
    for name, width in _widths(rows).items():
        value |= row[name] << low
        low += width
    return Const(value, low)

# SPDX-License-Identifier: Apache-2.0
"""Control words of a program of a field in residues.

Fields of rowers pass `TRAVEL` registers, so that all of them have the same way; those of other units do not. With `a_`
for the rowers of A and `b_` for those of B:

    x, y, x_flip, y_flip, x_fresh, y_fresh    addresses of both factors; what exchanges the lowest bit; whether the
                                              word is that of the set-up
    constant                                  address of the memory of constants
    source                                    `TWO`, `BY_CONSTANT` or `HATS`
    begin, sign                               a sum begins; a product is added or subtracted, or it is of hats
    correct                                   h counts in the reduction
    write, into                               a residue is stored in A, in both memories
    write_x, into_x, write_y, into_y          the same in B, where each memory has its own residue
    load_a, load_b                            hats of A, of B, go to the bus
    cox_a, cox_b                              the first row of hats is on the bus
    digit                                     digits are on both buses
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .parameters import READ, RowerField
from .program import CONSTANT, Factor, Places

TRAVEL = 2
"""Registers from the control word to a rower: one for all, and one in every rower."""
TWO, BY_CONSTANT, HATS = range(3)
"""Field `source`: two words; a word and a constant; hats or digits and constants."""
OF_HATS, PLUS, MINUS = range(3)
"""Field `sign`."""
TESTED = 3
"""Cycles from a residue in the rowers of B to the comparison of all with those of 0 and of P."""


@dataclass(frozen=True)
class Naming:
    """Numbers of words, and of what exchanges two of them.

    Parameters
    ----------
    homes : mapping of str to int
        Addresses of words.
    flips : sequence of str
        Flags that exchange bit 0 of an address; the first one stands for none.
    fresh : mapping of str to set of str
        Words by operation that are read as the set-up has left them, where nothing has been made since.
    later : mapping of str to str
        Flags by another name in the round after the one to which they belong.
    """

    homes: Mapping[str, int]
    flips: Sequence[str]
    fresh: Mapping[str, frozenset[str]]
    later: Mapping[str, str]


@dataclass
class WordList:
    """Control words of a part.

    Parameters
    ----------
    count : int
        Number of words.
    period : int
        Cycles of a round, of a loop; fields beyond it belong to the next round. 0 for a part that runs once.
    """

    naming: Naming
    count: int
    period: int = 0
    words: list[dict[str, int]] = field(default_factory=list[dict[str, int]])

    def __post_init__(self) -> None:
        self.words = [{} for _ in range(self.count)]

    def set(self, cycle: int, **fields: int) -> None:
        """Set fields of a word, which no other step has set."""
        word = self.words[cycle % self.period if self.period else cycle]
        for name, value in fields.items():
            if value and word.setdefault(name, value) != value:
                raise ValueError(f"two values of the field {name} in cycle {cycle}")
            if value == 0 and word.get(name):
                raise ValueError(f"the field {name} is set in cycle {cycle}")

    def write(self, places: Places, period: int = 0, *, shift: int = 0, until: int | None = None) -> None:
        """Write an operation; with a shift, what is left of one of the last round of a loop with this period. Fields in
        cycles from `until` on are left to the part behind."""
        for cycle, fields in steps_of(self.naming, places, period):
            if cycle + shift >= 0 and (until is None or cycle < until):
                self.set(cycle + shift, **fields)


Fields = tuple[int, dict[str, int]]
"""A cycle and fields."""


def steps_of(naming: Naming, places: Places, period: int = 0) -> list[Fields]:
    """Control fields of an operation by cycle, in a loop with this period."""
    p, into = places.p, naming.homes[places.operation.name]
    steps = _products(naming, places, period) if places.count else _digits(places)
    second = places.second
    steps += [
        (places.stored_b, {"b_write_x": 1, "b_into_x": into}),
        (places.stored_a, {"a_write": 1, "a_into": into}),
        (second, {"b_x": into, "b_constant": p.second_form_address}),
        *_taken(p, "b", second, BY_CONSTANT, PLUS, first=True),
        (places.stored_second, {"b_write_y": 1, "b_into_y": into}),
    ]
    return [(cycle, {name: value for name, value in fields.items() if value}) for cycle, fields in steps]


def _taken(p: RowerField, side: str, cycle: int, source: int, sign: int, *, first: bool) -> list[Fields]:
    """Fields of a product whose addresses are issued in a cycle, when its factors and its sum are there."""
    return [
        (cycle + READ, {f"{side}_source": source}),
        (cycle + p.summed - 1, {f"{side}_sign": sign, f"{side}_begin": int(first)}),
    ]


def _rows(p: RowerField, side: str, first: int, count: int, address: int, *, begins: bool) -> list[Fields]:
    """Rows of hats or digits, times constants."""
    steps: list[Fields] = []
    for row in range(count):
        steps.append((first + row, {f"{side}_constant": address + row}))
        steps += _taken(p, side, first + row, HATS, OF_HATS, first=begins and row == 0)
    return steps


def _products(naming: Naming, places: Places, period: int) -> list[Fields]:
    """Products on both sides, and both extensions."""
    p, steps = places.p, list[Fields]()
    for number, term in enumerate(places.operation.terms):
        sign = MINUS if term.minus else PLUS
        for side, cycle in (("a", places.start + number), ("b", places.hats - places.count + number)):
            source = BY_CONSTANT if term.y.constant else TWO
            steps.append((cycle, _address(places, naming, side, "x", term.x, cycle, period)))
            steps.append((cycle, _address(places, naming, side, "y", term.y, cycle, period)))
            steps += _taken(p, side, cycle, source, sign, first=number == 0)
    for side, other, first in (("b", "a", places.hats), ("a", "b", places.stored_b)):
        steps += _rows(p, side, first, p.rows, p.row_address, begins=side == "a")
        steps.append((first, {f"load_{other}": 1}))
        steps.append((first + 1, {f"cox_{other}": 1}))
        steps.append((first + p.rows - 1 + p.summed, {f"{side}_correct": 1}))
    return steps


def _digits(places: Places) -> list[Fields]:
    """Digits on both buses."""
    p, first = places.p, places.start
    steps = [(first + row, {"digit": 1}) for row in range(p.digit_rows)]
    for side in "ab":
        steps += _rows(p, side, first, p.digit_rows, 0, begins=True)
    return steps


def _address(
    places: Places, naming: Naming, side: str, port: str, factor: Factor, cycle: int, period: int
) -> dict[str, int]:
    """Fields of an address."""
    if factor.constant:
        return {f"{side}_constant": places.p.constant_address(factor.words[0].removeprefix(CONSTANT))}
    homes = [naming.homes[word] for word in factor.words]
    if len(homes) == 2 and homes[0] ^ homes[1] != 1:
        raise ValueError(f"{factor.words} are not next to each other")
    late = period and cycle >= period
    flag = naming.later.get(factor.flag, factor.flag) if late else factor.flag
    fresh = not naming.fresh.get(places.operation.name, frozenset[str]()).isdisjoint(factor.words)
    if late and fresh:
        raise ValueError(f"{factor.words} are read after their round")
    return {
        f"{side}_{port}": homes[0],
        f"{side}_{port}_flip": naming.flips.index(flag),
        f"{side}_{port}_fresh": int(fresh),
    }

# SPDX-License-Identifier: Apache-2.0
"""Control words of a program: one for each instruction, active until the data path ends it."""

from __future__ import annotations

from collections.abc import Mapping

from ....schedule import JUMP, Word
from .program import (
    BACK,
    CHANGE,
    DOUBLE,
    FIRST_BIT,
    FRESH,
    HALVE,
    KEEP,
    LOAD,
    ONE,
    REDUCE,
    A,
    B,
    Both,
    End,
    Instruction,
    Label,
    Loop,
    M,
    Pass,
    Product,
    Program,
    Rest,
    Set,
    Skip,
    places_of,
)

SECOND = "second_"
"""Prefix of the fields of the second of two products."""
OPERANDS = {A: "y_a", B: "y_b", ONE: "y_one", BACK: "y_back"}
RESULTS = {A: "to_a", B: "to_b"}
PASSES = {name: name for name in (DOUBLE, HALVE, REDUCE, KEEP, FRESH)} | {LOAD: "load_a"}
SWAPS = {FIRST_BIT: "swap_first", CHANGE: "swap_change"}


def words_of(program: Program) -> tuple[Word, ...]:
    """Write the words; places are those of instructions without the labels."""
    number, index = 0, {}
    for at, one in enumerate(program):
        index[at] = number
        number += not isinstance(one, Label)
    places = {name: index[at] for name, at in places_of(program).items()}
    return tuple(_word(one, places) for one in program if not isinstance(one, Label))


def _word(one: Instruction, places: Mapping[str, int]) -> Word:
    match one:
        case Product():
            fields = {"product": 1} | _product(one)
        case Both():
            second = {SECOND + name: value for name, value in _product(one.second).items()}
            fields = {"product": 1, "both": 1} | _product(one.first) | second
        case Pass():
            into = {A: "into_a", M: "into_m"}
            fields = {"pass": 1, PASSES[one.operation]: 1, "passes": one.count, "gather": one.gather, "last": one.last}
            fields |= {into[one.to]: 1} if one.to else {}
        case Set():
            flags = {"set": 1, "copy": one.copy, "waits": one.copy, "store": one.store, "shift": one.shift}
            fields = {**flags, "look": one.look} | ({} if one.count is None else {"load": 1, "count": one.count})
        case Skip():
            fields = {"skip": 1, JUMP: places[one.end]}
        case Rest():
            fields = {"rest": 1, JUMP: places[one.end]}
        case Loop():
            flags = {"loop": 1, "counted": one.counted, "shift": one.shift, "store": one.store}
            fields = {**flags, JUMP: places[one.back]}
        case _:
            assert isinstance(one, End)
            fields = {"end": 1}
    return {name: int(value) for name, value in fields.items() if value}


def _product(one: Product) -> dict[str, int]:
    flags = {"copy_b": one.copy, "when_bit": one.when_bit, "look": one.look, "waits": one.y == B}
    fields = {OPERANDS[one.y]: 1, RESULTS[one.to]: 1, **flags}
    return fields | ({SWAPS[one.swap]: 1} if one.swap else {})

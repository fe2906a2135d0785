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
    for at, instruction in enumerate(program):
        index[at] = number
        number += not isinstance(instruction, Label)
    places = {name: index[at] for name, at in places_of(program).items()}
    return tuple(_word(instruction, places) for instruction in program if not isinstance(instruction, Label))


def _word(instruction: Instruction, places: Mapping[str, int]) -> Word:
    match instruction:
        case Product():
            fields = {"product": 1} | _product(instruction)
        case Both():
            second = {SECOND + name: value for name, value in _product(instruction.second).items()}
            fields = {"product": 1, "both": 1} | _product(instruction.first) | second
        case Pass():
            into = {A: "into_a", M: "into_m"}
            fields = {
                "pass": 1,
                PASSES[instruction.operation]: 1,
                "passes": instruction.count,
                "gather": instruction.gather,
                "last": instruction.last,
            }
            fields |= {into[instruction.to]: 1} if instruction.to else {}
        case Set():
            flags = {
                "set": 1,
                "copy": instruction.copy,
                "waits": instruction.copy,
                "store": instruction.store,
                "shift": instruction.shift,
            }
            fields = {**flags, "look": instruction.look} | (
                {} if instruction.count is None else {"load": 1, "count": instruction.count}
            )
        case Skip():
            fields = {"skip": 1, JUMP: places[instruction.end]}
        case Rest():
            fields = {"rest": 1, JUMP: places[instruction.end]}
        case Loop():
            flags = {"loop": 1, "counted": instruction.counted, "shift": instruction.shift, "store": instruction.store}
            fields = {**flags, JUMP: places[instruction.back]}
        case _:
            assert isinstance(instruction, End)
            fields = {"end": 1}
    return {name: int(value) for name, value in fields.items() if value}


def _product(product: Product) -> dict[str, int]:
    flags = {"copy_b": product.copy, "when_bit": product.when_bit, "look": product.look, "waits": product.y == B}
    fields = {OPERANDS[product.y]: 1, RESULTS[product.to]: 1, **flags}
    return fields | ({SWAPS[product.swap]: 1} if product.swap else {})

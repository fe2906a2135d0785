# SPDX-License-Identifier: Apache-2.0
"""The products of a power, and their control words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schedule import Word


@dataclass(frozen=True)
class Multiplication:
    """Product memory[into] = memory[x]·memory[y]."""

    x: int
    y: int
    into: int


def sliding_windows(exponent: int, window: int) -> tuple[Multiplication, ...]:
    """Products for a power, exponent > 1: odd powers up to the largest that is used, then squares and products."""
    digits = _digits(exponent, window)
    table = max(value for value, _ in digits) // 2 + 1
    total = table  # address of the result so far; before that it holds a²
    steps = [Multiplication(0, 0, total)] if table > 1 else []
    steps += [Multiplication(number - 1, total, number) for number in range(1, table)]
    at = -1  # nothing so far
    for value, zeros in digits:
        if at < 0:
            at = value // 2
        else:
            for _ in range(value.bit_length()):
                steps.append(Multiplication(at, at, total))
                at = total
            steps.append(Multiplication(total, value // 2, total))
        for _ in range(zeros):
            steps.append(Multiplication(at, at, total))
            at = total
    return tuple(steps)


def _digits(exponent: int, window: int) -> list[tuple[int, int]]:
    """Odd digits of at most `window` bits from the top, each with the number of zeros behind it."""
    bits, digits = bin(exponent)[2:], []
    while bits:
        taken = bits[:window].rstrip("0")
        bits = bits[len(taken) :]
        zeros = len(bits) - len(bits.lstrip("0"))
        digits.append((int(taken, 2), zeros))
        bits = bits[zeros:]
    return digits


def exponent_of(program: tuple[Multiplication, ...]) -> int:
    """Exponent of the power of a that the last product computes."""
    memory = {0: 1}
    for instruction in program:
        memory[instruction.into] = memory[instruction.x] + memory[instruction.y]
    return memory[program[-1].into]


def words_of(program: Sequence[Multiplication]) -> tuple[Word, ...]:
    """Write a control word for each product, which stays active until the multiplier has it."""
    words: list[Word] = [{"x": instruction.x, "y": instruction.y, "into": instruction.into} for instruction in program]
    return (*words[:-1], {**words[-1], "last": 1})

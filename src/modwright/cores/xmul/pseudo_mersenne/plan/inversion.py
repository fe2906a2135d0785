# SPDX-License-Identifier: Apache-2.0
"""The power p - 2 as squares and products: ones by doubling their number, then the bits below them.

p - 2 = 2^n - (c + 2) has n - m ones above the m bits of 2^m - (c + 2), where m is the number of bits of c + 1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Power:
    """A step of the power.

    Parameters
    ----------
    squares : int
        Number of squares, at least one.
    factor : str
        Factor that follows them: "z", "saved", or nothing.
    saves : bool
        Whether the number before the squares is that factor, and needs a word.
    """

    squares: int
    factor: str = ""
    saves: bool = False


def chain(n: int, c: int) -> tuple[Power, ...]:
    """Steps from z to z^(p - 2)."""
    low_bits = (c + 1).bit_length()
    steps, ones = list[Power](), 1
    for bit in f"{n - low_bits:b}"[1:]:
        steps.append(Power(ones, "saved", saves=ones > 1) if ones > 1 else Power(1, "z"))
        ones *= 2
        if bit == "1":
            steps.append(Power(1, "z"))
            ones += 1
    low, squares = (1 << low_bits) - (c + 2), 0
    for at in reversed(range(low_bits)):
        squares += 1
        if low >> at & 1:
            steps.append(Power(squares, "z"))
            squares = 0
    if squares:
        steps.append(Power(squares))
    return tuple(steps)


def exponent_of(n: int, c: int) -> int:
    """The exponent of z that the steps make."""
    found = 1
    for step in chain(n, c):
        before = found
        found <<= step.squares
        found += {"": 0, "z": 1, "saved": before}[step.factor]
    return found

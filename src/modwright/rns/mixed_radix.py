# SPDX-License-Identifier: Apache-2.0
"""Mixed radix digits of a number in residues, one after the other; they give its size exactly.

X = v_1 + v_2·a_1 + v_3·a_1·a_2 + ... with 0 ≤ v_k < a_k. The first digit is X mod a_1; X - v_1 is a multiple of a_1,
and its quotient has residues modulo the other moduli, of which the first is the next digit:

    x_j <- (x_j - v_k)·a_k^-1 mod a_j, for j > k

Sources: Garner, IRE Trans. Electronic Computers EC-8(2), 1959; Szabo and Tanaka, "Residue Arithmetic and its
Applications to Computer Technology", 1967.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .base import Base


def digits_of(x: int, base: Base) -> tuple[int, ...]:
    """Digits of an integer from 0 to A, the lowest first; the last digit of A itself is a_n."""
    found = []
    for modulus in base.moduli[:-1]:
        x, digit = divmod(x, modulus)
        found.append(digit)
    return (*found, x)


def weights(base: Base) -> tuple[int, ...]:
    """Weights of the digits: products of the moduli before each."""
    return tuple(itertools.accumulate(base.moduli[:-1], lambda product, a: product * a, initial=1))


def steps(base: Base) -> tuple[tuple[int, ...], ...]:
    """Factors a_k^-1 modulo a_j of each step but the last, for every channel j; 0 where j ≤ k."""
    moduli = base.moduli
    return tuple(
        tuple(pow(a, -1, other) if j > k else 0 for j, other in enumerate(moduli)) for k, a in enumerate(moduli[:-1])
    )


def below(digits: Sequence[int], limit: Sequence[int]) -> bool:
    """Whether a number is below another, from their digits."""
    less = False
    for digit, other in zip(digits, limit, strict=True):
        less = digit < other or (digit == other and less)
    return less

# SPDX-License-Identifier: Apache-2.0
"""Columns of the operations: products, sums of two products, and rows of divsteps' matrix.

A row is u·f + v·g of signed numbers, in integers or modulo m. With E = 2^(ws-1), a signed number f is in two words:
f + E, and -f modulo 2^(ws). An entry u of K + 1 bits is in two limbs, u·2^(w-K-1) modulo 2^w and, next to it, 1 where u
is negative. So

    2^(w-K-1)·u·f = u_0·(f + E) - u_0·E + 2^w·u_1·(-f)                   modulo 2^(w(s+1))

where -E is 2^(w-1) in limb s - 1, and ones in limb s. The lowest limb of the sum with that of v·g leaves: in integers
it is 0, modulo m one limb of Montgomery's reduction makes it 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..columns.digits import ABOVE, NOTHING, STORED
from ..columns.program import MU, ONE_PRODUCT, RESULT, Column, Factors, Limb, M, Q, T, X, Y, program
from ..ladder.dataflow import LINEAR, PRODUCT, RESIDUE, SQUARE, SUM

SECOND_X, SECOND_Y = "x2", "y2"
"""Banks of the second product of a sum of two."""
FACTORS: Mapping[str, Factors] = {
    PRODUCT: ONE_PRODUCT,
    SQUARE: ONE_PRODUCT,
    SUM: (*ONE_PRODUCT, (SECOND_X, SECOND_Y)),
}
"""By kind of operation but rows, the factors that its columns read."""
HALF, ONES = "half", "ones"
"""Constants: 2^(ws-1), and a word of ones."""
ROW = (("u", "f", "f_less"), ("v", "g", "g_less"))
"""Banks of an entry, of what it is multiplied by, and of its negative, for both terms of a row."""
_OF_ROW = {bank: number for number, bank in enumerate(bank for term in ROW for bank in term)}
OPERANDS: Mapping[str, Mapping[str, int]] = {
    PRODUCT: {X: 0, Y: 1},
    SQUARE: {X: 0, Y: 0},
    SUM: {X: 0, Y: 1, SECOND_X: 2, SECOND_Y: 3},
    LINEAR: _OF_ROW,
    RESIDUE: _OF_ROW,
}
"""By kind of operation, the number of the operand in each bank."""
CONSTANT_BANKS = (MU, M, Q, HALF, ONES)
"""Banks of limbs of constants, at input b."""


@cache
def columns_of(s: int, kind: str) -> tuple[Column, ...]:
    """Columns of an operation of the multiply-accumulate, on s limbs, in their order."""
    return program(s, FACTORS[kind]) if kind in FACTORS else _row(s, kind == RESIDUE)


def _row(s: int, reduced: bool) -> tuple[Column, ...]:
    lowest = Limb(T)
    begin = [Column("t_0", NOTHING, _products(s, 0), stores=True, leaves=lowest if reduced else None)]
    if reduced:
        begin.append(Column("q", NOTHING, ((lowest, Limb(Q)),), stores=False, leaves=lowest))
        begin.append(Column("t + q·m_0", ABOVE, ((lowest, Limb(M, 0)),), stores=True, leaves=None))
    upper = []
    for c in range(1, s + 1):
        of_m = ((lowest, Limb(M, c)),) if reduced and c < s else ()
        leaves = Limb(RESULT, c - 1)
        upper.append(Column(f"z_{c - 1}", STORED, (*_products(s, c), *of_m), stores=True, leaves=leaves))
    return (*begin, *upper)


def _products(s: int, c: int) -> tuple[tuple[Limb, Limb], ...]:
    """Products of column c."""
    found: list[tuple[Limb, Limb]] = []
    for entry, value, negative in ROW:
        if c < s:
            found.append((Limb(entry, 0), Limb(value, c)))
        if c:
            found.append((Limb(entry, 1), Limb(negative, c - 1)))
        if c == s - 1:
            found.append((Limb(entry, 0), Limb(HALF, c)))
        if c == s:
            found.append((Limb(entry, 0), Limb(ONES, 0)))
    return tuple(found)

# SPDX-License-Identifier: Apache-2.0
"""The columns of one product x·y / R modulo m, and the products of limbs in each of them.

A limb t_c that a column leaves is folded: t_c·2^(wc) = t_c·mu·2^(w(c+1)) modulo m, mu = 2^-w mod m. The last of s such
limbs is removed with a quotient q = t_(s-1)·q' mod 2^w, q' = -m^-1 mod 2^w. Then t_(s-1) + q·m_0 is a multiple of 2^w,
and

    (t_(s-1) + q·m_0) / 2^w = ceil(q·m_0 / 2^w) = floor((2^w - 1 + q·m_0) / 2^w)

so that the column of that product begins with ones, and nothing depends on whether t_(s-1) is 0. The columns above give
the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .digits import ABOVE, NOTHING, STORED, Opening

X, T = "x", "t"
A_BANKS = (X, T)
"""Limbs at input a: of x, and those that columns have left, the quotient among them."""
Y, MU, M, Q = "y", "mu", "m", "q"
B_BANKS = (Y, MU, M, Q)
"""Limbs at input b."""
RESULT = "z"


@dataclass(frozen=True)
class Limb:
    """Limb of an operand, a constant, a word that a column has left, or the result."""

    bank: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.bank}_{self.index}"


@dataclass(frozen=True)
class Column:
    """Products of one column, which follow each other.

    Parameters
    ----------
    name : str
        The word that the column leaves, in symbols.
    opening : Opening
        Digits that it begins with.
    products : tuple
        Limbs of a and of b.
    stores : bool
        True if its context stores what is above the word, for the next column.
    leaves : Limb or None
        The word; None where nobody reads it.
    """

    name: str
    opening: Opening
    products: tuple[tuple[Limb, Limb], ...]
    stores: bool
    leaves: Limb | None

    @property
    def cycles(self) -> int:
        """Cycles of the multiply-accumulate: a column without a product takes one, too."""
        return max(1, len(self.products))


Factors = tuple[tuple[str, str], ...]
"""Banks of the factors of each product that a result is the sum of."""
ONE_PRODUCT: Factors = ((X, Y),)


@cache
def program(s: int, factors: Factors = ONE_PRODUCT) -> tuple[Column, ...]:
    """Columns of a product of operands of s limbs, or of a sum of products, in their order."""
    last = s - 1
    quotient, remainder = Limb(T, last), Limb(T, last)  # q replaces t_(s-1), of which it is the only use
    lower = [
        Column(f"t_{c}", STORED if c else NOTHING, tuple(_products(s, c, factors)), stores=True, leaves=Limb(T, c))
        for c in range(s)
    ]
    of_quotient = Column("q", NOTHING, ((remainder, Limb(Q)),), stores=False, leaves=quotient)
    ends = Column("t + q·m_0", ABOVE, ((quotient, Limb(M, 0)),), stores=True, leaves=None)
    upper = []
    for c in range(s, 2 * s):
        of_m = [(quotient, Limb(M, c - last))] if c < 2 * s - 1 else []
        products = (*_products(s, c, factors), *of_m)
        upper.append(Column(f"z_{c - s}", STORED, products, stores=True, leaves=Limb(RESULT, c - s)))
    return (*lower, of_quotient, ends, *upper)


def _products(s: int, c: int, factors: Factors) -> Iterator[tuple[Limb, Limb]]:
    """Products x_i·y_j, i + j = c, and t_i·mu_j, i + j + 1 = c; the one with the latest limb last."""
    for x, y in factors:
        for i in range(max(0, c - s + 1), min(c, s - 1) + 1):
            yield Limb(x, i), Limb(y, c - i)
    for i in range(max(0, c - s), min(c, s - 1)):
        yield Limb(T, i), Limb(MU, c - 1 - i)

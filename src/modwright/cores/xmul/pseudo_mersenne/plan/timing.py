# SPDX-License-Identifier: Apache-2.0
"""Cycles of a product, counted from cycle 0, in which its first digits are in the registers of both factors.

    cycle    event
    -2       the first factor is in the operand register, and stays there for two cycles
    -1       it is loaded into the register that moves it; the first digits of the second one are chosen
    t        digits r·t to r·t + r - 1 of the second factor, and the first one times 2^(w·r·t); r `rows`
    C        columns of the first digits: their sum begins; C = 2 + r
    q        the digits of the product, by T turns: q = T + C + delay + passes

A word is added to the operand register two cycles after its address, and can be read a cycle after it is written.
"""

from __future__ import annotations

from dataclasses import dataclass

FETCH = 2
"""Cycles from an address to the word."""
STILL = 2
"""Cycles in which the first factor is in the operand register before it moves."""
AHEAD = 4
"""Cycles from the first digits of the second factor at the end of its register to the same at the blocks: there it
waits while the first factor is still to be read."""
DIRECT = 1
"""The same without the registers in between."""


@dataclass(frozen=True)
class Timing:
    """Cycles of a product.

    Parameters
    ----------
    count : int
        N, digits of a factor.
    rows : int
        Digits of the second factor in a cycle.
    delay, passes : int
        Cycles by which digit 0 is late, and passes for carries.
    """

    count: int
    rows: int
    delay: int
    passes: int

    @property
    def turns(self) -> int:
        """Cycles in which the row of blocks works for a product."""
        return -(-self.count // self.rows)

    @property
    def columns(self) -> int:
        """Cycles from the first digits to their columns: factors, products, and a level of sums for each row."""
        return 2 + self.rows

    def made(self, turns: int) -> int:
        """Cycle in which a product of as many turns is there, to be written."""
        return turns + self.columns + self.delay + self.passes

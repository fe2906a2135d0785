# SPDX-License-Identifier: Apache-2.0
"""Two exponentiations in turn on one row of blocks: turns of equal length, and the program as a list of them.

Every product of the window method takes a turn of π cycles, and in a turn the row's own registers hold the operands. X
is the result of the turn before, which leaves its register a digit of k bits a cycle, N in all. Y is X again, or stays
in the memory of the slot, or comes from register Y, into which four digits a cycle were moved. What has to be kept lies
in memories of four digits: the table, the value that was looked up, M, and V of the limb unit. The other exponentiation
is Δ cycles behind, and uses the registers X and Y then.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....contract import Inequality
from ....engines.orup.cycles import CONVERSION, finished
from ....engines.orup.interleaved import InterleavedParameters

PARTS = 4
"""Digits of a limb."""
LOOK = 9
"""Cycles of a look-up in addition to those of its addresses and of the limbs that move to Y: memory, mask, sum, Y."""
UNIT = 3
"""Cycles of a pass of the limb unit in addition to those of its limbs: choice, row and sum."""
WRITTEN = 3
"""Cycles from the last digit of a limb to its place in a memory, which can be read then."""
FLAGS = 5
"""Cycles from the last limb of M to the error code, if it is the last to be known."""
WORDS = 2048
"""Most words of four digits in the block RAMs of a table."""


@dataclass(frozen=True)
class Turns:
    """Numbers of two exponentiations in turn.

    Parameters
    ----------
    row : InterleavedParameters
    window : int
        w, bits of a digit of the exponent.
    """

    row: InterleavedParameters
    window: int

    @property
    def limb(self) -> int:
        """Bits of a limb."""
        return PARTS * self.row.k

    @property
    def limbs(self) -> int:
        """L, limbs of an operand."""
        return -(-self.row.N // PARTS)

    @property
    def period(self) -> int:
        """π, cycles of a turn: a multiple of the slots, so that an exponentiation stays in one."""
        least, slots = finished(self.row) + CONVERSION, self.row.slots
        return -(-least // slots) * slots

    @property
    def apart(self) -> int:
        """Δ, an odd number of cycles after which the second one has the digits of X, a limb of them, and the error."""
        return (self.row.N + PARTS + 2) | 1

    @property
    def checked(self) -> int:
        """Cycle of the first turn in which the error is known."""
        return max(self.row.compared_digits + 2, self.limbs + FLAGS)

    @property
    def scanned(self) -> int:
        """Cycles from the start of a look-up to the end of a turn behind which its value is Y."""
        return (self.limbs << self.window) + self.limbs + LOOK

    @property
    def streamed(self) -> int:
        """Cycles in which a result goes from X to the limb unit."""
        return PARTS * self.limbs + WRITTEN

    @property
    def fits(self) -> bool:
        """Whether a look-up ends within the squares of a digit, and a table in block RAM."""
        return self.scanned <= self.window * self.period and self.limbs << self.window <= WORDS

    def inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of the turns."""
        N, period, apart = self.row.N, self.period, self.apart
        x = "X leaves the common register in N cycles, and a limb of it is written up to four cycles later"
        implied = "Δ is chosen so, and two times I, of which a turn is longer by 12, is at least N + Δ"
        return (
            Inequality("turns", "N + 4 < Δ", N + PARTS, "<", apart, x, implied),
            Inequality("turns-back", "N + 4 < π - Δ", N + PARTS, "<", period - apart, x, implied),
            Inequality(
                "look-up",
                "(2^w + 1)·L + 9 <= w·π",
                self.scanned,
                "<=",
                self.window * period,
                "a digit is looked up during the squares in front of its product",
                "other parameters have an operand register for each exponentiation, which waits for the look-up",
            ),
            Inequality(
                "checked",
                "D + 2, L + 5 < Δ",
                self.checked,
                "<",
                apart,
                "the second exponentiation is compared in the registers of the first",
                "m has fewer digits than X, and a limb has four of them",
            ),
        )

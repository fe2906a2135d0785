# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest K bits of f and g, which give a matrix of small integers.

K divsteps take (f, g) to 2^-K·(u·f + v·g, q·f + r·g), and the matrix depends on D and the lowest K bits of f and g
alone (Bernstein and Yang, CHES 2019, section 4). The entries are kept negated: u and v are from -(2^K - 1) to 2^K, q
and r below 2^K in absolute value, so that the negated ones have K + 1 bits with their sign.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..divsteps import divstep

ENTRIES = ("u", "v", "q", "r")
SIGNS = tuple(f"neg_{entry}" for entry in ENTRIES)
"""Flags: the sign of each negated entry."""
FACTORS = tuple(f"n{entry}" for entry in ENTRIES)
"""Words: the lowest K bits of each negated entry."""
OFFSETS = tuple(f"E{entry}" for entry in ENTRIES)
"""Words: the same times 2^(b-K), b + 1 bits of a word; with its sign at bit b, and in those of u and q another 2^b."""
TAKEN_F, TAKEN_G, RESET, STEPS = "f_negative", "g_taken", "reset_steps", "steps"
"""Names of operations: f is taken, and whether it is negative is a flag; g is taken; the unit begins; divsteps."""
MATRIX = (*FACTORS, *OFFSETS)
"""Words that the unit gives."""
BEGIN = -1
"""D at first: the first divstep exchanges nothing."""


@dataclass
class Divsteps:
    """State of the unit.

    Parameters
    ----------
    K : int
        Divsteps of one run, and bits of f and g.
    word_bits : int
        Bits of a word; its top bit b is set in the words of f and g, which are 2^K·f + 2^b and 2^K·g + 2^b.
    """

    K: int
    word_bits: int

    def __post_init__(self) -> None:
        self.f = self.g = 0
        self.reset()

    def reset(self) -> None:
        """No matrix, and a state in which the first divstep does not exchange f and g."""
        self.D = BEGIN
        self.matrix = (-1, 0, 0, -1)

    def take_f(self, word: int) -> bool:
        """Take the digits of f; whether f is negative."""
        self.f = self._digits(word)
        return not word >> self.word_bits - 1

    def take_g(self, word: int) -> None:
        """Take the digits of g; a matrix begins."""
        self.g = self._digits(word)
        self.matrix = (-1, 0, 0, -1)

    def _digits(self, word: int) -> int:
        return word >> self.K & (1 << self.K) - 1

    def run(self) -> None:
        """All divsteps."""
        f, g = self.f, self.g
        u, v, q, r = self.matrix
        for _ in range(self.K):
            self.D, f, g, odd, swap = divstep(self.D, f, g)
            if swap:
                u, v, q, r = 2 * q, 2 * r, q - u, r - v
            else:
                u, v, q, r = 2 * u, 2 * v, q + odd * u, r + odd * v
        self.matrix = (u, v, q, r)

    @property
    def flags(self) -> dict[str, int]:
        """Signs of the entries."""
        return {name: int(entry < 0) for name, entry in zip(SIGNS, self.matrix, strict=True)}

    @property
    def words(self) -> dict[str, int]:
        """Words of the entries."""
        top = self.word_bits - 1
        low = [entry & (1 << self.K) - 1 for entry in self.matrix]
        found = dict(zip(FACTORS, low, strict=True))
        for name, entry, digits in zip(OFFSETS, self.matrix, low, strict=True):
            found[name] = digits << top - self.K | ((entry < 0) ^ (name in ("Eu", "Eq"))) << top
        return found

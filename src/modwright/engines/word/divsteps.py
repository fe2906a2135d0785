# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest K bits of f and g, and their matrix in limbs.

The matrix is negated, as in `engines.row.divsteps`, so what a batch makes of f and g, and of d and e, is negated as
well; its entries have K + 1 bits with their sign. An entry is in two limbs (`rows`).
"""

from __future__ import annotations

from ..row.divsteps import FACTORS, Divsteps

PACE = 2
"""Cycles of a divstep: what it does is known a cycle after the one before."""
ENTRY_LIMBS = 2
"""Limbs of an entry."""
TAKEN_F, TAKEN_G, RESET, STEPS = "f_taken", "g_taken", "reset_steps", "steps"
"""Names of operations: f is taken; g is taken; the unit begins; divsteps."""


class LimbDivsteps(Divsteps):
    """State of the unit; `word_bits` is w, bits of a limb."""

    def reset(self) -> None:
        """No matrix, and δ = 1/2."""
        self.D = 0
        self.matrix = (-1, 0, 0, -1)

    def _digits(self, word: int) -> int:
        return word & (1 << self.K) - 1

    @property
    def words(self) -> dict[str, int]:
        """Words of the entries."""
        w, shift = self.word_bits, self.word_bits - self.K - 1
        cut = (1 << w) - 1
        return {
            name: (entry << shift & cut) | int(entry < 0) << w for name, entry in zip(FACTORS, self.matrix, strict=True)
        }

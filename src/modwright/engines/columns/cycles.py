# SPDX-License-Identifier: Apache-2.0
"""Cycles of the multiply-accumulate, counted from the control word of a product."""

from __future__ import annotations

from .digits import SUMS

BEHIND_SUMS = 4
"""From the sums E_e to the word."""
WORD = SUMS + BEHIND_SUMS
"""The word that a column leaves is in its register, and can be a limb of the product whose control word is then in its
register: the number of cycles from the last product of a column to one that reads its word."""
CLOSE_TO_FIRST = 3
"""From the last product of a column to the first of the next one: what the column leaves to the next is stored in the
cycle of its word, and is read in the cycle of the sums."""
FIRST = 4
"""Cycle of the first control word, counted from the transfer of the operands: number of the word, its fields from the
memory of control words, the context, and the places of its limbs lie before it."""
LAST_READ = 2
"""Operands may be overwritten from P intervals and 2 cycles after their transfer on; the last product, counted from the
first, comes in cycle FIRST more, its limbs are read a cycle before, and at most a cycle before that."""
RESULT = WORD + 2
"""The result is valid: the last word, the register in front of the queue, the queue."""

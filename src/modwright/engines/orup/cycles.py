# SPDX-License-Identifier: Apache-2.0
"""Cycles of one product on the row of blocks, counted from the transfer of its operands."""

from __future__ import annotations

from .interleaved import InterleavedParameters

OPERANDS_READ = 5
"""Cycle in which the first digit and Y are in the operand registers of the blocks: operand registers, memories, their
output registers and the choice of a digit lie before it."""
CONVERSION = 4
"""Cycles from the last S to the result: limbs, tests for all ones, carries into the limbs, limbs with carries."""


def first(p: InterleavedParameters) -> int:
    """Cycle in which the S before the first digit is in its register."""
    return OPERANDS_READ + p.lead


def finished(p: InterleavedParameters) -> int:
    """Cycle in which the last S is in its register."""
    return first(p) + p.digits * p.slots

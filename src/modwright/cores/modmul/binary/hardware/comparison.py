# SPDX-License-Identifier: Apache-2.0
"""Comparison of an operand with the modulus, in two steps: segment by segment, then along the segments."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Value

from ..plan.heap import SEGMENT


def compare(operand: Value, limit: int) -> Value:
    """Pairs by segment, lowest first: whether the operand's is above the limit's, and whether they are equal."""
    flags = []
    for low in range(0, len(operand), SEGMENT):
        part = operand[low : low + SEGMENT]
        piece = (limit >> low) & ((1 << len(part)) - 1)
        flags += [_above(part, piece), part == piece]
    return Cat(*flags)


def _above(part: Value, piece: int) -> Value:
    """Whether a segment is above a constant; nothing is above all ones, and a comparison that says so is a warning."""
    return Const(0, 1) if piece == (1 << len(part)) - 1 else part > piece


def above_or_equal(flags: Value) -> Value:
    """Whether the operand is not below the limit."""
    result: Value = Const(1, 1)
    for n in range(0, len(flags), 2):
        result = flags[n] | (flags[n + 1] & result)
    return result

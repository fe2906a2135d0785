# SPDX-License-Identifier: Apache-2.0
"""Comparison of an operand with the modulus, in two steps: segment by segment, then along the segments."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Value

from ..plan.product import COMPARED


def compare(operand: Value, limit: int) -> Value:
    """Pairs of bits by segment, lowest first: the operand's segment is above the limit's; the two are equal."""
    flags = []
    for low in range(0, len(operand), COMPARED):
        part = operand[low : low + COMPARED]
        piece = (limit >> low) & ((1 << len(part)) - 1)
        flags += [_above(part, piece), part == piece]
    return Cat(*flags)


def _above(part: Value, piece: int) -> Value:
    """Whether a segment is above a constant; 0 for all ones, as tools warn of a comparison that is never true."""
    return Const(0, 1) if piece == (1 << len(part)) - 1 else part > piece


def above_or_equal(flags: Value) -> Value:
    """Whether the operand is not below the limit."""
    result: Value = Const(1, 1)
    for n in range(0, len(flags), 2):
        result = flags[n] | (flags[n + 1] & result)
    return result

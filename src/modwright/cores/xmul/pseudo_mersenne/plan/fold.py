# SPDX-License-Identifier: Apache-2.0
"""The factor of a fold as signed powers of two, and the levels of registers in which they are added."""

from __future__ import annotations

MOST_TERMS = 4
"""Most signed powers of two of the factor: two levels with a register behind each add so many numbers in pairs."""
ROTATION = 2
"""Levels in which the multiple of a digit that leaves at the top is added: cycles that its operand is still for."""


def terms_of(factor: int) -> tuple[tuple[int, int], ...]:
    """Sign and exponent of the fewest powers of two whose sum is the factor: its non-adjacent form, or its bits where
    these are as few."""
    bits = tuple((1, k) for k in range(factor.bit_length()) if factor >> k & 1)
    signed, left, at = list[tuple[int, int]](), factor, 0
    while left:
        if left & 1:
            sign = 2 - left % 4
            signed.append((sign, at))
            left -= sign
        left, at = left >> 1, at + 1
    return bits if len(bits) <= len(signed) else tuple(signed)


def delay_of(factor: int) -> int:
    """Cycles by which digit 0 of the columns is later than the others: levels behind the first one, at least 1.

    The multiple of what leaves at the top and the low part of digit 0 itself are added in one more level than this.
    """
    return max(1, (len(terms_of(factor))).bit_length() - 1)


def group_of(count: int, levels: int) -> int:
    """Fewest numbers that are added at a time, so that `levels` levels make one of `count`."""
    size = 1
    while size**levels < count:
        size += 1
    return size

# SPDX-License-Identifier: Apache-2.0
"""Residues modulo 3 and 9 in hardware: digits of six bits, as 64 ≡ 1 modulo 9, and a table."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value

from ....rtl.pipeline import delayed
from .rower import lookup

DIGIT = 6
"""Bits of a digit: 2^6 ≡ 1 modulo 9 and 3."""
TABLE = 7
"""Bits of the table's index: the sum of digits of a sum of digits is below 2^7."""


def small_residue(m: Module, value: Value, small: int, factor: int, name: str, registers: int = 0) -> Signal:
    """Canonical value·factor modulo 3 or 9; with `registers` between the sums of digits and the table."""
    most = (1 << len(value)) - 1
    number = 0
    while len(value) > TABLE:
        digits = [value[low : low + DIGIT] for low in range(0, len(value), DIGIT)]
        most = sum((1 << len(digit)) - 1 for digit in digits)
        total = Signal(most.bit_length(), name=f"{name}_digits_{number}")
        m.d.comb += total.eq(sum(digits[1:], digits[0]))
        value, number = total, number + 1
    value = delayed(m, value, registers, f"{name}_summed")
    result = Signal((small - 1).bit_length(), name=name)
    m.d.comb += result.eq(lookup([v * factor % small for v in range(most + 1)], len(result), value))
    return result

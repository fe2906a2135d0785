# SPDX-License-Identifier: Apache-2.0
"""The block picture of the multipliers."""

from __future__ import annotations

from ....contract import Block
from .parameters import CarrySaveParameters


def blocks(p: CarrySaveParameters) -> list[Block]:
    """Boxes of one multiplier."""
    cell, words = p.cell, "S" if not p.cell.carry_save else "S as sum and carry"
    bits = f"1 to {cell.bits} bits" if cell.variable else f"{cell.bits} bit{'s' * (cell.bits > 1)}"
    result = f"limb adder, {p.limb} bits"
    return [
        Block("i", "i: x, y, m", (), f"{2 * p.operand_bits + p.n} bits", "port"),
        Block("registers", "X, Y, M", ("i",), f"{p.limbs} limbs of {p.limb} bits each", "memory"),
        Block("recoder", "recoder", ("registers",), f"{bits} of X a cycle, R = 2^{p.T}", "control"),
        Block("check", "comparators", ("registers",), f"X, Y < {p.bound}; M odd, at least 3"),
        Block("loop", "digit loop", ("recoder", "registers", "loop"), f"{words}; {p.width} bits before the shift"),
        Block("convert", "to binary", ("loop", "registers", "check"), result),
        Block("o", "o: z, m, error", ("convert", "registers", "check"), f"z < {p.bound}", "port"),
    ]

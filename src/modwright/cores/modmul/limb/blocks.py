# SPDX-License-Identifier: Apache-2.0
"""The block picture of a unit behind its streams."""

from __future__ import annotations

from ....contract import Block
from ....engines.limb.units import R64
from .parameters import LimbParameters


def blocks(p: LimbParameters) -> list[Block]:
    """Boxes of one core."""
    names = ", ".join(f.name for f in p.i.fields)
    multiplier = f"{p.w} x {p.w}, {p.delay} cycle{'s' * (p.delay > 1)}"
    several, each = ("multiplier", "each product") if p.macs == 1 else (f"{p.macs} multipliers", "each cycle")
    found = [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("operands", "operand registers", ("i",), f"{p.s} limbs of {p.w} bits"),
        Block("player", "control words", ("i",), f"one for {each}", "control"),
        Block("select", "factors", ("operands", "limbs", "player"), "differences" if p.unit.karatsuba else ""),
        Block("multiplier", several, ("select",), multiplier, "multiplier"),
    ]
    if p.unit is R64:
        found += [
            Block("mac", "reg1, reg2, q, c", ("multiplier", "limbs"), f"adder of {p.accumulator} bits"),
            Block("limbs", "z", ("mac",), f"adder of {2 * p.w + 1} bits"),
        ]
    else:
        squares = ("squares",) if p.unit.karatsuba else ()
        adder = f"adder of {p.accumulator} bits"
        if p.macs > 1:
            adder += f" for {p.macs} products"
        found += [
            Block("sum", "column sum", ("multiplier", *squares), adder),
            Block("limbs", "t, z", ("sum", "multiplier"), f"{p.s} limbs"),
        ]
        if squares:
            found.append(Block("squares", "U, V", ("multiplier",), f"adder, {p.s} words of {p.column_bits} bits"))
    return [
        *found,
        Block("check", "comparators", ("operands",), f"operands < m; m odd, at least 3; {p.s} limbs at once"),
        Block("o", "o: z, modulus, error", ("limbs", "check"), f"z < {p.limit}m", "port"),
    ]

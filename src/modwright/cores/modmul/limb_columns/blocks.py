# SPDX-License-Identifier: Apache-2.0
"""The block picture of the multiplier."""

from __future__ import annotations

from ....contract import Block
from ....engines.columns.parameters import DOMAIN
from .parameters import LimbColumnParameters


def blocks(p: LimbColumnParameters) -> list[Block]:
    """Boxes of one multiplier."""
    operands = f"{2 * p.operand_bits + 2 * p.n + p.w} bits"
    return [
        Block("i", "i: x, y, m, q, mu", (), operands, "port"),
        Block("player", "control words", ("i",), f"in turn for {p.contexts} operations", "control"),
        Block("store", "limbs of each context", ("i", "player", "word"), f"{p.s} limbs of {p.w} bits", "memory"),
        Block("products", "products of digits", ("store",), f"{p.products} of {p.b} x {p.b} bits", "multiplier"),
        Block("columns", "column", ("products", "contexts"), f"{2 * p.D} digits of {p.digit_bits} bits"),
        Block("contexts", "what columns leave", ("columns",), f"{p.D} digits for each context", "memory"),
        Block("word", "word", ("columns",), f"adder of {p.w} bits"),
        Block("check", "comparators", ("i",), f"x, y < {DOMAIN}m; m odd, at least 3; a limb a cycle"),
        Block("queue", "results, modulus", ("word", "check"), "in order", "memory"),
        Block("o", "o: z, modulus, error", ("queue",), f"z < {DOMAIN}m", "port"),
    ]

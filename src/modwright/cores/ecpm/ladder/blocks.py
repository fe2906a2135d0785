# SPDX-License-Identifier: Apache-2.0
"""The block picture of a point multiplier."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.blocks import arithmetic_blocks
from ....engines.ladder.words import WORDS
from ....schedule import Schedule
from .parameters import EcpmParameters


def blocks(p: EcpmParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    names = ", ".join(field.name for field in p.i.fields)
    code = schedule.microcode
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("position",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "(k - 2^N) mod q", ("i",), f"{p.order_bits} bits"),
        Block("position", "bit, flags", ("scalar", "port"), "what the state stands for", "control"),
        *arithmetic_blocks(p, WORDS),
        Block("o", "o: x, y, infinity, error", ("factors 0", "position"), "affine", "port"),
    ]

# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier of a base point."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.blocks import machine_blocks
from ....engines.ladder.words import WORDS
from ....schedule import Schedule
from .parameters import CombParameters
from .plan.table import FIELDS


def blocks(p: CombParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core: the operands that others hold are the point of the table that a step adds."""
    boxes = machine_blocks(p, p.i, p.o, schedule, words=WORDS, scalar="k")
    table = Block("table", "multiples of the base point", (), f"{len(p.table)} words of {p.n} bits", "memory")
    added = f"{len(FIELDS)} of {p.n} bits, and as many for the next step"
    point = Block("held", "point that is added", ("table", "scalar"), added)
    return [table, *(point if box.name == "held" else box for box in boxes)]

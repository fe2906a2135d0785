# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier of x-coordinates."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.blocks import machine_blocks
from ....engines.ladder.words import WORDS
from ....schedule import Schedule
from .parameters import XmulParameters


def blocks(p: XmulParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    return machine_blocks(p, p.i, p.o, schedule, words=WORDS, scalar="k as decoded")

# SPDX-License-Identifier: Apache-2.0
"""The block picture of an ECDSA core."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.blocks import machine_blocks
from ....schedule import Schedule
from .parameters import EcdsaParameters
from .plan.microcode import WORDS


def blocks(p: EcdsaParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    return machine_blocks(p, p.i, p.o, schedule, words=WORDS, scalar="u1, u2")

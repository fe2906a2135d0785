# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier."""

from __future__ import annotations

from ....contract import Block
from ....engines.coxrower.blocks import make_blocks
from .parameters import MultiplierParameters


def blocks(p: MultiplierParameters) -> list[Block]:
    """Boxes of a core."""
    return make_blocks(p.engine, p.i, p.o, exact=p.exact)

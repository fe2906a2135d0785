# SPDX-License-Identifier: Apache-2.0
"""The block picture of a multiplier with a runtime modulus."""

from __future__ import annotations

from ....contract import Block
from ....engines.coxrower.blocks import make_blocks
from .parameters import RuntimeParameters


def blocks(p: RuntimeParameters) -> list[Block]:
    """Boxes of a core: those of a cox-rower, and the words of P."""
    words = Block("words", "words of P", ("i",), f"{p.n} x {p.engine.given} of {p.width} bits", "memory")
    return [*make_blocks(p.engine, p.i, p.o), words]

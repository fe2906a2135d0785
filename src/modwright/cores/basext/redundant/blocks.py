# SPDX-License-Identifier: Apache-2.0
"""The block picture of an extension by a redundant residue."""

from __future__ import annotations

from dataclasses import replace

from ....contract import Block
from ....engines.coxrower.blocks import make_blocks
from .parameters import RedundantParameters


def blocks(p: RedundantParameters) -> list[Block]:
    """Boxes of a core; the sum modulo 2^k is in the place of the cox."""
    words = {"label": "sum for h, <-hA> tables", "detail": f"modulo 2^{p.extension.bits}, from -x/A on"}
    every = make_blocks(p.engine, p.i, p.o)
    return [replace(block, inputs=("bus", "i"), **words) if block.name == "cox" else block for block in every]

# SPDX-License-Identifier: Apache-2.0
"""The block picture of an extension by mixed radix digits."""

from __future__ import annotations

from dataclasses import replace

from ....contract import Block
from ....engines.coxrower.blocks import make_blocks
from .parameters import MixedRadixParameters


def blocks(p: MixedRadixParameters) -> list[Block]:
    """Boxes of a core; a comparison is in the place of the cox."""
    bus = {"label": "digit, canonical", "inputs": ("fold",), "detail": f"one of {p.n}, and stored"}
    compared = {"label": "comparison", "detail": "with the digits of p"}
    changes = {"bus": bus, "cox": compared, "fold": {"inputs": ("multiplier",)}, "queue": {"inputs": ("fold", "cox")}}
    return [replace(block, **changes.get(block.name, {})) for block in make_blocks(p.engine, p.i, p.o)]

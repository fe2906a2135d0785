# SPDX-License-Identifier: Apache-2.0
"""The block picture of a comparison."""

from __future__ import annotations

from dataclasses import replace

from ....contract import Block
from ....engines.coxrower.blocks import make_blocks
from .parameters import ComparisonParameters


def blocks(p: ComparisonParameters) -> list[Block]:
    """Boxes of a core; a comparison is in the place of the cox."""
    bus = {"label": "digit, canonical", "inputs": ("fold",), "detail": f"one of {p.n}"}
    compared = {"label": "comparison", "detail": "with 0, and of the last digit with a limit"}
    changes = {
        "bus": bus,
        "cox": compared,
        "fold": {"inputs": ("multiplier",)},
        "queue": {"inputs": ("cox",)},
        "o": {"label": "o: less, equal, error"},
    }
    return [replace(block, **changes.get(block.name, {})) for block in make_blocks(p.engine, p.i, p.o)]

# SPDX-License-Identifier: Apache-2.0
"""The block picture of the lean multiplier."""

from __future__ import annotations

from ....contract import Block
from ....plan.tiling import Tiling
from .parameters import LeanParameters


def blocks(p: LeanParameters) -> list[Block]:
    """Boxes of one multiplier, without converters."""
    tiling = Tiling(p.n, p.n, p.target, p.multipliers)
    weights = "<w_i·r>" if p.rooted else "M^-1, <w_i>"
    return [
        Block("i", "i: x, y", (), f"2 x {p.N} x {p.n} bits{', times their roots' if p.rooted else ''}", "port"),
        Block("sequencer", "sequencer", (), "control words of the schedule", "control"),
        Block("constants", weights, ("sequencer",), f"{p.N} x {p.N} constants of {p.n} bits", "memory"),
        Block(
            "multiplier",
            "multiply-accumulate",
            ("i", "constants", "gamma"),
            f"{p.N} channels of {p.n} bits, {tiling.blocks or p.multipliers} blocks each",
            "multiplier",
        ),
        Block("alpha", "α adder, <-αM> table", ("gamma",), f"top {p.q} bits of each γ_i", "memory"),
        Block("fold", "folds", ("multiplier", "alpha"), "modulo 2^n - u; with the sum, <-αM> joins"),
        Block("gamma", "γ registers", ("fold",), "a ring: every γ_i passes every channel"),
        Block("queue", "result queue", ("fold",), "a place for every operation in flight", "memory"),
        Block("o", "o: z, error", ("queue",), f"{p.N} x {p.n} bits", "port"),
    ]

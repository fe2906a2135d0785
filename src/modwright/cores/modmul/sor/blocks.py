# SPDX-License-Identifier: Apache-2.0
"""The block picture of the sum-of-residues multipliers (Figures 1, 4 and 5 of the paper)."""

from __future__ import annotations

from ....contract import Block
from ....plan.tiling import Tiling
from .parameters import SorParameters


def blocks(p: SorParameters) -> list[Block]:
    """Boxes of one multiplier, without converters."""
    count = f"{p.multipliers} x " if p.multipliers > 1 else ""
    product, kappa = Tiling(p.n, p.n, p.target), Tiling(p.n, p.kappa_width, p.target, p.multipliers)
    return [
        Block("i", "i: x, y", (), f"2 x {p.N} x {p.n} bits", "port"),
        Block("sequencer", "sequencer", (), "control words of the schedule", "control"),
        Block(
            "constants", "M_i^-1, <w_i>, <-p>", ("sequencer",), f"{p.N} x {p.N + 2} constants of {p.n} bits", "memory"
        ),
        Block(
            "multiplier",
            f"{count}RNS multiplier",
            ("i", "constants", "gamma", "kappa"),
            f"{p.N} channels of {p.n} bits, {product.blocks or 1} blocks each, {p.latency} cycles",
            "multiplier",
        ),
        Block("gamma", "γ registers", ("multiplier",), "a ring: every γ_i passes every channel"),
        Block(
            "kappa",
            "κ multiplier, accumulator",
            ("gamma",),
            f"{p.n} x {p.kappa_width} bits, {kappa.blocks or 1} blocks",
            "multiplier",
        ),
        Block("alpha", "α adder, <-αM> table", ("gamma",), f"top {p.q} bits of each γ_i", "memory"),
        Block("accumulator", "RNS accumulator", ("multiplier", "alpha"), f"{p.N} modular adders of {p.n} bits"),
        Block("queue", "result queue", ("accumulator",), "a place for every operation in flight", "memory"),
        Block("o", "o: z, error", ("queue",), f"{p.N} x {p.n} bits", "port"),
    ]

# SPDX-License-Identifier: Apache-2.0
"""The block picture of extensions and products: the paper's Figures 1 and 3."""

from __future__ import annotations

from ...contract import Block, Payload
from .engine import CoxrowerEngine


def make_blocks(e: CoxrowerEngine, i: Payload, o: Payload, *, exact: bool = False) -> list[Block]:
    """Boxes of a core on a cox-rower.

    Parameters
    ----------
    e : CoxrowerEngine
    i, o : Payload
    exact : bool
        Whether a converter to binary follows.
    """
    row = "hats" if e.columns == 1 else f"{e.columns} limbs of a row"
    result = "converter" if exact else "fold"
    end = [Block("converter", "to binary", ("fold",), "multiplies by A^-1, too", "multiplier")] if exact else []
    return [
        Block("i", f"i: {', '.join(f.name for f in i.fields)}", (), f"{i.width} bits", "port"),
        Block("sequencer", "sequencer", (), "the microprogram", "control"),
        Block(
            "constants",
            "constants",
            ("sequencer",),
            f"{e.rowers} x {len(e.constants(0))} of {e.width} bits",
            "memory",
        ),
        Block("operand", "operand", ("bus",), f"of the bus, modulo 2^w - u, in {e.bus_cycles} cycles"),
        Block(
            "multiplier",
            "multiply-accumulate",
            ("i", "constants", "operand", "fold"),
            f"{e.rowers} rowers, {e.operand_width} x {e.width} bits, {e.tiling.blocks or 1} blocks each",
            "multiplier",
        ),
        Block("fold", "folds", ("multiplier", "cox"), f"modulo 2^w - u of A or B, in {e.fold_cycles} cycles"),
        Block("bus", "bus", ("fold",), f"{row}, {e.rows} of them in turn"),
        Block("cox", "cox, <-hA> tables", ("bus",), f"top {e.cox.top_bits} bits", "memory"),
        *end,
        Block("queue", "result queue", (result,), "a place for every operation in flight", "memory"),
        Block("o", "o: z, error", ("queue",), f"{o.width} bits", "port"),
    ]

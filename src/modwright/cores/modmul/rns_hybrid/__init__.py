# SPDX-License-Identifier: Apache-2.0
"""Hybrid position-residue multiplication, for primes of a special form, on a cox-rower."""

from __future__ import annotations

from ....contract import Block, Core, Hardware, Option
from ....schedule import Schedule
from .codec import hybrid_codec
from .extremes import extremes
from .model import HybridModel
from .parameters import HybridParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: HybridParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import HybridDatapath

    return StreamCore(p.i, p.o, schedule, HybridDatapath(p, schedule))


def blocks(p: HybridParameters) -> list[Block]:
    """The block picture."""
    e = p.engine
    return [
        Block("i", "i: x, y", (), f"{p.i.width} bits", "port"),
        Block("sequencer", "sequencer", (), "the microprogram", "control"),
        Block("operands", "coefficients", ("i",), f"{2 * p.degree} of each operand a rower", "memory"),
        Block(
            "multiplier",
            "multiply-accumulate",
            ("operands", "sequencer", "bus", "kept"),
            f"{e.rowers} rowers, {e.operand_width} x {e.width} bits, {e.tiling.blocks or 1} blocks each",
            "multiplier",
        ),
        Block("fold", "folds", ("multiplier", "cox"), f"modulo 2^w - u of A or B, in {e.fold_cycles} cycles"),
        Block("kept", "kept results", ("fold",), f"{e.file} a rower", "memory"),
        Block("bus", "bus", ("fold",), f"{e.rows} rows in turn"),
        Block("cox", "cox, carries t", ("bus",), f"top {e.cox.top_bits} bits", "memory"),
        Block("queue", "result queue", ("kept",), "a place for every operation in flight", "memory"),
        Block("o", "o: z, error", ("queue",), f"{p.o.width} bits", "port"),
    ]


WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits."""

CORES = (
    Core(
        name="modmul/rns-hpr",
        summary="hybrid position-residue multiplication modulo P = M^d - 2",
        source="Bigou and Tisserand, CHES 2015 and ARITH 2016, after Djath, Bigou and Tisserand 2019",
        options=(
            Option("width", int, 17, "bits of a channel, w", minimum=9, maximum=36),
            Option("degree", int, 2, "coefficients, d", (2, 4)),
            Option("c", int, 1, "columns: channels of a super-residue", (1, 2)),
            Option("latency", int, 3, "cycles of a multiply-accumulate, L", minimum=2, maximum=8),
        ),
        derive=derive,
        schedule=make_schedule,
        model=HybridModel,
        build=build,
        codec=hybrid_codec,
        trials=TRIALS["modmul/rns-hpr"],
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
        extremes=extremes,
    ),
)

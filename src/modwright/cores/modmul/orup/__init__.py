# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication with a runtime modulus on multiplier blocks, with pipelined quotients (Orup 1995)."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....contract.runtime_modulus import width_option
from ....engines.orup.ahead import (
    LONGEST_DELAY,
    LONGEST_DIGIT,
    LONGEST_TILE,
    NAME,
    SHORTEST_DELAY,
    SHORTEST_DIGIT,
    SHORTEST_TILE,
    WIDEST,
    OrupParameters,
    derive,
)
from ....engines.orup.interleaved import FEWEST_SLOTS, MOST_SLOTS, InterleavedParameters
from ....engines.orup.interleaved import NAME as INTERLEAVED_NAME
from ....engines.orup.interleaved import derive as derive_interleaved
from ....schedule import Schedule
from .blocks import blocks, interleaved_blocks
from .extremes import extremes
from .model import OrupModel
from .schedule.ahead import make_schedule
from .schedule.interleaved import make_schedule as make_interleaved_schedule
from .trials import TRIALS

BITS = width_option(WIDEST)
DIGIT = Option(
    "digit", int, None, "bits of X in a cycle; the block's when not given", (), SHORTEST_DIGIT, LONGEST_DIGIT
)
TILE = Option("tile", int, None, "bits of Y and m at a block; its own when not given", (), SHORTEST_TILE, LONGEST_TILE)


def build(p: OrupParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import OrupCore

    return OrupCore(p, schedule)


def build_interleaved(p: InterleavedParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.interleaved.core import InterleavedCore

    return InterleavedCore(p, schedule)


ORUP = Core(
    name=NAME,
    summary="Montgomery, 17 or 18 bits a cycle on multiplier blocks, quotients determined ahead",
    source="Orup, ARITH-12, 1995; carries, bounds and conversion by Modwright",
    options=(
        BITS,
        Option("delay", int, 4, "digits between a quotient and its product", (), SHORTEST_DELAY, LONGEST_DELAY),
        DIGIT,
        TILE,
        Option("limb", int, None, "bits converted to binary in a cycle; chosen when not given", (), 3, 1024),
    ),
    derive=derive,
    schedule=make_schedule,
    model=OrupModel,
    build=build,
    codec=lambda p: FieldCodec(p, example=p.example),
    trials=TRIALS[NAME],
    widest=WIDEST,
    blocks=lambda p, _: blocks(p),
    extremes=extremes,
)

INTERLEAVED = Core(
    name=INTERLEAVED_NAME,
    summary="Montgomery, 17 or 18 bits a cycle on multiplier blocks, several products in turn",
    source="Orup, ARITH-12, 1995, without delay; slots, carries, bounds and conversion by Modwright",
    options=(
        BITS,
        Option(
            "slots",
            int,
            None,
            "products in turn; the fewest that leave no cycle empty when not given",
            (),
            FEWEST_SLOTS,
            MOST_SLOTS,
        ),
        DIGIT,
        TILE,
    ),
    derive=derive_interleaved,
    schedule=make_interleaved_schedule,
    model=OrupModel,
    build=build_interleaved,
    codec=lambda p: FieldCodec(p, example=p.example),
    trials=TRIALS[INTERLEAVED_NAME],
    widest=WIDEST,
    blocks=lambda p, _: interleaved_blocks(p),
    extremes=extremes,
)

CORES = (ORUP, INTERLEAVED)

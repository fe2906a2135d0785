# SPDX-License-Identifier: Apache-2.0
"""Multiples of the base point of an Edwards curve, both built in, by a comb over a table of the point's multiples."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import LIMB, MACS, REGISTERS, UNIT
from ....schedule import Schedule
from .blocks import blocks
from .codec import CombCodec
from .extremes import extremes
from .model import CombModel
from .parameters import MOST_TEETH, CombParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: CombParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import CombCore

    return CombCore(p, schedule)


CORES = (
    Core(
        name="edmul/comb",
        summary="multiples of the base point of an Edwards curve by a comb, complete formulas, over limb multipliers",
        source="Modwright; Lim and Lee, CRYPTO 1994; formulas of Hisil, Wong, Carter and Dawson, ASIACRYPT 2008",
        options=(
            LIMB,
            UNIT,
            MACS,
            Option("teeth", int, None, "bits of the scalar in a step; a table of 2^teeth points", (), 1, MOST_TEETH),
            REGISTERS,
        ),
        derive=derive,
        schedule=make_schedule,
        model=CombModel,
        build=build,
        codec=CombCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    ),
)

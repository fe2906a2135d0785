# SPDX-License-Identifier: Apache-2.0
"""EdDSA on any complete Edwards curve, with curve and order as operands: k·B + h·P, signing, verifying."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import OPTIONS
from ....schedule import Schedule
from .blocks import blocks
from .codec import EddsaCodec
from .extremes import extremes
from .model import EddsaModel
from .parameters import EddsaParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: EddsaParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import EddsaCore

    return EddsaCore(p, schedule)


CORES = (
    Core(
        name="eddsa/joint",
        summary="EdDSA and sums of two multiples, any Edwards curve, over one or two limb multipliers",
        source="Modwright; formulas of Hisil, Wong, Carter and Dawson, ASIACRYPT 2008",
        options=OPTIONS,
        derive=derive,
        schedule=make_schedule,
        model=EddsaModel,
        build=build,
        codec=EddsaCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    ),
)

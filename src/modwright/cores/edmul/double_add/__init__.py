# SPDX-License-Identifier: Apache-2.0
"""Point multiplication on any complete Edwards curve, with curve and field as operands: Ed25519, Ed448."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import OPTIONS
from ....schedule import Schedule
from .blocks import blocks
from .codec import EdmulCodec
from .extremes import extremes
from .model import EdmulModel
from .parameters import EdmulParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: EdmulParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import EdmulCore

    return EdmulCore(p, schedule)


CORES = (
    Core(
        name="edmul/double-add",
        summary="point multiplication by complete formulas, any Edwards curve, over one or two limb multipliers",
        source="Modwright; formulas of Hisil, Wong, Carter and Dawson, ASIACRYPT 2008",
        options=OPTIONS,
        derive=derive,
        schedule=make_schedule,
        model=EdmulModel,
        build=build,
        codec=EdmulCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Multiplication of x-coordinates on any Montgomery curve, with curve and field as operands: X25519, X448."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import OPTIONS
from ....schedule import Schedule
from .blocks import blocks
from .codec import XmulCodec
from .extremes import extremes
from .model import XmulModel
from .parameters import XmulParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: XmulParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import XmulCore

    return XmulCore(p, schedule)


CORES = (
    Core(
        name="xmul/montgomery-ladder",
        summary="X25519, X448, any Montgomery curve by the ladder on x-coordinates, over one or two limb multipliers",
        source="RFC 7748; Montgomery 1987",
        options=OPTIONS,
        derive=derive,
        schedule=make_schedule,
        model=XmulModel,
        build=build,
        codec=XmulCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    ),
)

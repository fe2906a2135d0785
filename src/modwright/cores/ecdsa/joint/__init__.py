# SPDX-License-Identifier: Apache-2.0
"""ECDSA on any Weierstrass curve of prime order, with curve and order as operands: keys, signing, verifying."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import LIMB, MACS, REGISTERS, UNIT, WIDTH
from ....schedule import Schedule
from .blocks import blocks
from .codec import EcdsaCodec
from .extremes import extremes
from .model import EcdsaModel
from .parameters import EcdsaParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: EcdsaParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import EcdsaCore

    return EcdsaCore(p, schedule)


CORES = (
    Core(
        name="ecdsa/joint",
        summary="ECDSA by complete formulas, any Weierstrass curve of prime order, over one or two limb multipliers",
        source="Modwright; formulas of Renes, Costello and Batina, EUROCRYPT 2016",
        options=(
            WIDTH,
            LIMB,
            UNIT,
            MACS,
            Option("check", bool, False, "verify each result before it leaves, in twice the cycles"),
            REGISTERS,
        ),
        derive=derive,
        schedule=make_schedule,
        model=EcdsaModel,
        build=build,
        codec=EcdsaCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    ),
)

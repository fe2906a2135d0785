# SPDX-License-Identifier: Apache-2.0
"""EdDSA on any complete Edwards curve, with curve and order as operands: k·B + h·P, signing, verifying."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.runtime_modulus import width_option
from ....engines.ladder.parameters import UNIT_ALIASES, UNITS
from ....engines.limb.options import REGISTERS
from ....engines.limb.parameters import LONGEST_LIMB, SHORTEST_LIMB
from ....schedule import Schedule
from .blocks import blocks
from .codec import EddsaCodec
from .extremes import extremes
from .model import EddsaModel
from .parameters import WIDEST, EddsaParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: EddsaParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is loaded here, and not with the registry."""
    from .hardware.core import EddsaCore

    return EddsaCore(p, schedule)


CORES = (
    Core(
        name="eddsa/joint",
        summary="EdDSA and sums of two multiples, any Edwards curve, over one or two limb multipliers",
        source="Modwright; formulas of Hisil, Wong, Carter and Dawson, ASIACRYPT 2008",
        options=(
            width_option(WIDEST, "curve"),
            Option("limb", int, 64, "bits of a limb", (), SHORTEST_LIMB, LONGEST_LIMB),
            Option("unit", str, "fold-karatsuba", "kind of multiplier", tuple(UNITS), aliases=UNIT_ALIASES),
            Option("macs", int, 1, "multipliers side by side", (1, 2)),
            REGISTERS,
        ),
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

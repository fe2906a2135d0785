# SPDX-License-Identifier: Apache-2.0
"""Point multiplication on any Weierstrass curve, with curve, field and order as operands."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.runtime_modulus import SMALLEST
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import LIMB, MACS, UNIT, WIDTH
from ....engines.limb.options import REGISTERS
from ....schedule import Schedule
from .blocks import blocks
from .codec.codec import EcpmCodec
from .extremes import extremes
from .model import EcpmModel
from .parameters import EcpmParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

WIDTHS = (
    WIDTH,
    LIMB,
    Option(
        "order_bits",
        int,
        None,
        "bits of the widest order, steps of the ladder: those of the modulus or one more",
        (),
        SMALLEST,
        WIDEST + 1,
        sizes="order",
    ),
)
BLINDING = Option("blinding", bool, False, "the first Z is multiplied by a random number that comes in")


def build(p: EcpmParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is loaded here, and not with the registry."""
    from .hardware.core import EcpmCore

    return EcpmCore(p, schedule)


def _core(name: str, summary: str, source: str, options: tuple[Option, ...]) -> Core:
    return Core(
        name=f"ecpm/{name}",
        summary=summary,
        source=source,
        options=options,
        derive=derive,
        schedule=make_schedule,
        model=EcpmModel,
        build=build,
        codec=EcpmCodec,
        trials=TRIALS[f"ecpm/{name}"],
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    )


CORES = (
    _core(
        "ladder",
        "point multiplication by the Montgomery ladder, any Weierstrass curve, over one or two limb multipliers",
        "Modwright; formulas of Hamburg, TCHES 2020(4)",
        (*WIDTHS, UNIT, MACS, REGISTERS, BLINDING),
    ),
    _core(
        "r64-ladder",
        "point multiplication by the Montgomery ladder, any Weierstrass curve, over one r64 multiplier",
        "Xie et al. 2023, Table 1, corrected",
        (*WIDTHS, BLINDING),
    ),
)

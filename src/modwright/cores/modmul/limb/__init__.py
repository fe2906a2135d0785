# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs with multipliers of a limb by a limb, and a runtime modulus."""

from __future__ import annotations

from collections.abc import Sequence

from ....contract import Core, Hardware, Option
from ....contract.runtime_modulus import width_option
from ....engines.limb.options import REGISTERS
from ....engines.limb.parameters import LONGEST_LIMB, MOST_MULTIPLIERS, SHORTEST_LIMB, WIDEST
from ....engines.limb.units import FOLD, FOLD_KARATSUBA, R64, SCAN, Unit
from ....schedule import Schedule
from .blocks import blocks
from .codec import make_codec
from .extremes import extremes
from .model import LimbModel
from .parameters import LimbParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

WIDTHS = (
    width_option(WIDEST),
    Option("limb", int, 64, "bits of a limb", (), SHORTEST_LIMB, LONGEST_LIMB),
)
MACS = Option("macs", int, 1, "multipliers; as many products a cycle", (), 1, MOST_MULTIPLIERS)
COLUMNS = (*WIDTHS, REGISTERS, MACS)
"""Options of the units that compute columns."""


def build(p: LimbParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import build

    return build(p, schedule)


def _core(unit: Unit, summary: str, source: str, options: Sequence[Option]) -> Core:
    return Core(
        name=unit.core,
        summary=summary,
        source=source,
        options=tuple(options),
        derive=derive,
        schedule=make_schedule,
        model=LimbModel,
        build=build,
        codec=make_codec,
        trials=TRIALS[unit.core],
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
        extremes=extremes,
        aliases=(unit.former_core,) if unit.former else (),
        former=unit.former_core,
    )


CORES = (
    _core(
        R64,
        "Montgomery on limbs, operand scanning: one multiply-accumulate a cycle",
        "Xie et al. 2023, Algorithm 3, corrected",
        WIDTHS,
    ),
    _core(
        SCAN,
        "Montgomery on limbs, product scanning",
        "Modwright; Koç, Acar and Kaliski, IEEE Micro 16(3), 1996, FIPS",
        COLUMNS,
    ),
    _core(FOLD, "Montgomery on limbs, product scanning, limbs folded by 2^-w mod m", "Modwright", COLUMNS),
    _core(
        FOLD_KARATSUBA,
        "Montgomery on limbs, folded, every pair of limbs by Karatsuba's method",
        "Modwright; after Karatsuba and Ofman 1962",
        COLUMNS,
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs with multipliers of a limb by a limb, and a modulus at run time."""

from __future__ import annotations

from collections.abc import Sequence

from ....contract import Core, Option
from ....contract.runtime_modulus import SMALLEST
from ....engines.limb.options import REGISTERS
from ....engines.limb.parameters import LONGEST_LIMB, MOST_MULTIPLIERS, SHORTEST_LIMB, WIDEST
from ....engines.limb.units import L1, L2, L3, R64, UNITS, Unit
from .blocks import blocks
from .codec import LimbCodec
from .extremes import extremes
from .hardware.core import build
from .model import LimbModel
from .parameters import derive
from .schedule import make_schedule

WIDTHS = (
    Option("bits", int, None, "bits of the widest modulus; the request's when not given", (), SMALLEST, WIDEST),
    Option("limb", int, 64, "bits of a limb", (), SHORTEST_LIMB, LONGEST_LIMB),
)
MACS = Option("macs", int, 1, "multipliers; as many products a clock", (), 1, MOST_MULTIPLIERS)
COLUMNS = (*WIDTHS, REGISTERS, MACS)
"""Of the units that work through columns."""


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
        codec=LimbCodec,
        runtime_modulus=True,
        blocks=lambda p, _: blocks(p),
        extremes=extremes,
    )


CORES = (
    _core(
        R64,
        "Montgomery on limbs, operand scanning: one multiply-accumulate a clock",
        "Xie et al. 2023, Algorithm 3, corrected",
        WIDTHS,
    ),
    _core(
        L1,
        "Montgomery on limbs, product scanning",
        "Modwright; Koç, Acar and Kaliski, IEEE Micro 16(3), 1996, FIPS",
        COLUMNS,
    ),
    _core(L2, "Montgomery on limbs, product scanning, limbs folded by 2^-w mod m", "Modwright", COLUMNS),
    _core(
        L3,
        "Montgomery on limbs, folded, every pair of limbs by Karatsuba's method",
        "Modwright; after Karatsuba and Ofman 1962",
        COLUMNS,
    ),
)

SMALL = ({"limb": 4}, {"limb": 2, "bits": 7}, {"limb": 3, "bits": 6})
"""Three limbs and a spare bit or two; four; two."""
SMALL_WITH_TWO = tuple({**options, "macs": 2} for options in SMALL)
CONTRACT_REQUESTS = {
    unit.core: [
        *(
            {"modulus": "0x3d" if "bits" in o else "0xe9d", "target": "generic", "options": o}
            for o in (SMALL if unit is R64 else SMALL + SMALL_WITH_TWO)
        ),
        {"modulus": "0xfffffffb", "target": "ecp5", "options": {"limb": 8}},
    ]
    for unit in UNITS
}
CONTRACT_QUICK = {R64.core: (0, 3), L1.core: (0, 4), L2.core: (1, 5), L3.core: (2, 3, 6)}
"""What every run of the tests has: each unit alone and with two multipliers, every division into limbs, and blocks of
ECP5 under both ways of scanning."""

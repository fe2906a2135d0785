# SPDX-License-Identifier: Apache-2.0
"""Base extension by mixed radix digits, with an exact comparison."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....engines.coxrower.options import OPTIONS, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import MixedRadixCodec
from .extremes import mixed_radix_extremes
from .model import MixedRadixModel
from .parameters import MixedRadixParameters, derive_mixed_radix
from .schedule import mixed_radix_schedule
from .trials import TRIALS

OWN_OPTIONS = tuple(option for option in OPTIONS if option.name in ("width", "channels", "latency", "local"))


def build(p: MixedRadixParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import MixedRadixDatapath

    return StreamCore(p.i, p.o, schedule, MixedRadixDatapath(p, schedule))


MIXED_RADIX = Core(
    name="basext/mixed-radix",
    summary="RNS base extension by mixed radix digits, which are compared with the modulus",
    source="Garner, IRE Trans. Electronic Computers EC-8(2), 1959; Szabo and Tanaka 1967",
    options=OWN_OPTIONS,
    derive=derive_mixed_radix,
    schedule=mixed_radix_schedule,
    model=MixedRadixModel,
    build=build,
    codec=MixedRadixCodec,
    trials=TRIALS,
    extremes=mixed_radix_extremes,
    widest=WIDEST,
    blocks=lambda p, _: blocks(p),
)

CORES = (MIXED_RADIX,)

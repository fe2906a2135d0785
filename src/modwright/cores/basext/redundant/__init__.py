# SPDX-License-Identifier: Apache-2.0
"""Base extension by a redundant residue, after Shenoy and Kumaresan."""

from __future__ import annotations

from dataclasses import replace

from ....contract import Core, Hardware
from ....engines.coxrower.options import OPTIONS, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import RedundantCodec
from .extremes import redundant_extremes
from .model import RedundantModel
from .parameters import RedundantParameters, derive_redundant
from .schedule import redundant_schedule
from .trials import TRIALS

LEAST_LATENCY = 3
"""The sum of h takes a cycle more than a cox's."""
OWN_OPTIONS = tuple(
    replace(option, minimum=LEAST_LATENCY) if option.name == "latency" else option
    for option in OPTIONS
    if option.name in ("width", "channels", "latency", "local")
)


def build(p: RedundantParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import RedundantDatapath

    return StreamCore(p.i, p.o, schedule, RedundantDatapath(p, schedule))


SHENOY_KUMARESAN = Core(
    name="basext/shenoy-kumaresan",
    summary="RNS base extension by a redundant residue, exact without an estimate",
    source="Shenoy and Kumaresan, IEEE Trans. Computers 38(2), 1989",
    options=OWN_OPTIONS,
    derive=derive_redundant,
    schedule=redundant_schedule,
    model=RedundantModel,
    build=build,
    codec=RedundantCodec,
    trials=TRIALS,
    extremes=redundant_extremes,
    widest=WIDEST,
    blocks=lambda p, _: blocks(p),
)

CORES = (SHENOY_KUMARESAN,)

# SPDX-License-Identifier: Apache-2.0
"""Comparison of two numbers in residues, by the mixed radix digits of their difference."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....engines.coxrower.options import OPTIONS, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import ComparisonCodec
from .extremes import comparison_extremes
from .model import ComparisonModel
from .parameters import ComparisonParameters, derive_comparison
from .schedule import comparison_schedule
from .trials import TRIALS

OWN_OPTIONS = tuple(option for option in OPTIONS if option.name in ("width", "channels", "latency", "local"))


def build(p: ComparisonParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import ComparisonDatapath

    return StreamCore(p.i, p.o, schedule, ComparisonDatapath(p, schedule))


COMPARISON = Core(
    name="comparison/mixed-radix",
    summary="comparison of two numbers in residues by the mixed radix digits of their difference",
    source="Garner, IRE Trans. Electronic Computers EC-8(2), 1959; Szabo and Tanaka 1967",
    options=OWN_OPTIONS,
    derive=derive_comparison,
    schedule=comparison_schedule,
    model=ComparisonModel,
    build=build,
    codec=ComparisonCodec,
    trials=TRIALS,
    extremes=comparison_extremes,
    widest=WIDEST,
    blocks=lambda p, _: blocks(p),
)

CORES = (COMPARISON,)

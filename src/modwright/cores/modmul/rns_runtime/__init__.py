# SPDX-License-Identifier: Apache-2.0
"""RNS Montgomery multiplication for any modulus, whose constants come with the operands."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.runtime_modulus import width_option
from ....engines.coxrower.options import HIERARCHICAL, OPTIONS, PAPER, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import runtime_codec
from .extremes import runtime_extremes
from .model import RuntimeModel
from .parameters import RuntimeParameters, derive_runtime
from .schedule import runtime_schedule
from .trials import TRIALS

BITS = width_option(WIDEST)
SLOTS = Option("slots", int, 1, "operations whose words of the modulus a rower holds", (1, 2))
SIGMA_SECOND = Option("sigma", str, "1/2", "where the cox of the second extension starts, σ2")


def build(p: RuntimeParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is loaded here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import RuntimeDatapath

    return StreamCore(p.i, p.o, schedule, RuntimeDatapath(p, schedule))


def _multiplier(name: str, summary: str, own: tuple[Option, ...]) -> Core[RuntimeParameters]:
    return Core(
        name=f"modmul/rns-{name}-runtime",
        summary=summary,
        source=f"{PAPER}, Algorithm 3; words of P by Modwright",
        options=(BITS, *(option for option in OPTIONS if option.name != "rowers"), SIGMA_SECOND, SLOTS, *own),
        derive=derive_runtime,
        schedule=runtime_schedule,
        model=RuntimeModel,
        build=build,
        codec=runtime_codec,
        trials=TRIALS[f"modmul/rns-{name}-runtime"],
        extremes=runtime_extremes,
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
    )


CORES = (
    _multiplier("kbe", "RNS Montgomery multiplication by a cox-rower, any modulus", ()),
    _multiplier(
        "hbe", "RNS Montgomery multiplication by a cox-rower, any modulus, hierarchical extensions", HIERARCHICAL
    ),
)

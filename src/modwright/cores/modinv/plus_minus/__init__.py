# SPDX-License-Identifier: Apache-2.0
"""Modular inversion in residues by plus-minus passes, on the rowers and the cox of a cox-rower; variable latency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....contract.request import Request
from ....engines.coxrower.options import LOCAL
from ....engines.inversion.options import LATENCY, WIDEST, WIDTH
from ....schedule import Schedule
from .codec import BlindedCodec
from .extremes import extremes
from .model import PassModel
from .parameters import PassParameters, derive_bmi, derive_btmi, derive_fused
from .schedule import make_schedule
from .statistics import pass_count
from .trials import TRIALS

PAPER = "Bigou and Tisserand, IEEE Trans. Computers 65(11), 2016"

BLIND = Option("blind", bool, False, "V1 starts from a random operand r, and a is multiplied by it")


def build(p: PassParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import PassCore

    return PassCore(p, schedule)


def _passes(name: str, summary: str, source: str, derive: Callable[[Request], Any]) -> Core:
    return Core(
        name=f"modinv/rns-{name}",
        summary=summary,
        source=source,
        options=(WIDTH, BLIND, LATENCY, LOCAL),
        derive=derive,
        schedule=make_schedule,
        model=PassModel,
        build=build,
        extremes=extremes,
        codec=lambda p: BlindedCodec(p) if p.blind else FieldCodec(p),
        trials=TRIALS[name],
        widest=WIDEST,
        statistic=pass_count,
    )


CORES = (
    _passes(
        "bmi",
        "RNS inversion, binary plus-minus; variable latency",
        f"Bigou and Tisserand, CHES 2013, as in {PAPER}",
        derive_bmi,
    ),
    _passes(
        "btmi",
        "RNS inversion, binary-ternary plus-minus; variable latency",
        f"{PAPER}, Algorithm 1, corrected",
        derive_btmi,
    ),
    _passes(
        "btmi-fused",
        "RNS inversion, plus-minus and divisions by up to 16·9 in one pass; variable latency",
        f"Modwright; {PAPER}",
        derive_fused,
    ),
)

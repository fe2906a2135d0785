# SPDX-License-Identifier: Apache-2.0
"""Modular inversion in residues, on the rowers and the cox of a cox-rower."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....contract import Core, Option
from ....contract.codec import FieldCodec
from ....contract.request import Request
from .codec import BlindedCodec
from .divstep_core import build as build_divstep
from .divstep_model import DivstepModel
from .divstep_parameters import derive as derive_divstep
from .divstep_schedule import make_schedule as divstep_schedule
from .extremes import divstep_extremes, fermat_extremes, pass_extremes
from .flt_core import build as build_flt
from .flt_model import FermatModel
from .flt_parameters import MULTIPLIERS
from .flt_parameters import derive as derive_flt
from .flt_schedule import make_schedule as flt_schedule
from .pass_core import PassCore
from .pass_model import PassModel
from .pass_parameters import derive_bmi, derive_btmi, derive_fused
from .pass_schedule import make_schedule as pass_schedule
from .statistics import pass_count
from .trials import TRIALS

PAPER = "Bigou and Tisserand, IEEE Trans. Computers 65(11), 2016"

WIDTH = Option("width", int, 20, "bits of a channel, w", minimum=8, maximum=36)
LATENCY = Option("latency", int, 3, "clocks of a multiply-accumulate, L", minimum=2, maximum=8)

DIVSTEP = Core(
    name="modinv/rns-divstep",
    summary="RNS inversion by divsteps on low bits and matrices on the rowers, constant latency",
    source="Modwright; divsteps of Bernstein and Yang, CHES 2019, half-delta",
    options=(
        WIDTH,
        Option("k", int, None, "divsteps in a round; those of the fewest clocks when not given", minimum=1, maximum=35),
        Option("steps", int, 2, "divsteps in one clock", minimum=1, maximum=8),
        LATENCY,
    ),
    derive=derive_divstep,
    schedule=divstep_schedule,
    model=DivstepModel,
    build=build_divstep,
    extremes=divstep_extremes,
    codec=FieldCodec,
    trials=TRIALS["modinv/rns-divstep"],
    residues=True,
)

BLIND = Option("blind", bool, False, "V1 starts from a random operand r, and a is multiplied by it")


def _passes(name: str, summary: str, source: str, derive: Callable[[Request], Any]) -> Core:
    return Core(
        name=f"modinv/rns-{name}",
        summary=summary,
        source=source,
        options=(WIDTH, BLIND, LATENCY),
        derive=derive,
        schedule=pass_schedule,
        model=PassModel,
        build=PassCore,
        extremes=pass_extremes,
        codec=lambda p: BlindedCodec(p) if p.blind else FieldCodec(p),
        trials=TRIALS[f"modinv/rns-{name}"],
        residues=True,
        statistic=pass_count,
    )


FERMAT = Core(
    name="modinv/rns-flt",
    summary="RNS inversion by Fermat's little theorem over an RNS Montgomery multiplier",
    source="Guillermin, CHES 2010, over Kawamura et al., EUROCRYPT 2000",
    options=(
        WIDTH,
        Option("multiplier", str, "kbe", "the multiplier, modmul/rns-...", tuple(sorted(MULTIPLIERS))),
        LATENCY,
    ),
    derive=derive_flt,
    schedule=flt_schedule,
    model=FermatModel,
    build=build_flt,
    extremes=fermat_extremes,
    codec=FieldCodec,
    trials=TRIALS["modinv/rns-flt"],
    residues=True,
)

CORES = (
    DIVSTEP,
    FERMAT,
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

# SPDX-License-Identifier: Apache-2.0
"""Modular inversion in residues, on the rowers and the cox of a cox-rower."""

from __future__ import annotations

from typing import Any

from ...contract import Core, Option
from .codec import InversionCodec
from .divstep_core import build as build_divstep
from .divstep_model import DivstepModel
from .divstep_parameters import derive as derive_divstep
from .divstep_schedule import make_schedule as divstep_schedule

PAPER = "Bigou and Tisserand, IEEE Trans. Computers 65(11), 2016"

WIDTH = Option("width", int, 20, "bits of a channel, w", minimum=8, maximum=36)
LATENCY = Option("latency", int, 3, "clocks of a multiply-accumulate, L", minimum=2, maximum=8)

DIVSTEP = Core(
    name="modinv/rns-divstep",
    summary="RNS inversion by divsteps on low bits and matrices on the rowers, constant time",
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
    codec=InversionCodec,
)

CORES = (DIVSTEP,)


def _small(modulus: str, **options: Any) -> dict[str, Any]:
    return {"modulus": modulus, "target": "generic", "options": options}


CONTRACT_REQUESTS = {
    "modinv/rns-divstep": [
        _small("1009", width=11),
        _small("61", width=10, steps=3, latency=2),
        _small("315", width=12, steps=1, k=5, latency=4),
    ],
}

# SPDX-License-Identifier: Apache-2.0
"""Modular inversion in residues by divsteps, on the rowers and the cox of a cox-rower; constant latency."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....engines.coxrower.options import LOCAL
from ....engines.inversion.options import LATENCY, WIDEST, WIDTH
from ....schedule import Schedule
from .extremes import extremes
from .model import DivstepModel
from .parameters import DivstepParameters, derive
from .schedule import make_schedule
from .trials import TRIALS


def build(p: DivstepParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware import build

    return build(p, schedule)


DIVSTEP = Core(
    name="modinv/rns-divstep",
    summary="RNS inversion by divsteps on low bits and matrices on the rowers, constant latency",
    source="Modwright; divsteps of Bernstein and Yang, CHES 2019, half-delta",
    options=(
        WIDTH,
        Option("k", int, None, "divsteps in a round; those of the fewest cycles when not given", minimum=1, maximum=35),
        Option("steps", int, 2, "divsteps in one cycle", minimum=1, maximum=8),
        LATENCY,
        LOCAL,
    ),
    derive=derive,
    schedule=make_schedule,
    model=DivstepModel,
    build=build,
    extremes=extremes,
    codec=FieldCodec,
    trials=TRIALS,
    widest=WIDEST,
)

CORES = (DIVSTEP,)

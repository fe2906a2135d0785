# SPDX-License-Identifier: Apache-2.0
"""Modular inversion by Fermat's little theorem over an RNS Montgomery multiplier; constant latency."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...contract import Core, Hardware, Option, trial
from ...contract.codec import FieldCodec
from ...cores.modmul import rns_montgomery
from ...cores.modmul.rns_montgomery.parameters import MultiplierParameters
from ...engines.coxrower.options import LOCAL
from ...engines.inversion.options import LATENCY, WIDEST, WIDTH
from ...schedule import Schedule
from .extremes import extremes
from .model import FermatModel
from .parameters import FermatParameters, derive
from .schedule import make_schedule

MULTIPLIERS: Mapping[str, Core[MultiplierParameters]] = {
    core.name.rpartition("-")[2]: core for core in rns_montgomery.MULTIPLIERS
}


def build(p: FermatParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware import build

    return build(p, schedule)


FERMAT = Core(
    name="modinv/rns-flt",
    summary="RNS inversion by Fermat's little theorem over an RNS Montgomery multiplier",
    source="Guillermin, CHES 2010, over Kawamura et al., EUROCRYPT 2000",
    options=(
        WIDTH,
        Option("multiplier", str, "kbe", "the multiplier, modmul/rns-...", tuple(sorted(MULTIPLIERS))),
        LATENCY,
        LOCAL,
    ),
    derive=partial(derive, multipliers=MULTIPLIERS),
    schedule=make_schedule,
    model=FermatModel,
    build=build,
    extremes=extremes,
    codec=FieldCodec,
    trials=(trial("1009", width=10), trial("61", width=10, latency=4, multiplier="hbe", local=True)),
    widest=WIDEST,
)

CORES = (FERMAT,)

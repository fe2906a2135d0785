# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multiplication without κ, on root-stored operands."""

from __future__ import annotations

from ....contract import Core, Option
from ....contract.codec import FieldCodec
from ....engines.residue import converted as residue_io
from .blocks import blocks
from .core import LeanChannel, LeanDatapath
from .extremes import extremes
from .model import LeanModel
from .parameters import derive
from .schedule import make_schedule
from .trials import TRIALS

CORES = (
    Core(
        name="modmul/sor-lean",
        summary="sum of residues without κ, operands stored times a root: any modulus, half the work",
        source="Modwright; after Mehrabi, Cryptography 3(2):14, 2019",
        options=(
            *residue_io.OPTIONS,
            Option("width", int, 48, "bits of a channel, n", minimum=8, maximum=72),
            Option("channels", int, None, "number of channels, N; chosen when not given", minimum=1, maximum=128),
            Option("multipliers", int, 1, "multipliers of a channel, k", (1, 2)),
            Option("latency", int, 6, "clocks from a channel's operands to its result, L", minimum=2, maximum=12),
        ),
        derive=derive,
        schedule=lambda p: residue_io.make_schedule(p, make_schedule),
        model=lambda p, schedule: residue_io.make_model(p, schedule, make_schedule, LeanModel),
        build=lambda p, schedule: residue_io.make_core(p, schedule, make_schedule, LeanDatapath),
        codec=FieldCodec,
        trials=TRIALS["modmul/sor-lean"],
        residues=True,
        channel=lambda p, schedule: LeanChannel(residue_io.multiplier_of(p), p.N - 1),
        blocks=lambda p, schedule: residue_io.make_blocks(p, blocks),
        extremes=lambda p, _: residue_io.make_extremes(p, extremes),
    ),
)

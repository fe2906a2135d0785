# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multiplication without κ, on root-stored operands."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....engines.residue.blocks import make_blocks
from ....engines.residue.extremes import make_extremes
from ....engines.residue.model import make_model
from ....engines.residue.parameters import OPTIONS as CONVERSION
from ....engines.residue.parameters import ConvertedParameters, multiplier_of
from ....engines.residue.schedule import make_schedule as make_converted_schedule
from ....schedule import Schedule
from .blocks import blocks
from .extremes import extremes
from .model import LeanModel
from .parameters import LeanParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits."""


def build(p: LeanParameters | ConvertedParameters[LeanParameters], schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....engines.residue.hardware.core import make_core
    from .hardware import LeanDatapath

    return make_core(p, schedule, LeanDatapath)


def channel(p: LeanParameters | ConvertedParameters[LeanParameters], schedule: Schedule) -> Hardware:
    """Hardware of one channel."""
    from .hardware import LeanChannel

    return LeanChannel(multiplier_of(p), p.N - 1)


CORES = (
    Core(
        name="modmul/sor-lean",
        summary="sum of residues without κ, operands stored times a root: any modulus, half the work",
        source="Modwright; after Mehrabi, Cryptography 3(2):14, 2019",
        options=(
            *CONVERSION,
            Option("width", int, 48, "bits of a channel, n", minimum=8, maximum=72),
            Option("channels", int, None, "number of channels, N; chosen when not given", minimum=1, maximum=128),
            Option("multipliers", int, 1, "multipliers of a channel, k", (1, 2)),
            Option("latency", int, 11, "cycles from a channel's operands to its result, L", minimum=2, maximum=12),
        ),
        derive=derive,
        schedule=lambda p: make_converted_schedule(p, make_schedule),
        model=lambda p, schedule: make_model(p, schedule, LeanModel),
        build=build,
        codec=FieldCodec,
        trials=TRIALS["modmul/sor-lean"],
        widest=WIDEST,
        channel=channel,
        blocks=lambda p, schedule: make_blocks(p, blocks),
        extremes=lambda p, _: make_extremes(p, extremes),
    ),
)

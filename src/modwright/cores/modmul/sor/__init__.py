# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multiplication with the correction κ (Mehrabi 2019)."""

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
from .model import SorModel
from .parameters import PAPER_WIDTH, SorParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits."""

OPTIONS = (
    *CONVERSION,
    Option("width", int, PAPER_WIDTH, "bits of a channel, n", minimum=8, maximum=72),
    Option("channels", int, None, "number of channels, N; chosen when not given", minimum=1, maximum=64),
    Option("base", str, None, "the u of moduli 2^n - u, such as 1,5,9; the paper's or searched when not given"),
    Option("constants", str, "paper", "T, q and D: the paper's, or the smallest proved", ("paper", "smallest")),
    Option(
        "kappa",
        str,
        "auto",
        "whether eq. (22) is required; auto: when p is wider than a channel",
        ("auto", "strict", "bounded"),
    ),
    Option("latency", int, 5, "cycles of an RNS multiplier, L; the paper has 2", minimum=2, maximum=12),
    Option(
        "interval",
        int,
        None,
        "cycles between products of one RNS multiplier, I; 2 for L = 2, else 1",
        minimum=1,
        maximum=12,
    ),
)


def build(p: SorParameters | ConvertedParameters[SorParameters], schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....engines.residue.hardware.core import make_core
    from .hardware import SorDatapath

    return make_core(p, schedule, SorDatapath)


def channel(p: SorParameters | ConvertedParameters[SorParameters], schedule: Schedule) -> Hardware:
    """Hardware of one channel."""
    from .hardware import SorChannel

    return SorChannel(multiplier_of(p), p.N - 1)


def _core(architecture: str, summary: str, source: str) -> Core:
    return Core(
        name=f"modmul/{architecture}",
        summary=summary,
        source=f"Mehrabi, Cryptography 3(2):14, 2019, {source}",
        options=OPTIONS,
        derive=derive,
        schedule=lambda p: make_converted_schedule(p, make_schedule),
        model=lambda p, schedule: make_model(p, schedule, SorModel),
        build=build,
        codec=FieldCodec,
        trials=TRIALS[f"modmul/{architecture}"],
        widest=WIDEST,
        channel=channel,
        blocks=lambda p, schedule: make_blocks(p, blocks),
        extremes=lambda p, _: make_extremes(p, extremes),
    )


CORES = (
    _core("sor-1m-n", "sum of residues, one RNS multiplier, idle while it accumulates", "Figure 1"),
    _core("sor-1m-p", "sum of residues, one RNS multiplier, kept busy", "Figure 4"),
    _core("sor-2m", "sum of residues, two RNS multipliers", "Figure 5"),
    _core("sor-nm", "sum of residues, an RNS multiplier for every residue", "section 4"),
)

# SPDX-License-Identifier: Apache-2.0
"""Sum-of-residues multiplication without κ, on root-stored operands."""

from __future__ import annotations

from ...contract import Core, Option
from ...rns.codec import ResidueCodec
from ...rtl.control import StreamCore
from .core import LeanChannel, LeanDatapath
from .model import LeanModel
from .parameters import derive
from .schedule import make_schedule

CORES = (
    Core(
        name="modmul/sor-lean",
        summary="sum of residues without κ, operands stored times a root: any modulus, half the work",
        source="Modwright; after Mehrabi, Cryptography 3(2):14, 2019",
        options=(
            Option("width", int, 48, "bits of a channel, n", minimum=8, maximum=72),
            Option("channels", int, None, "number of channels, N; chosen when not given", minimum=1, maximum=128),
            Option("multipliers", int, 1, "multipliers of a channel, k", (1, 2)),
            Option("latency", int, 6, "clocks from a channel's operands to its result, L", minimum=2, maximum=12),
        ),
        derive=derive,
        schedule=make_schedule,
        model=LeanModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, LeanDatapath(p, schedule)),
        codec=lambda p: ResidueCodec(p.base, p.modulus, p.bound, p.roots),
        channel=lambda p, schedule: LeanChannel(p, p.N - 1),
    ),
)

CONTRACT_REQUESTS = {
    "modmul/sor-lean": [
        {"modulus": "61", "target": "generic", "options": {"width": 8, "latency": 2}},
        {"modulus": "251", "target": "generic", "options": {"width": 10, "latency": 5, "multipliers": 2}},
    ]
}

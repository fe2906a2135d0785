# SPDX-License-Identifier: Apache-2.0
"""Interleaved multiplication modulo a fixed p, one bit of an operand a cycle: the core of docs/adding-a-core.md."""

from __future__ import annotations

from ....contract import Core, Hardware, trial
from ....contract.codec import FieldCodec
from ....schedule import Schedule
from .extremes import extremes
from .model import BlakleyModel
from .parameters import BlakleyParameters, derive
from .schedule import make_schedule


def build(p: BlakleyParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import BlakleyDatapath

    return StreamCore(p.i, p.o, schedule, BlakleyDatapath(p, schedule))


BLAKLEY = Core(
    name="modmul/blakley",
    summary="interleaved multiplication, one bit a cycle",
    source="Blakley, IEEE Trans. Computers C-32(5), 1983",
    options=(),
    derive=derive,
    schedule=make_schedule,
    model=BlakleyModel,
    build=build,
    codec=FieldCodec,
    trials=(trial("61"), trial("3"), trial("2^31-1")),
    extremes=extremes,
)

CORES = (BLAKLEY,)

# SPDX-License-Identifier: Apache-2.0
"""Addition modulo a fixed p, one comparison: the core of docs/adding-a-function.md."""

from __future__ import annotations

from ....contract import Core, Hardware, trial
from ....contract.codec import FieldCodec
from ....schedule import Schedule
from .extremes import extremes
from .model import AdderModel
from .parameters import AdderParameters, derive
from .schedule import make_schedule


def build(p: AdderParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import AdderDatapath

    return StreamCore(p.i, p.o, schedule, AdderDatapath(p, schedule))


CARRY = Core(
    name="modadd/carry",
    summary="a sum a cycle; the carry of x + y - p chooses",
    source="Modwright",
    options=(),
    derive=derive,
    schedule=make_schedule,
    model=AdderModel,
    build=build,
    codec=FieldCodec,
    trials=(trial("61"), trial("3"), trial("2^127-1")),
    extremes=extremes,
)

CORES = (CARRY,)

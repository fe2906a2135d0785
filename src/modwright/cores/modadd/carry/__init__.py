# SPDX-License-Identifier: Apache-2.0
"""Addition modulo a fixed p, one comparison: the core of docs/adding-a-function.md."""

from __future__ import annotations

from ....contract import Core, trial
from ....contract.codec import FieldCodec
from ....rtl.control import streamed
from .extremes import extremes
from .hardware import AdderDatapath
from .model import AdderModel
from .parameters import derive
from .schedule import make_schedule

CARRY = Core(
    name="modadd/carry",
    summary="a sum a cycle; the carry of x + y - p chooses",
    source="Modwright",
    options=(),
    derive=derive,
    schedule=make_schedule,
    model=AdderModel,
    build=streamed(AdderDatapath),
    codec=FieldCodec,
    trials=(trial("61"), trial("3"), trial("2^127-1")),
    extremes=extremes,
)

CORES = (CARRY,)

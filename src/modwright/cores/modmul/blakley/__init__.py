# SPDX-License-Identifier: Apache-2.0
"""Interleaved multiplication modulo a fixed p, one bit of an operand a cycle: the core of docs/adding-a-core.md."""

from __future__ import annotations

from ....contract import Core, trial
from ....contract.codec import FieldCodec
from ....rtl.control import streamed
from .extremes import extremes
from .hardware import BlakleyDatapath
from .model import BlakleyModel
from .parameters import derive
from .schedule import make_schedule

BLAKLEY = Core(
    name="modmul/blakley",
    summary="interleaved multiplication, one bit a cycle",
    source="Blakley, IEEE Trans. Computers C-32(5), 1983",
    options=(),
    derive=derive,
    schedule=make_schedule,
    model=BlakleyModel,
    build=streamed(BlakleyDatapath),
    codec=FieldCodec,
    trials=(trial("61"), trial("3"), trial("2^31-1")),
    extremes=extremes,
)

CORES = (BLAKLEY,)

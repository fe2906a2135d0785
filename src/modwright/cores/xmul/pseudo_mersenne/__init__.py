# SPDX-License-Identifier: Apache-2.0
"""Multiplication of x-coordinates over a field of 2^n - c elements, which is built in: X25519."""

from __future__ import annotations

from ....contract import Core, Hardware
from ....contract.option import Option
from ....schedule import Schedule
from .blocks import blocks
from .codec import PseudoMersenneCodec
from .extremes import extremes
from .model import PseudoMersenneModel
from .parameters import MOST_BITS, PseudoMersenneParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

OPTIONS = (
    Option("rows", int, 2, "digits of the second factor that work in a cycle, each with N blocks", choices=(1, 2)),
    Option("width", int, None, "bits of a digit, two less than those of a block", minimum=3, maximum=16),
)


def build(p: PseudoMersenneParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware.core import PseudoMersenneDatapath

    return StreamCore(p.i, p.o, schedule, PseudoMersenneDatapath(p, schedule))


CORES = (
    Core(
        name="xmul/pseudo-mersenne-ladder",
        summary="X25519, Montgomery curves modulo a fixed 2^n - c, by the ladder on digits without carries",
        source="RFC 7748; Montgomery 1987; Crandall 1992",
        options=OPTIONS,
        derive=derive,
        schedule=make_schedule,
        model=PseudoMersenneModel,
        build=build,
        codec=PseudoMersenneCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=MOST_BITS,
        blocks=blocks,
    ),
)

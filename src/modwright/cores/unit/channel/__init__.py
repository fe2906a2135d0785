# SPDX-License-Identifier: Apache-2.0
"""Units of a residue channel as cores: multipliers, adder, reduction and small residue, an operation a cycle."""

from __future__ import annotations

from functools import partial

from ....contract import Core, Hardware, Option, Trial, trial
from ....schedule import Schedule
from .extremes import extremes
from .model import UnitCodec, UnitModel
from .parameters import ADDER, MULTIPLIER, REDUCTION, ROWER, SMALL, UnitParameters, derive
from .schedule import make_schedule


def build(p: UnitParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import UnitDatapath

    return StreamCore(p.i, p.o, schedule, UnitDatapath(p, schedule))


def bare(p: UnitParameters, schedule: Schedule) -> Hardware:
    """The unit between registers and without streams, which are larger than a small unit."""
    from .hardware import BareUnit

    return BareUnit(p, schedule)


def _core(
    kind: str, summary: str, source: str, options: tuple[Option, ...], trials: tuple[Trial, ...]
) -> Core[UnitParameters]:
    return Core(
        name=f"unit/{kind}",
        summary=summary,
        source=source,
        options=options,
        derive=partial(derive, kind=kind),
        schedule=make_schedule,
        model=UnitModel,
        build=build,
        codec=UnitCodec,
        channel=bare,
        trials=trials,
        extremes=extremes,
    )


def _latency(default: int, least: int) -> tuple[Option, ...]:
    return (Option("latency", int, default, "cycles of the unit, L", minimum=least, maximum=8),)


SOR = "Mehrabi, Cryptography 3(2):14, 2019, Table 3"
DJATH = "Djath, Bigou and Tisserand, ARITH 2019, Table I"
BIGOU = "Bigou and Tisserand, IEEE Trans. Computers 65(11), 2016, Table II"

CORES = (
    _core(MULTIPLIER, "x·y in a channel, canonical", SOR, _latency(5, 2), (trial("13"), trial("251", latency=2))),
    _core(ROWER, "x·y in a rower, any representative", DJATH, _latency(3, 2), (trial("13"), trial("251", latency=2))),
    _core(ADDER, "x + t in a channel, canonical", SOR, (), (trial("13"), trial("2^17-1"))),
    _core(REDUCTION, "2w + 1 bits modulo a channel's m", DJATH, _latency(1, 1), (trial("13"), trial("251", latency=2))),
    _core(
        SMALL,
        "w bits modulo 3 or 9",
        BIGOU,
        (Option("width", int, 17, "bits of the operand, w", minimum=2, maximum=72),),
        (trial("3", width=8), trial("9", width=20)),
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Products in residues, whose bases are drawn for each from a set."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....engines.coxrower.blocks import make_blocks
from ....engines.coxrower.options import OPTIONS, WIDEST
from ....schedule import Schedule
from .codec import RandomBasesCodec
from .extremes import extremes
from .model import RandomBasesModel
from .parameters import RandomBasesParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

DRAWS = Option("draws", int, 4, "choices of base A, of which an operation takes one", (2, 4, 8, 16))
SEED = Option("seed", int, 1, "seed by which the choices are made when the hardware is", minimum=0)


def build(p: RandomBasesParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import RandomBasesDatapath

    return StreamCore(p.i, p.o, schedule, RandomBasesDatapath(p, schedule))


CORES = (
    Core(
        name="rns/random-bases",
        summary="products in residues on a cox-rower, whose two bases are drawn for each product from a set",
        source="Bajard, Imbert, Liardet and Teglia, CHES 2004; extensions of Kawamura et al., EUROCRYPT 2000",
        options=(*(option for option in OPTIONS if option.name != "rowers"), DRAWS, SEED),
        derive=derive,
        schedule=make_schedule,
        model=RandomBasesModel,
        build=build,
        codec=RandomBasesCodec,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=lambda p, _: make_blocks(p.engine, p.i, p.o),
    ),
)

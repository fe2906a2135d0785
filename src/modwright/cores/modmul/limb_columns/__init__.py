# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs in redundant digits, several products in turn, and a runtime modulus."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....contract.runtime_modulus import width_option
from ....engines.columns.digits import FEWEST_DIGITS, LONGEST_DIGIT, MOST_DIGITS, SHORTEST_DIGIT
from ....schedule import Schedule
from .blocks import blocks
from .extremes import extremes
from .model import LimbColumnsModel
from .parameters import LimbColumnParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

WIDEST = 8192
"""Bits of the widest modulus, n."""
MOST_CONTEXTS = 8
"""Operations in turn. With two limbs six fill every cycle; with six limbs and more none of these numbers does."""


def build(p: LimbColumnParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware import LimbColumnsCore

    return LimbColumnsCore(p, schedule)


LIMB_COLUMNS = Core(
    name="modmul/limb-columns",
    summary="Montgomery on limbs in redundant digits, digits by Karatsuba's method, several products in turn",
    source="Modwright; after Karatsuba and Ofman 1962",
    options=(
        width_option(WIDEST),
        Option("contexts", int, 4, "products in turn", (), 1, MOST_CONTEXTS),
        Option("digit", int, None, "bits of a digit; the block's when not given", (), SHORTEST_DIGIT, LONGEST_DIGIT),
        Option("digits", int, 5, "digits of a limb", (), FEWEST_DIGITS, MOST_DIGITS),
    ),
    derive=derive,
    schedule=make_schedule,
    model=LimbColumnsModel,
    build=build,
    codec=lambda p: FieldCodec(p, example=p.example),
    trials=TRIALS,
    widest=WIDEST,
    blocks=lambda p, _: blocks(p),
    extremes=extremes,
)

CORES = (LIMB_COLUMNS,)

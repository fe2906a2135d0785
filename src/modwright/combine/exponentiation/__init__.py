# SPDX-License-Identifier: Apache-2.0
"""Exponentiation over every multiplier of the other families whose results are operands again."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...contract import Core, Option
from ...cores import families
from .blocks import blocks
from .codec import ModexpCodec
from .extremes import extremes
from .hardware.core import ModexpCore
from .model import ModexpModel
from .parameters import DIGIT, HARDWARE, LADDER, LEFT, METHODS, RIGHT, SHORTEST_DIGIT, STREAM, WINDOW, derive
from .schedule import make_schedule
from .statistics import clock_count

PAPER = "Rezai and Keshavarzi, IEEE Trans. VLSI 23(9), 2015"

SUMMARIES = {
    RIGHT: "exponentiation from the right, two products side by side; variable latency",
    LEFT: "exponentiation from the left; variable latency",
    LADDER: "exponentiation by the Montgomery ladder, two products for each bit",
    WINDOW: "exponentiation by a fixed window, the whole table read in each look-up",
}
SOURCES = {
    RIGHT: f"{PAPER}, Algorithm 9, corrected",
    LEFT: f"{PAPER}, Algorithm 10, corrected",
    LADDER: "Joye and Yen, CHES 2002",
    WINDOW: "Brauer, Bull. AMS 45, 1939, with a masked look-up",
}

LENGTH = Option(
    "exponent_bits", int, None, "bits of the exponent; the modulus's when not given", minimum=1, maximum=16384
)
DIGITS = Option("window", int, DIGIT, "bits of a digit of the exponent", minimum=SHORTEST_DIGIT, maximum=8)
CONSTANTS = Option(
    "constants", str, HARDWARE, "R² modulo M is computed, or comes in with the operands", (HARDWARE, STREAM)
)


def _core(multiplier: Core, method: str) -> Core:
    own = (LENGTH, *([DIGITS] if method == WINDOW else []), *([CONSTANTS] if multiplier.montgomery else []))
    names = tuple(option.name for option in own)
    return Core(
        name=f"modexp/{multiplier.name.partition('/')[2]}-{method}",
        summary=f"{SUMMARIES[method]}; over {multiplier.name}",
        source=SOURCES[method],
        options=(*own, *multiplier.options),
        derive=partial(derive, core=multiplier, method=method, own=names),
        schedule=make_schedule,
        model=ModexpModel,
        build=ModexpCore,
        codec=ModexpCodec,
        runtime_modulus=multiplier.runtime_modulus,
        residues=multiplier.residues,
        blocks=lambda p, _: blocks(p),
        statistic=clock_count,
        extremes=extremes,
    )


def _usable(multiplier: Core) -> bool:
    """A multiplier with a modulus built in, or with a domain that is known."""
    return multiplier.function == "modmul" and (multiplier.montgomery is not None or not multiplier.runtime_modulus)


MULTIPLIERS = tuple(core for family in families() for core in family.CORES if _usable(core))
CORES = tuple(_core(multiplier, method) for multiplier in MULTIPLIERS for method in METHODS)


def _small() -> dict[str, list[dict[str, Any]]]:
    """The multipliers' own first requests, with every method and an exponent of 6 bits: two digits of a window."""
    requests = {name: rows for family in families() for name, rows in family.CONTRACT_REQUESTS.items()}
    return {
        f"modexp/{multiplier.name.partition('/')[2]}-{method}": [_short(requests[multiplier.name][0])]
        for multiplier in MULTIPLIERS
        for method in METHODS
    }


def _short(request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "options": {**request.get("options", {}), "exponent_bits": 6}}


CONTRACT_REQUESTS = _small()
_EVERY_RUN = {
    "modmul/booth8-csa": METHODS,
    "modmul/binary": (RIGHT,),
    "modmul/csa-high-radix": (RIGHT,),
    "modmul/vlm3": (LEFT,),
    "modmul/orup-dsp": (RIGHT,),
    "modmul/rns-hpr": (LEFT,),
    "modmul/rns-hbe": (WINDOW,),
    "modmul/sor-1m-p": (LEFT,),
    "modmul/sor-lean": (RIGHT,),
}
CONTRACT_QUICK = {core.name: () for core in CORES} | {
    f"modexp/{name.partition('/')[2]}-{method}": (0,) for name, methods in _EVERY_RUN.items() for method in methods
}
"""What every run of the tests has: all methods over one multiplier, and one method over a multiplier of each family or
over a few."""

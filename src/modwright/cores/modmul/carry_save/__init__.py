# SPDX-License-Identifier: Apache-2.0
"""Montgomery multipliers with a runtime modulus, after Rezai and Keshavarzi 2015, with improvements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....contract import Core, Hardware, Option, Statistic
from ....contract.codec import FieldCodec
from ....contract.request import Request
from ....contract.runtime_modulus import width_option
from ....schedule import Schedule
from .blocks import blocks
from .extremes import extremes
from .model import CarrySaveModel
from .parameters import WIDEST, CarrySaveParameters, derive
from .plan import BOOTH4, BOOTH8, CSA, RADIX2, VLM3, Cell, high_radix
from .schedule import make_schedule
from .statistics import digit_count
from .trials import TRIALS

PAPER = "Rezai and Keshavarzi, IEEE Trans. VLSI 23(9), 2015"

OPTIONS = (
    width_option(WIDEST),
    Option("domain", int, 2, "operands and result below M (1), or below 2M, which saves a subtraction (2)", (1, 2)),
    Option("interleave", int, 1, "products that share the data path, in alternate cycles", (1, 2)),
    Option("ahead", bool, False, "a quotient digit a cycle before it is used, control by slices: three cycles more"),
    Option("limb", int, None, "bits converted to binary in a cycle; chosen when not given", (), 16, 1024),
)
RADIX = Option("radix", int, 16, "bits of X in a cycle: log2 of it", tuple(1 << k for k in range(2, 9)))


def build(p: CarrySaveParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import build

    return build(p, schedule)


def _core(
    name: str,
    summary: str,
    source: str,
    cell_of: Callable[[Request], Cell],
    more: tuple[Option, ...] = (),
    statistic: Callable[[Any], Statistic] | None = None,
) -> Core:
    return Core(
        name=f"modmul/{name}",
        summary=summary,
        source=source,
        options=(*more, *OPTIONS),
        derive=lambda request: derive(request, cell_of(request)),
        schedule=make_schedule,
        model=CarrySaveModel,
        build=build,
        codec=lambda p: FieldCodec(p, example=p.example),
        trials=TRIALS[f"modmul/{name}"],
        widest=WIDEST,
        statistic=statistic,
        blocks=lambda p, _: blocks(p),
        extremes=extremes,
    )


CORES = (
    _core("radix2", "Montgomery, a bit a cycle, binary sums: the baseline", f"{PAPER}, Algorithm 1", lambda _: RADIX2),
    _core("csa", "Montgomery, a bit a cycle, carry-save", f"{PAPER}, Algorithm 2", lambda _: CSA),
    _core(
        "csa-high-radix",
        "Montgomery, 2 to 8 bits a cycle, carry-save",
        f"{PAPER}, Algorithm 3",
        lambda request: high_radix(request.options["radix"]),
        (RADIX,),
    ),
    _core(
        "vlm3",
        "Montgomery, signed digits of 1 to 3 bits, carry-save; variable latency",
        f"{PAPER}, Algorithms 6 to 8, corrected",
        lambda _: VLM3,
        statistic=digit_count,
    ),
    _core(
        "booth4-csa",
        "Montgomery, radix 4 Booth digits, carry-save, nothing precomputed",
        "Modwright; Booth, Q. J. Mech. Appl. Math. 4(2), 1951",
        lambda _: BOOTH4,
    ),
    _core(
        "booth8-csa",
        "Montgomery, radix 8 Booth digits, carry-save, nothing precomputed",
        "Modwright; Booth, Q. J. Mech. Appl. Math. 4(2), 1951",
        lambda _: BOOTH8,
    ),
)

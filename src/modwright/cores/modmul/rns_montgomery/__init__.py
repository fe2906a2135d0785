# SPDX-License-Identifier: Apache-2.0
"""RNS Montgomery multiplication, with base extensions by Kawamura et al. (KBE) and hierarchical ones (HBE)."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....engines.coxrower.bases import COX, WITHOUT
from ....engines.coxrower.options import HIERARCHICAL, OPTIONS, PAPER, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import product_codec
from .extremes import multiplier_extremes
from .model import MultiplierModel
from .parameters import CLASS, EXACT, MultiplierParameters, derive_multiplier
from .schedule import multiplier_schedule
from .trials import TRIALS

FIRST = Option("first", str, COX, "the first extension: with a cox, or without", (COX, WITHOUT))
KAPPA = Option("kappa", int, 1, "products that are summed before the reduction, κ", minimum=1, maximum=16)
OUTPUT = Option("output", str, CLASS, "residues of a bounded integer, or z < P in binary", (CLASS, EXACT))
ROOTS = Option("roots", bool, False, "residues in A are stored times a root, so that products are hats of Q (sQ-RNS)")
SECOND_ROOTS = Option("second_roots", bool, False, "residues in B are stored times a root, too (dQ-RNS); with roots")
SIGMA_SECOND = Option("sigma", str, "1/2", "where the cox of the second extension starts, σ2")


def build(p: MultiplierParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import multiplier_datapath

    return StreamCore(p.i, p.o, schedule, multiplier_datapath(p, schedule))


def _multiplier(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core[MultiplierParameters]:
    return Core(
        name=f"modmul/rns-{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA_SECOND, FIRST, KAPPA, OUTPUT, ROOTS, SECOND_ROOTS, *own),
        derive=derive_multiplier,
        schedule=multiplier_schedule,
        model=MultiplierModel,
        build=build,
        codec=product_codec,
        trials=TRIALS[f"modmul/rns-{name}"],
        extremes=multiplier_extremes,
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
    )


MULTIPLIERS = (
    _multiplier("kbe", "RNS Montgomery multiplication by a cox-rower", f"{PAPER}, Algorithm 3 with 1", ()),
    _multiplier(
        "hbe",
        "RNS Montgomery multiplication by a cox-rower, hierarchical extensions",
        f"{PAPER}, Algorithm 3 with 2",
        HIERARCHICAL,
    ),
)
CORES = MULTIPLIERS

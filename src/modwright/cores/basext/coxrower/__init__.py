# SPDX-License-Identifier: Apache-2.0
"""Base extensions, by Kawamura et al. (KBE) and hierarchical (HBE)."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....engines.coxrower.options import HIERARCHICAL, KAWAMURA, OPTIONS, PAPER, WIDEST
from ....schedule import Schedule
from .blocks import blocks
from .codec import ExtensionCodec
from .extremes import extension_extremes
from .model import ExtensionModel
from .parameters import ExtensionParameters, derive_extension
from .schedule import extension_schedule
from .trials import TRIALS

SIGMA = Option("sigma", str, "1/2", "where the cox starts, σ; with 0 the result is X or X + A")


def build(p: ExtensionParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from ....rtl.control import StreamCore
    from .hardware import ExtensionDatapath

    return StreamCore(p.i, p.o, schedule, ExtensionDatapath(p, schedule))


def _extension(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core[ExtensionParameters]:
    return Core(
        name=f"basext/{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA, *own),
        derive=derive_extension,
        schedule=extension_schedule,
        model=ExtensionModel,
        build=build,
        codec=ExtensionCodec,
        trials=TRIALS[f"basext/{name}"],
        extremes=extension_extremes,
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
    )


CORES = (
    _extension("kbe", "RNS base extension by a cox-rower", KAWAMURA, ()),
    _extension("hbe", "hierarchical RNS base extension by a cox-rower", f"{PAPER}, Algorithm 2", HIERARCHICAL),
)

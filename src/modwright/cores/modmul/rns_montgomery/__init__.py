# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multiplication, by Kawamura et al. (KBE) and hierarchical (HBE)."""

from __future__ import annotations

from typing import Any

from ....contract import Core, Option
from ....engines.coxrower.hardware.folds import built_folds
from ....rns.extension import SUM, SUPER
from ....rtl.control import StreamCore
from .blocks import blocks
from .codec import ExtensionCodec, MultiplierCodec
from .extremes import extension_extremes, multiplier_extremes
from .hardware import ExtensionDatapath, multiplier_datapath
from .model import ExtensionModel, MultiplierModel
from .parameters.bases import COX, WITHOUT
from .parameters.extension import derive_extension
from .parameters.multiplier import CLASS, EXACT, derive_multiplier
from .schedule import extension_schedule, multiplier_schedule

KAWAMURA = "Kawamura, Koike, Sano and Shimbo, EUROCRYPT 2000"
PAPER = "Djath, Bigou and Tisserand, Hierarchical Approach in RNS Base Extension, 2019"

OPTIONS = (
    Option("width", int, 17, "bits of a channel, w", minimum=8, maximum=36),
    Option("channels", int, None, "moduli of a base, n; chosen when not given", minimum=1, maximum=256),
    Option("t", int, None, "bits that the cox keeps, t or t'; the fewest when not given", minimum=1, maximum=38),
    Option("latency", int, 3, "clocks of a multiply-accumulate, L", minimum=2, maximum=8),
    Option("rowers", int, None, "rowers, p; one for each modulus when not given", minimum=1, maximum=256),
)
HIERARCHICAL = (
    Option("c", int, 2, "columns: channels of a super-residue", (2, 3, 4)),
    Option("cox", str, SUPER, "what the cox is fed with: super-residues, or sums of the hats of a row", (SUPER, SUM)),
)
SIGMA = Option("sigma", str, "1/2", "where the cox starts, σ; with 0 the result is X or X + A")
FIRST = Option("first", str, COX, "the first extension: with a cox, or without", (COX, WITHOUT))
KAPPA = Option("kappa", int, 1, "products that are summed before the reduction, κ", minimum=1, maximum=16)
OUTPUT = Option("output", str, CLASS, "residues of a bounded integer, or z < P in binary", (CLASS, EXACT))
SIGMA_SECOND = Option("sigma", str, "1/2", "where the cox of the second extension starts, σ2")


def _extension(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core:
    return Core(
        name=f"basext/{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA, *own),
        derive=derive_extension,
        schedule=extension_schedule,
        model=ExtensionModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, ExtensionDatapath(p, schedule)),
        codec=ExtensionCodec,
        extremes=extension_extremes,
        residues=True,
        blocks=lambda p, _: blocks(p),
        folds=lambda p: built_folds(p.engine),
    )


def _multiplier(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core:
    return Core(
        name=f"modmul/rns-{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA_SECOND, FIRST, KAPPA, OUTPUT, *own),
        derive=derive_multiplier,
        schedule=multiplier_schedule,
        model=MultiplierModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, multiplier_datapath(p, schedule)),
        codec=MultiplierCodec,
        extremes=multiplier_extremes,
        residues=True,
        blocks=lambda p, _: blocks(p),
        folds=lambda p: built_folds(p.engine),
    )


CORES = (
    _extension("kbe", "RNS base extension by a cox-rower", KAWAMURA, ()),
    _extension("hbe", "hierarchical RNS base extension by a cox-rower", f"{PAPER}, Algorithm 2", HIERARCHICAL),
    _multiplier("kbe", "RNS Montgomery multiplication by a cox-rower", f"{PAPER}, Algorithm 3 with 1", ()),
    _multiplier(
        "hbe",
        "RNS Montgomery multiplication by a cox-rower, hierarchical extensions",
        f"{PAPER}, Algorithm 3 with 2",
        HIERARCHICAL,
    ),
)


def _small(modulus: str, **options: Any) -> dict[str, Any]:
    return {"modulus": modulus, "target": "generic", "options": options}


CONTRACT_REQUESTS = {
    "basext/kbe": [
        _small("1009", width=8),
        _small("65521", width=11, latency=4, sigma="3/4"),
        _small("61", width=8, channels=2, sigma="0"),
        _small("65521", width=11, channels=5, rowers=2),
    ],
    "basext/hbe": [
        _small("1009", width=9),
        _small("65521", width=12, latency=2, cox="sum"),
        _small("61", width=8, channels=2, sigma="0"),
        _small("65521", width=12, c=3, sigma="15/16"),
        _small("65521", width=12, c=4, cox="sum", latency=4),
        _small("65521", width=12, channels=6, rowers=2),
    ],
    "modmul/rns-kbe": [
        _small("1009", width=9),
        _small("65521", width=12, latency=5),
        _small("15", width=10),
        _small("65521", width=12, channels=5, rowers=2, kappa=2),
        _small("1009", width=12, first="none"),
        _small("1009", width=10, output="exact"),
    ],
    "modmul/rns-hbe": [
        _small("1009", width=10),
        _small("65521", width=13, latency=2, cox="sum", sigma="7/8"),
        _small("15", width=10, latency=4),
        _small("65521", width=13, c=3, kappa=3),
        _small("65521", width=13, c=4, channels=8, rowers=4, first="none"),
        _small("65521", width=13, channels=6, rowers=4, kappa=2, output="exact"),
    ],
}
CONTRACT_QUICK = {
    "basext/kbe": (1, 3),
    "basext/hbe": (1, 3, 5),
    "modmul/rns-kbe": (2, 3, 5),
    "modmul/rns-hbe": (0, 4, 5),
}
"""What every run of the tests has: each option away from its default in one of the cores, and a composite modulus."""

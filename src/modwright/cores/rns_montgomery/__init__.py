# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multiplication, by Kawamura et al. (KBE) and hierarchical (HBE)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...contract import Core, Option
from ...rns.extension import SUM, SUPER
from ...rtl.control import StreamCore
from ..coxrower.folds import built_folds
from .blocks import blocks
from .codec import ExtensionCodec, MultiplierCodec
from .core import ExtensionDatapath, MultiplierDatapath
from .model import ExtensionModel, MultiplierModel
from .parameters import derive_extension, derive_multiplier
from .schedule import extension_schedule, multiplier_schedule

KAWAMURA = "Kawamura, Koike, Sano and Shimbo, EUROCRYPT 2000"
PAPER = "Djath, Bigou and Tisserand, Hierarchical Approach in RNS Base Extension, 2019"

OPTIONS = (
    Option("width", int, 17, "bits of a channel, w", minimum=8, maximum=36),
    Option("channels", int, None, "moduli of a base, n; chosen when not given", minimum=1, maximum=256),
    Option("t", int, None, "bits that the cox keeps, t or t'; the fewest when not given", minimum=1, maximum=38),
    Option("latency", int, 3, "clocks of a multiply-accumulate, L", minimum=2, maximum=8),
)
HIERARCHICAL = (
    Option("c", int, 2, "columns: channels of a super-residue", (2,)),
    Option("cox", str, SUPER, "what the cox is fed with: super-residues, or sums of two hats", (SUPER, SUM)),
)
SIGMA = Option("sigma", str, "1/2", "where the cox starts, σ; with 0 the result is X or X + A")
SIGMA_SECOND = Option("sigma", str, "1/2", "where the cox of the second extension starts, σ2")


def _extension(name: str, columns: int, summary: str, source: str, own: tuple[Option, ...]) -> Core:
    return Core(
        name=f"basext/{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA, *own),
        derive=partial(derive_extension, columns=columns),
        schedule=extension_schedule,
        model=ExtensionModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, ExtensionDatapath(p, schedule)),
        codec=ExtensionCodec,
        blocks=lambda p, _: blocks(p),
        folds=lambda p: built_folds(p.engine),
    )


def _multiplier(name: str, columns: int, summary: str, source: str, own: tuple[Option, ...]) -> Core:
    return Core(
        name=f"modmul/rns-{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA_SECOND, *own),
        derive=partial(derive_multiplier, columns=columns),
        schedule=multiplier_schedule,
        model=MultiplierModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, MultiplierDatapath(p, schedule)),
        codec=MultiplierCodec,
        blocks=lambda p, _: blocks(p),
        folds=lambda p: built_folds(p.engine),
    )


CORES = (
    _extension("kbe", 1, "RNS base extension by a cox-rower", KAWAMURA, ()),
    _extension("hbe", 2, "hierarchical RNS base extension by a cox-rower", f"{PAPER}, Algorithm 2", HIERARCHICAL),
    _multiplier("kbe", 1, "RNS Montgomery multiplication by a cox-rower", f"{PAPER}, Algorithm 3 with 1", ()),
    _multiplier(
        "hbe",
        2,
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
    ],
    "basext/hbe": [
        _small("1009", width=9),
        _small("65521", width=12, latency=2, cox="sum"),
        _small("61", width=8, channels=2, sigma="0"),
    ],
    "modmul/rns-kbe": [_small("1009", width=9), _small("65521", width=12, latency=5), _small("15", width=10)],
    "modmul/rns-hbe": [
        _small("1009", width=10),
        _small("65521", width=13, latency=2, cox="sum", sigma="7/8"),
        _small("15", width=10, latency=4),
    ],
}

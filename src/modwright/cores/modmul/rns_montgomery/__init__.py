# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multiplication, by Kawamura et al. (KBE) and hierarchical (HBE)."""

from __future__ import annotations

from ....contract import Core, Option
from ....rns.extension import SUM, SUPER
from ....rtl.control import StreamCore
from .blocks import blocks
from .codec import ExtensionCodec, product_codec
from .extremes import extension_extremes, multiplier_extremes
from .hardware import ExtensionDatapath, multiplier_datapath
from .model import ExtensionModel, MultiplierModel
from .parameters.bases import COX, WITHOUT
from .parameters.extension import ExtensionParameters, derive_extension
from .parameters.multiplier import CLASS, EXACT, MultiplierParameters, derive_multiplier
from .schedule import extension_schedule, multiplier_schedule
from .trials import TRIALS

KAWAMURA = "Kawamura, Koike, Sano and Shimbo, EUROCRYPT 2000"
PAPER = "Djath, Bigou and Tisserand, Hierarchical Approach in RNS Base Extension, 2019"

WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits; a base of 17-bit moduli has 241 for it, of 256 at most."""

OPTIONS = (
    Option("width", int, 17, "bits of a channel, w", minimum=8, maximum=36),
    Option("channels", int, None, "moduli of a base, n; chosen when not given", minimum=1, maximum=256),
    Option("t", int, None, "bits that the cox keeps, t or t'; the fewest when not given", minimum=1, maximum=38),
    Option("latency", int, 3, "cycles of a multiply-accumulate, L", minimum=2, maximum=8),
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


def _extension(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core[ExtensionParameters]:
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
        trials=TRIALS[f"basext/{name}"],
        extremes=extension_extremes,
        residues=True,
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
    )


def _multiplier(name: str, summary: str, source: str, own: tuple[Option, ...]) -> Core[MultiplierParameters]:
    return Core(
        name=f"modmul/rns-{name}",
        summary=summary,
        source=source,
        options=(*OPTIONS, SIGMA_SECOND, FIRST, KAPPA, OUTPUT, *own),
        derive=derive_multiplier,
        schedule=multiplier_schedule,
        model=MultiplierModel,
        build=lambda p, schedule: StreamCore(p.i, p.o, schedule, multiplier_datapath(p, schedule)),
        codec=product_codec,
        trials=TRIALS[f"modmul/rns-{name}"],
        extremes=multiplier_extremes,
        residues=True,
        widest=WIDEST,
        blocks=lambda p, _: blocks(p),
    )


EXTENSIONS = (
    _extension("kbe", "RNS base extension by a cox-rower", KAWAMURA, ()),
    _extension("hbe", "hierarchical RNS base extension by a cox-rower", f"{PAPER}, Algorithm 2", HIERARCHICAL),
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
CORES = (*EXTENSIONS, *MULTIPLIERS)

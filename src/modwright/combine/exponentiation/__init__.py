# SPDX-License-Identifier: Apache-2.0
"""Exponentiation over every multiplier of the other families whose results are operands again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ...contract import AnyCore, Combination, Core, Hardware, Option, Trial, domain_of
from ...contract.domain import residue_domain_of
from ...schedule import Schedule
from .blocks import blocks
from .codec import ModexpCodec
from .extremes import extremes
from .model import ModexpModel
from .parameters import (
    DIGIT,
    HARDWARE,
    LADDER,
    LEFT,
    METHODS,
    RIGHT,
    SHORTEST_DIGIT,
    STREAM,
    WINDOW,
    ModexpParameters,
)
from .plan.derive import derive
from .schedule import make_schedule
from .statistics import cycle_count

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
    "exponent_bits",
    int,
    None,
    "bits of the exponent; the modulus's when not given",
    minimum=1,
    maximum=16384,
    sizes="exponent",
)
DIGITS = Option("window", int, DIGIT, "bits of a digit of the exponent", minimum=SHORTEST_DIGIT, maximum=8)
CONSTANTS = Option(
    "constants", str, HARDWARE, "R² modulo M is computed, or comes in with the operands", (HARDWARE, STREAM)
)

_EVERY_RUN: Mapping[str, tuple[str, ...]] = {
    "modmul/booth8-csa": METHODS,
    "modmul/binary": (RIGHT,),
    "modmul/csa-high-radix": (RIGHT,),
    "modmul/vlm3": (LEFT,),
    "modmul/orup-dsp": (RIGHT,),
    "modmul/limb-fold-karatsuba": (LEFT,),
    "modmul/r64": (WINDOW,),
    "modmul/rns-hpr": (LEFT,),
    "modmul/rns-hbe": (WINDOW,),
    "modmul/rns-kbe-runtime": (LADDER, RIGHT),
    "modmul/rns-hbe-runtime": (WINDOW,),
    "modmul/sor-1m-p": (LEFT,),
    "modmul/sor-lean": (RIGHT,),
}
"""Trials of every run: all methods over one multiplier, and one method over a multiplier of each family or
over a few."""


def build(p: ModexpParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import ModexpCore
    from .hardware.turns.core import TurnsCore

    return TurnsCore(p, p.in_turn) if p.in_turn else ModexpCore(p, schedule)


def _core(method: str, multiplier: AnyCore) -> Core[ModexpParameters]:
    binary = multiplier.runtime_modulus and domain_of(multiplier.smallest().i) is not None
    own = (*_COMBINATIONS[method].options, *([CONSTANTS] if binary else []))
    names = tuple(option.name for option in own)
    return Core(
        name=_COMBINATIONS[method].name_over(multiplier.name),
        summary=f"{SUMMARIES[method]}; over {multiplier.name}",
        source=SOURCES[method],
        options=(*own, *multiplier.options),
        derive=partial(derive, core=multiplier, method=method, own=names),
        schedule=make_schedule,
        model=ModexpModel,
        build=build,
        codec=ModexpCodec,
        trials=_trials(multiplier, method),
        widest=multiplier.widest,
        blocks=lambda p, _: blocks(p),
        statistic=cycle_count,
        extremes=extremes,
        aliases=tuple(_COMBINATIONS[method].name_over(alias) for alias in multiplier.aliases),
        former=_COMBINATIONS[method].name_over(multiplier.former) if multiplier.former else "",
    )


def _usable(multiplier: AnyCore) -> bool:
    """Whether a multiplier has a fixed modulus, or a known domain."""
    if not multiplier.runtime_modulus:
        return True
    i = multiplier.smallest().i
    return domain_of(i) is not None or residue_domain_of(i) is not None


def _trials(multiplier: AnyCore, method: str) -> tuple[Trial, ...]:
    """The multiplier's own first trial, with an exponent of 6 bits: two digits of a window; and two exponentiations in
    turn, where a multiplier takes the products of both."""
    first = multiplier.trials[0]
    every_run = method in _EVERY_RUN.get(multiplier.name, ())
    own = replace(first, options={**first.options, "exponent_bits": 6}, every_run=every_run)
    i = multiplier.smallest().i
    slots = any(option.name == "slots" for option in multiplier.options)
    if method != WINDOW or not slots or domain_of(i) is None:
        return (own,)
    in_turn = {"slots": 2, "constants": STREAM, "window": 3}
    return (own, replace(own, options={**own.options, **in_turn}, every_run=False))


def _method(method: str) -> Combination:
    return Combination(
        name=f"modexp/{method}",
        summary=SUMMARIES[method],
        source=SOURCES[method],
        part="multiplier",
        of="modmul",
        options=(LENGTH, *([DIGITS] if method == WINDOW else [])),
        takes=_usable,
        over=partial(_core, method),
    )


_COMBINATIONS = {method: _method(method) for method in METHODS}
COMBINATIONS = tuple(_COMBINATIONS.values())
CORES: tuple[AnyCore, ...] = ()

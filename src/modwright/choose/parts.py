# SPDX-License-Identifier: Apache-2.0
"""Parts of combinations: what the records of a multiplier say of an exponentiator over it, which may have two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from ..contract.request import Request
from ..explore.calibration import Anchor, Between, least_blocks, nearest, scaled
from ..prepared.index import entries
from ..prepared.registry import find


def part_of(name: str) -> str:
    """The part that a combination is made over, such as modmul/csa of modexp/csa-window; empty for another core."""
    function, _, architecture = name.partition("/")
    for entry in entries():
        method = entry.name.partition("/")[2]
        if entry.part and entry.function == function and architecture.endswith(f"-{method}"):
            part = architecture.removesuffix(f"-{method}")
            return next((reference for reference in entry.parts if reference.partition("/")[2] == part), "")
    return ""


@cache
def number_of_parts(name: str) -> int:
    """Number of the multipliers that a combination has: one, or both of an exponentiator from right to left."""
    described = find(name).smallest().describe().get("multipliers", 1)
    return described if isinstance(described, int) else 1


def scaled_by_part(request: Request, target: str, bits: int) -> Between | None:
    """Figures of all multipliers of a combination, by the nearest record of one alone; None without one."""
    part = part_of(request.core)
    found = scaled(find(part), target, bits, request.options) if part else None
    if found is None:
        return None
    number = number_of_parts(request.core)
    several = f"{number} times " if number > 1 else ""
    basis = f"of {several}{part} alone, {found.basis}"
    clock = found.clock and f"of {part} alone, {found.clock}"
    return replace(found, lut=number * found.lut, dsp=number * found.dsp, basis=basis, clock=clock)


def nearest_of(request: Request, target: str, bits: int, figure: str) -> Anchor | None:
    """The nearest record of a core with the figure; of a combination without one, that of all its multipliers."""
    return _own_or_parts(request.core, lambda name: nearest(name, target, bits, request.options, figure))


def least_blocks_of(request: Request, target: str, bits: int) -> Anchor | None:
    """A record with no more blocks than the core has, see `least_blocks`; of a combination without one, that of all its
    multipliers."""
    return _own_or_parts(request.core, lambda name: least_blocks(find(name), target, bits, request.options))


def _own_or_parts(name: str, record_of: Callable[[str], Anchor | None]) -> Anchor | None:
    own, part = record_of(name), part_of(name)
    if own is not None or not part:
        return own
    found, number = record_of(part), number_of_parts(name)
    if found is None or number == 1:
        return found
    lut, dsp = (None if figure is None else number * figure for figure in (found.lut, found.dsp))
    return replace(found, lut=lut, dsp=dsp)

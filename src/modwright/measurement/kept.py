# SPDX-License-Identifier: Apache-2.0
"""Seeds that an earlier record has: taken over where everything is the same that a placement follows from."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..report.evidence import NOT_PLACED
from ..synthesize import Settings, Timing
from ..synthesize.place_and_route import NotPlaced
from .rows import Row

Outcome = Timing | NotPlaced | None
Place = Callable[[Settings], Outcome]

NOT_OF_A_PLACEMENT = ("fmax_mhz", "fmax_median", "per_seed", "seed", "utilisation", "critical_path")
"""Fields of `Timing` that are results; all others are conditions, and have to be the same."""

WITHOUT_EFFECT = {"ecp5": "frequency_mhz"}
"""Conditions that change nothing, by family: nextpnr-ecp5 places and routes in the same way for every target clock."""


def timing_in(earlier: Row, new: Row) -> Timing | None:
    """Timing of the whole core in an earlier record, if it is of the same Verilog, tools and numbers of cells."""
    same = _same(earlier, new) and earlier.resources == new.resources
    return _with_rates(earlier.timing) if same else None


def channel_timing_in(earlier: Row, new: Row) -> Timing | None:
    """Timing of one channel in an earlier record, if the Verilog of the whole core, which has it, the tools and the
    numbers of cells of the channel are the same. Records that are older than these numbers have none to compare."""
    same = _same(earlier, new) and earlier.channel_resources and earlier.channel_resources == new.channel_resources
    return _with_rates(earlier.channel) if same else None


def _same(earlier: Row, new: Row) -> bool:
    return (earlier.sha256, earlier.tools) == (new.sha256, new.tools)


def _with_rates(document: Mapping[str, object]) -> Timing | None:
    """A timing with the seeds that have a clock rate alone, as another time-out may place the others; None without
    such a result."""
    try:
        if document["status"] == NOT_PLACED or "per_seed" not in document:
            return None
        timing = Timing.from_json(document)
        rates = [each.fmax_mhz for each in timing.per_seed if each.fmax_mhz is not None]
    except (AttributeError, KeyError, TypeError):  # not run, of another version, or written by hand
        return None
    if not rates or timing.fmax_mhz != max(rates):
        return None
    return replace(timing, per_seed=tuple(each for each in timing.per_seed if each.fmax_mhz is not None))


def with_earlier(place: Place, settings: Settings, earlier: Timing | None, target: str) -> Outcome:
    """Place the seeds that an earlier record lacks, and add its own.

    Parameters
    ----------
    place : callable
        Place and route of the design with settings.
    settings : Settings
        Settings with every requested seed.
    earlier : Timing or None
        Timing of the earlier record (`timing_in`, `channel_timing_in`).
    target : str
        Family of the device.

    Returns
    -------
    Timing or NotPlaced or None
        The result of `place` for all seeds. An earlier timing is not used where it lacks no seed, so that a record is
        never made of itself alone, where it has seeds that are not requested, and where its conditions differ from
        those of the seeds that were placed.
    """
    if earlier is None:
        return place(settings)
    seeds_placed = {each.seed for each in earlier.per_seed}
    lacks = tuple(seed for seed in settings.seeds if seed not in seeds_placed)
    if not lacks or not seeds_placed < set(settings.seeds):
        return place(settings)
    new = place(replace(settings, seeds=lacks))
    if not isinstance(new, Timing) or _conditions(new, target) != _conditions(earlier, target):
        return place(settings)
    return _joined(earlier, new, settings.seeds)


def _conditions(timing: Timing, target: str) -> dict[str, object]:
    without = {*NOT_OF_A_PLACEMENT, WITHOUT_EFFECT.get(target)}
    return {name: value for name, value in timing.to_json().items() if name not in without}


def _joined(earlier: Timing, new: Timing, seeds: Sequence[int]) -> Timing:
    """Both timings as one, as if all seeds had been placed in one run, in the order requested."""
    per_seed = tuple(sorted((*earlier.per_seed, *new.per_seed), key=lambda each: seeds.index(each.seed)))
    rates = [each.fmax_mhz for each in per_seed if each.fmax_mhz is not None]
    best = max((earlier, new), key=lambda each: (each.fmax_mhz, -seeds.index(each.seed)))
    return replace(
        new,
        fmax_mhz=best.fmax_mhz,
        fmax_median=round(statistics.median(rates), 2),
        per_seed=per_seed,
        seed=best.seed,
        utilisation=best.utilisation,
        critical_path=best.critical_path,
    )

# SPDX-License-Identifier: Apache-2.0
"""The protocol of measured records: seeds by size, router and harness by rule, LUT4 only.

nextpnr's target clock does not belong to it: a design is placed and routed in the same way for every target, and a test
holds this, so that records of several targets stand next to each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..report.evidence import NOT_PLACED, NOT_RUN, conditions
from ..synthesize import router_by_rule
from ..synthesize.devices import DEVICES
from .rows import Row

SEEDS = (1, 2, 3, 4, 5)
SEEDS_OF_LARGE = (1, 2, 3)
LARGE_LUT = 20_000
"""LUTs above which a core is placed with `SEEDS_OF_LARGE`: five seeds of such a core take an hour and more."""

FEWER_SEEDS, OTHER_ROUTER, OTHER_HARNESS, WIDE_LUT = "fewer seeds", "another router", "another harness", "wide LUTs"
WEIGHT = "a weight of timing"
KINDS = (FEWER_SEEDS, OTHER_ROUTER, OTHER_HARNESS, WIDE_LUT, WEIGHT)
"""Departures from the protocol."""


def seeds(lut: int) -> tuple[int, ...]:
    """Seeds of a core of that many LUTs."""
    return SEEDS if lut <= LARGE_LUT else SEEDS_OF_LARGE


def departures(row: Row) -> dict[str, str]:
    """Departures of a placed row from the protocol, each with the words by which its cells show it; none for others.

    A row with both clock rates is judged by that of the whole core, and an older one of a channel, whose area was not
    counted alone, not by its router.
    """
    timing, area = (row.timing, row.resources) if row.placed else (row.channel, row.channel_resources)
    if timing == NOT_RUN or timing["status"] == NOT_PLACED or "per_seed" not in timing:
        return {}
    device = next(device for device in DEVICES.values() if device.part == timing["device"])
    needed = len(seeds(row.resources["lut"]))
    shown = conditions(timing)
    router = router_by_rule(area, device, timing.get("floorplan")) if area else timing["router"]
    harness = "out-of-context" if device.family == "ecp5" else "shift"
    found = (
        (FEWER_SEEDS, shown[0], len(timing["per_seed"]) < needed),
        (OTHER_ROUTER, timing["router"], timing["router"] != router),
        (OTHER_HARNESS, timing["harness"], timing["harness"] != harness),
        (WIDE_LUT, WIDE_LUT, row.wide_lut),
        (WEIGHT, f"timing weight {timing.get('timing_weight')}", "timing_weight" in timing),
    )
    return {kind: words for kind, words, departs in found if departs}


def departs(row: Row) -> bool:
    """Whether a row departs from the protocol: tables that are sorted by a figure have such rows last."""
    return bool(departures(row))


def counts(rows: Iterable[Row]) -> str:
    """Number of placed rows that keep the protocol, and of those that depart from it, by kind; empty without any."""
    placed = [row for row in rows if row.placed and "per_seed" in row.timing]
    if not placed:
        return ""
    all_departures = [departures(row) for row in placed]
    numbers = {kind: sum(kind in each for each in all_departures) for kind in KINDS}
    others = ", ".join(f"{number} with {kind}" for kind, number in numbers.items() if number)
    without = sum(not each for each in all_departures)
    return f"By the protocol: {without} of {len(placed)} placed rows{f'; {others}' if others else ''}. "

# SPDX-License-Identifier: Apache-2.0
"""Cells and remarks about measured rows, in the same words in every table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from ..base.json import JsonMapping
from ..base.table import Table
from ..measurement import protocol
from ..measurement.rows import Row
from ..pages.datasheet import clock_spread, count
from ..report.evidence import NOT_PLACED, NOT_RUN, Placed

Column = tuple[str, Callable[[Row], str]]
"""A heading, and the cell of a row."""

WORDS = frozenset(
    {
        "best at",
        "core",
        "device",
        "operands",
        "modulus",
        "target",
        "constant latency",
        "place and route",
        "description",
        "source",
    }
)
"""Headings of columns of words."""


def constant_latency(row: Row) -> str:
    """Whether the latency is constant; in capitals where it is not."""
    return "yes" if row.schedule["constant_time"] else "NO"


def fmax(timing: JsonMapping | str) -> str:
    """Clock rate in MHz: the median over the seeds, the worst and the best, and how many there are; or why there is
    none."""
    if isinstance(timing, str):  # not run
        return timing
    if timing["status"] == NOT_PLACED:
        return _refusal(timing)
    return clock_spread(cast("Placed", timing))


def _refusal(timing: JsonMapping) -> str:
    """Why a core was not placed; the numbers when it is too large."""
    if not timing["needed"]:
        return f"not placed: {timing['reason']}"
    numbers = ", ".join(
        f"{count(n)} {name.upper()}, {timing['device']} has {count(timing['available'][name])}"
        for name, n in timing["needed"].items()
    )
    return f"does not fit: {numbers}"


def place_and_route(timing: JsonMapping | str) -> str:
    """Device, seeds and settings of a place and route."""
    if isinstance(timing, str):  # not run
        return timing
    if timing["status"] == NOT_PLACED:
        return timing["device"]
    seeds = timing["per_seed"]
    tried = f"median of seeds {', '.join(map(_seed, seeds))}" if len(seeds) > 1 else f"seed {timing['seed']}"
    where = f"{timing['device']}, speed grade {timing['speed']}, {timing['harness']}"
    plan = f", floorplan {timing['floorplan']}" if "floorplan" in timing else ""
    weight = f", timing weight {timing['timing_weight']}" if "timing_weight" in timing else ""
    return f"{where}, {timing['router']}{plan}{weight}, {timing['frequency_mhz']:g} MHz requested; {tried}"


def _seed(result: JsonMapping) -> str:
    return f"{result['seed']}" if result["fmax_mhz"] is not None else f"{result['seed']} (failed)"


def measured(rows: Sequence[Row], columns: Sequence[Column]) -> Table | str:
    """A table of rows with the tools below it; `NOT_RUN` when there are no rows."""
    if not rows:
        return NOT_RUN
    cells = ([show(row) for _, show in columns] for row in rows)
    return Table.of((name for name, _ in columns), cells, WORDS, below=[tools(rows)])


def measured_with(rows: Sequence[Row]) -> str:
    """Placement settings and tools of measured rows; empty when there are none."""
    return f"Measured: {placement_settings(rows)}{protocol.counts(rows)}{versions(rows)}" if rows else ""


def placement_settings(rows: Iterable[Row]) -> str:
    """Settings of place and route, each once, as a sentence; empty when nothing was placed."""
    found = " / ".join(sorted({place_and_route(row.timing) for row in rows if row.placed}))
    return f"{found}. " if found else ""


def tools(rows: Sequence[Row]) -> str:
    """The devices that were placed on, and the versions of the tools."""
    parts = sorted({t["device"] for row in rows for t in (row.timing, row.channel) if t != NOT_RUN})
    if not parts:
        return versions(rows, ("amaranth", "pyosys"))
    return f"Device: {', '.join(parts)}. {protocol.counts(rows)}{versions(rows)}"


def versions(rows: Sequence[Row], names: Sequence[str] = ()) -> str:
    """The versions of these tools; without names, of those that make RTL and netlists and of every nextpnr."""
    placers = sorted({name for row in rows for name in row.tools if name.startswith("yowasp-nextpnr")})
    shown = names or ("amaranth", "pyosys", *placers)
    return f"Tools: {', '.join(f'{name} {_versions(rows, name)}' for name in shown)}."


def _versions(rows: Sequence[Row], name: str) -> str:
    return " and ".join(sorted({row.tools[name] for row in rows if name in row.tools}))

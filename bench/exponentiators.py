# SPDX-License-Identifier: Apache-2.0
"""Exponentiators as they were measured, by width and time: placed where they were, else with their area only."""

from __future__ import annotations

from collections.abc import Iterable

from modwright.measurement.rows import Row
from modwright.pages.datasheet import count, figure
from records import fmax, place_and_route, table, versions

TARGET = "ecp5"
HEADINGS = (
    "bits", "core", "cycles, mean", "at most", "Fmax, MHz", "ms, mean", "ms, at most", "LUT", "FF", "DSP",
    "LUT × s, at most", "constant latency",
)  # fmt: skip
_WORDS = {"core", "constant latency"}


def exponentiators(rows: Iterable[Row]) -> str:
    """Every exponentiator with a runtime modulus; in each width the fewest cycles first."""
    found = [r for r in rows if r.function == "modexp" and r.target == TARGET]
    found.sort(key=lambda r: (r.bits, r.schedule["latency_cycles"], r.name))
    ways = " / ".join(sorted({place_and_route(row.timing) for row in found if row.placed}))
    return f"{table(HEADINGS, map(_line, found), _WORDS)}\n{ways + '. ' if ways else ''}{versions(found)}\n"


def _line(row: Row) -> tuple[str, ...]:
    r, most = row.resources, row.schedule["latency_cycles"]
    mean, longest = (_milliseconds(row, cycles) for cycles in (row.mean_cycles, most))
    return (
        str(row.bits),
        row.name,
        "" if row.mean_cycles is None else figure(row.mean_cycles, 0),
        count(most),
        fmax(row.timing),
        figure(mean, 3),
        figure(longest, 3),
        count(r["lut"]),
        count(r["ff"]),
        count(r["dsp"]),
        figure(None if longest is None else r["lut"] * longest / 1e3),
        "yes" if row.schedule["constant_time"] else "NO",
    )


def _milliseconds(row: Row, cycles: float | None) -> float | None:
    nanoseconds = row.time(cycles)
    return None if nanoseconds is None else nanoseconds / 1e6

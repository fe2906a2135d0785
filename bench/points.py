# SPDX-License-Identifier: Apache-2.0
"""Point multipliers as they were measured, by area x time next to the paper's engine on the same device."""

from __future__ import annotations

from collections.abc import Sequence

from modwright.measurement.rows import Row
from modwright.pages.datasheet import count, figure
from records import fmax, place_and_route, table, versions

BASELINE = "r64-ladder"
"""The engine of Xie et al."""
AREAS = {"ecp5": "lut", "asic": "nand2"}
"""Of each target, the resource that is the area."""
HEADINGS = (
    "bits", "core", "target", "cycles", "Fmax, MHz", "ms", "LUT or NAND2", "FF", "DSP", "BRAM", "area × ms",
    "better by", "DSP × ms", "constant latency",
)  # fmt: skip


def point_multipliers(rows: Sequence[Row]) -> str:
    """Every placed or mapped point multiplier; `better by` is area x time of the paper's engine over the row's."""
    found = [r for r in rows if r.function == "ecpm" and r.target in AREAS and r.placed]
    found.sort(key=lambda r: (r.bits, list(AREAS).index(r.target), r.schedule["latency_cycles"]))
    lines = [_line(row, _baseline(found, row)) for row in found]
    placed = [row for row in found if row.target == "ecp5"]
    ways = " / ".join(sorted({place_and_route(row.timing) for row in placed}))
    cells = " / ".join(sorted({row.timing["method"] for row in found if row.target == "asic"}))
    made = "".join(f"{text}. " for text in (f"ECP5: {ways}", f"Gates: {cells}"))
    return f"{table(HEADINGS, lines, {'core', 'target', 'constant latency'})}\n{made}{versions(found)}\n"


def _baseline(rows: Sequence[Row], row: Row) -> Row | None:
    """The paper's engine at the same size and target."""
    alike = (r for r in rows if (r.core, r.bits, r.target) == (BASELINE, row.bits, row.target))
    return next(alike, None)


def _milliseconds(row: Row) -> float:
    assert row.latency_ns is not None
    return row.latency_ns / 1e6


def _area_time(row: Row) -> float:
    return row.resources[AREAS[row.target]] * _milliseconds(row)


def _line(row: Row, baseline: Row | None) -> tuple[str, ...]:
    r, milliseconds = row.resources, _milliseconds(row)
    dsp = r["dsp"]
    return (
        str(row.bits),
        row.name,
        row.target,
        count(row.schedule["latency_cycles"]),
        fmax(row.timing) if row.target == "ecp5" else figure(row.timing["fmax_mhz"]),
        f"{milliseconds:.3f}",
        count(r[AREAS[row.target]]),
        count(r["ff"]),
        "" if dsp is None else count(dsp),
        "" if r["bram"] is None else count(r["bram"]),
        count(round(_area_time(row))),
        "" if baseline is None else f"{_area_time(baseline) / _area_time(row):.2f}",
        "" if dsp is None else figure(dsp * milliseconds),
        "yes" if row.schedule["constant_time"] else "NO",
    )

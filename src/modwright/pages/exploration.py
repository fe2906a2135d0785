# SPDX-License-Identifier: Apache-2.0
"""An exploration as one self-contained HTML page: its points, estimated and measured, with the front."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.json import JsonMapping
from ..draw.scatter import Point, scatter
from .comparison import Column, filtered_table, key_of, words
from .datasheet import count, cycles, figure

COLUMNS = (
    Column("label", "architecture", str, False, "what differs from its defaults with it"),
    Column("front", "front", lambda v: "●" if v else "", False, "no other point beats it in time, LUT and DSP"),
    Column("constant_latency", "constant latency", words, False, "whether no step depends on operand values"),
    Column("source", "source", str, False, "how far the point was taken"),
    Column("clocks", "cycles", count, help="latency, the most where it varies"),
    Column("interval", "interval", cycles, help="cycles between two operations at full rate"),
    Column("estimated_lut", "LUT, estimated", count),
    Column("estimated_dsp", "DSP, estimated", count),
    Column("estimated_ns", "ns, estimated", figure),
    Column("lut", "LUT", count, help="after synthesis"),
    Column("ff", "FF", count, help="after synthesis"),
    Column("dsp", "DSP", count, help="after synthesis"),
    Column("fmax_median", "Fmax, MHz", figure, help="of the whole core, median over the seeds that were placed"),
    Column("ns", "ns", figure, help="latency / Fmax"),
)


def plot(points: Sequence[JsonMapping], title: str, *, placed: bool, name: str = "front") -> str:
    """SVG of time over LUTs: both measured where points were placed, else the time is estimated."""
    time, how = ("ns", "placed and routed") if placed else ("estimated_ns", "estimated")
    shown = [
        Point(
            p["label"],
            key_of(_row(p)),
            p["lut"],
            p[time],
            p["front"],
            f"{p['lut']:,} LUT, {p[time]:,.0f} ns",
        )
        for p in points
        if p["lut"] and p[time]
    ]
    return scatter(shown, title, "LUT, synthesised", f"ns of one operation, {how}", name)


def page(points: Sequence[JsonMapping], title: str, command: str, *, placed: bool) -> str:
    """An exploration as HTML, which loads nothing.

    Parameters
    ----------
    points : sequence of mapping
        As `explore.Result.to_json` makes them.
    title, command : str
        The work, and the command that makes the page.
    placed : bool
        Whether points were placed and routed.
    """
    rows = [_row(point) for point in points]
    columns = [c for c in COLUMNS if any(row[c.key] not in (None, "") for row in rows)]
    time = "in measured time" if placed else "in estimated time (nothing was placed)"
    return filtered_table(
        "Exploration",
        title,
        f"{len(rows)} points. Estimates and measured figures have columns of their own. What was left out says why.",
        f"● no other point beats it {time}, in LUT and in DSP.",
        columns,
        rows,
        [plot(points, title, placed=placed)],
        [command],
    )


def _row(point: JsonMapping) -> JsonMapping:
    """A point with what else the page sorts and filters by."""
    placed, counted = point["ns"] is not None, point["lut"] is not None
    source = "measured" if placed else "synthesised" if counted else "estimated"
    return {**point, "source": source, "note": point["left_out"], "id": point["architecture"]}

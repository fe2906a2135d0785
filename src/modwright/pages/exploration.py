# SPDX-License-Identifier: Apache-2.0
"""An exploration as one self-contained HTML page: its points, estimated and measured, with the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base.json import JsonMapping
from ..base.table import aligned
from ..base.words import counted
from ..draw.scatter import Point, scatter
from .comparison import INTERVAL_KIND, Column, filtered_table, interval_varies, key_of, yes_or_no
from .datasheet import count, cycles, figure

COLUMNS = (
    Column("label", "architecture", str, False, "what differs from its defaults with it"),
    Column("front", "front", lambda v: "●" if v else "", False, "no other point beats it in time, LUT and DSP"),
    Column("constant_latency", "constant latency", yes_or_no, False, "whether no step depends on operand values"),
    Column("ns", "ns", figure, help="latency / Fmax"),
    Column("fmax_median", "Fmax, MHz", figure, help="of the whole core, median over the seeds that were placed"),
    Column("estimated_ns", "ns, estimated", figure),
    Column("clocks", "cycles", count, help="latency, the most where it varies"),
    Column("lut", "LUT", count, help="after synthesis"),
    Column("ff", "FF", count, help="after synthesis"),
    Column("dsp", "DSP", count, help="after synthesis"),
    Column("estimated_lut", "LUT, estimated", count),
    Column("estimated_dsp", "DSP, estimated", count),
    Column("interval", "interval, cycles", cycles, help="between two operations at full rate"),
    INTERVAL_KIND,
    Column("source", "source", str, False, "how far the point was taken"),
    Column("note", "left out", str, False, "why the point was not taken further"),
)


def columns_of(rows: Sequence[JsonMapping]) -> list[Column]:
    """The columns in which some row has a value; kinds of intervals only where one varies."""
    fixed = not interval_varies(rows)
    return [
        c for c in COLUMNS if any(row[c.key] not in (None, "") for row in rows) and not (fixed and c is INTERVAL_KIND)
    ]


@dataclass(frozen=True)
class Exploration:
    """Points of a sweep, as `explore.Result.to_json` makes them, the work, and whether they were placed and routed."""

    points: Sequence[JsonMapping]
    title: str
    placed: bool

    def plot(self, name: str = "front") -> str:
        """SVG of time over LUTs: both measured where points were placed, else the time is estimated."""
        time, how = ("ns", "placed and routed") if self.placed else ("estimated_ns", "estimated")
        shown = [
            Point(p["label"], key_of(p), p["lut"], p[time], p["front"], f"{p['lut']:,} LUT, {p[time]:,.0f} ns")
            for p in map(_shown, self.points)
            if p["lut"] and p[time]
        ]
        return scatter(shown, self.title, "LUT, synthesised", f"ns of one operation, {how}", name)

    def page(self, command: str) -> str:
        """The exploration as HTML, which loads nothing; `command` makes it."""
        rows = [_shown(point) for point in self.points]
        time = "in measured time" if self.placed else "in estimated time (nothing was placed)"
        return filtered_table(
            "Exploration",
            self.title,
            f"{counted(len(rows), 'point')}. Estimated and measured figures have columns of their own. "
            "What is left out says why.",
            f"● no other point beats it {time}, in LUT and in DSP.",
            columns_of(rows),
            rows,
            [self.plot()],
            [command],
        )

    def text(self, everything: bool) -> str:
        """A table in plain text, the front first; points that were left out on request, or where there is no other."""
        time = "ns" if self.placed else "estimated_ns"
        rows = [_shown(point) for point in self.points]
        chosen = [row for row in rows if everything or not row["left_out"]] or rows
        chosen = sorted(
            chosen, key=lambda r: (not r["front"], bool(r["left_out"]), r[time] or float("inf"), r["label"])
        )
        columns = columns_of(chosen)
        cells = [[c.heading for c in columns], *([c.show(row[c.key]) for c in columns] for row in chosen)]
        lines = aligned(cells, [c.numeric for c in columns])
        out = sum(bool(row["left_out"]) for row in rows)
        front = "by what was placed" if self.placed else "by the estimated time and the synthesised area"
        return "\n".join([*lines, "", f"{counted(len(rows), 'point')}, {out} left out; the front is {front}"]) + "\n"


def _shown(point: JsonMapping) -> JsonMapping:
    """A point with the further keys that the page sorts and filters by."""
    source = "measured" if point["ns"] is not None else "synthesised" if point["lut"] is not None else "estimated"
    return {**point, "source": source, "note": point["left_out"], "id": point["architecture"]}

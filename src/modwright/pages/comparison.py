# SPDX-License-Identifier: Apache-2.0
"""A comparison as one self-contained HTML page, as CSV, as a text table, and as a picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from ..base.errors import REASON, shortened, unnamed
from ..base.json import JsonMapping
from ..base.table import aligned
from ..base.words import counted
from ..draw.scatter import Point, scatter
from ..schedule.pace import FIXED
from .datasheet import count, cycles, figure
from .templating import environment, text_of

MILLION = 1_000_000


@dataclass(frozen=True)
class Column:
    """A column of the table: key of the row, heading, unit, and how a value is shown; `help` explains it."""

    key: str
    heading: str
    show: Callable[[Any], str]
    numeric: bool = True
    help: str = ""


def yes_or_no(value: object) -> str:
    """A truth value as yes or NO; nothing as a dash."""
    return {True: "yes", False: "NO", None: "–"}.get(value, str(value))


def _rate(value: float | None) -> str:
    """Operations in a second: in millions, whole, or to four digits."""
    if value is None:
        return "–"
    if value >= MILLION:
        return f"{value / MILLION:,.2f} M"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _nanoseconds(value: float | None) -> str:
    return figure(value, 1 if value is not None and value < MILLION else 0)


INTERVAL_KIND = Column(
    "interval_kind", "interval is", str, False, "of every operation, the mean, or the most where no mean is known"
)
COLUMNS = (
    Column("label", "architecture", str, False, "what differs from its defaults with it, and the cell library"),
    Column(
        "front",
        "front",
        lambda v: "●" if v else "",
        False,
        "no other row beats it in time and area (of gates, no row of the same library)",
    ),
    Column("constant_latency", "constant latency", yes_or_no, False, "whether no step depends on operand values"),
    Column("ns", "ns", _nanoseconds, help="latency / Fmax"),
    Column("fmax_median", "Fmax, MHz", figure, help="of the whole core, median over the seeds that were placed"),
    Column(
        "clocks", "cycles", count, help="latency, the most where it varies; of the schedule, which simulation holds"
    ),
    Column("lut", "LUT", count),
    Column("ff", "FF", count),
    Column("dsp", "DSP", count),
    Column("bram", "BRAM", count),
    Column("nand2", "NAND2", count, help="area in NAND2 equivalents"),
    Column("source", "source", str, False),
    Column("per_second", "per second", _rate, help="operations at full rate, Fmax / interval"),
    Column("interval", "interval", cycles, help="cycles between two operations at full rate"),
    INTERVAL_KIND,
    Column("interval_most", "most", cycles, help="cycles between two operations after the longest one"),
    Column("mean_clocks", "mean cycles", cycles, help="of one operation, over random operands"),
    Column("dsp_ns", "DSP × ns", count),
    Column("lut_ns", "LUT × ns", count),
    Column("operands", "operands", str, False),
    Column("fmax_least", "worst seed", figure),
    Column("fmax_mhz", "best seed", figure),
    Column(
        "conditions",
        "timed with",
        str,
        False,
        "seeds; router and harness if not router1 and out of context; gates: without wires",
    ),
)
"""Columns in the order in which a reader looks for them: 1280 pixels show at least those up to the areas."""


def _heading(key: str) -> str:
    return next((column.heading for column in COLUMNS if column.key == key), key)


def columns_of(document: JsonMapping) -> list[Column]:
    """The columns in which some row has a value; kinds of intervals and a spread only where one varies."""
    keep = {"label", "source", "front", "clocks", "ns", "fmax_median", "constant_latency"}
    rows = document["rows"]
    same: set[str] = set()
    if not interval_varies(rows):
        same |= {"interval_kind", "interval_most"}
    if all(row["fmax_least"] in (None, row["fmax_mhz"]) for row in rows):
        same |= {"fmax_least", "fmax_mhz"}
    return [c for c in _with_something(rows, keep) if c.key not in same]


def interval_varies(rows: Sequence[Mapping[str, object]]) -> bool:
    """Whether the time between two operations depends on operands in one of the rows."""
    return any(row["interval_kind"] not in ("", FIXED) for row in rows)


def _with_something(rows: Sequence[JsonMapping], keep: Container[str]) -> list[Column]:
    return [c for c in COLUMNS if c.key in keep or any(row[c.key] not in (None, "") for row in rows)]


def as_csv(document: JsonMapping) -> str:
    """Every figure of every row, unrounded; a missing figure is empty."""
    text = io.StringIO()
    keys = [column.key for column in COLUMNS]
    keys = [*keys[:1], "core", *keys[1:], "constant_time", "interval_ns", "device", "note", "id"]
    writer = csv.DictWriter(text, keys, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(document["rows"])
    return text.getvalue()


def as_text(document: JsonMapping) -> str:
    """A table in plain text, one row a line; notes and cores that cannot do the work below it."""
    columns, rows = columns_of(document), document["rows"]
    cells = [[c.heading for c in columns], *([_cell(c, row) for c in columns] for row in rows)]
    lines = aligned(cells, [c.numeric for c in columns])
    notes = [f"{row['label']}: {row['source']}: {row['note']}" for row in rows if row["note"]]
    unable = _unable(document["unable"])
    return "\n".join([*lines, *([""] if notes or unable else []), *notes, *unable]) + "\n"


def _unable(cores: Sequence[Mapping[str, str]]) -> list[str]:
    """Cores that cannot do the work, those with the same reason in one line."""
    together: dict[str, list[str]] = {}
    for core in cores:
        together.setdefault(shortened(unnamed(core["reason"], core["core"]), REASON), []).append(core["core"])
    return [
        f"{names[0]} cannot: {reason}"
        if len(names) == 1
        else f"{len(names)} cores cannot: {reason}: {', '.join(name.partition('/')[2] for name in names)}"
        for reason, names in together.items()
    ]


def _cell(column: Column, row: JsonMapping) -> str:
    return column.show(row[column.key])


def plot(document: JsonMapping, time: str = "ns", name: str = "front") -> str:
    """SVG of time over area: in gates where rows have them, with a front for each library, else in LUTs.

    Parameters
    ----------
    document : mapping
        Document of `compare.Comparison.to_json`.
    time : str
        `ns`, or `interval_ns` for the time between two operations at full rate.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    gates = any(row["nand2"] for row in document["rows"])
    area, unit = ("nand2", "NAND2") if gates else ("lut", "LUT")
    points = [
        Point(
            row["label"], key_of(row), row[area], row[time], row["front"], detail(row), row["device"] if gates else ""
        )
        for row in document["rows"]
        if row[area] and row[time]
    ]
    what = {"ns": "time of one operation", "interval_ns": "time between two operations at full rate"}[time]
    title = f"{document['function']}, {document['work']}, {document['target']}: {what}"
    varies = time == "interval_ns" and interval_varies(document["rows"])
    axis = f"{what}, ns" + " (where it varies the mean, or the most)" * varies
    return scatter(points, title, unit, axis, name)


def detail(row: JsonMapping) -> str:
    """A row in one line, for a tooltip."""
    parts = [f"{figure(row['ns'])} ns", f"{count(row['lut'])} LUT", f"{count(row['dsp'])} DSP"]
    if row["nand2"]:
        parts = [parts[0], f"{count(row['nand2'])} NAND2"]
    constant = {True: "constant latency", False: "variable latency", None: "latency not stated to be constant"}[
        row["constant_latency"]
    ]
    return ", ".join([*parts, f"{figure(row['fmax_median'])} MHz", constant])


def key_of(row: JsonMapping) -> str:
    """Key of a row, unique on the page."""
    return f"{row['label']}|{row['id'][:12]}"


def page(document: JsonMapping, datasheets: Mapping[str, str], made: Sequence[str]) -> str:
    """The comparison as HTML.

    Parameters
    ----------
    document : mapping
        Document of `compare.Comparison.to_json`.
    datasheets : mapping of str to str
        Complete HTML documents by `key_of` of their row.
    made : sequence of str
        Tools behind the figures, and the command.

    Returns
    -------
    str
        One document that loads nothing: style, script, pictures and datasheets are inside. Without a script it is
        still a complete table with its pictures.
    """
    time = "the time of one operation" if document["front"] == "latency" else "the time between two operations"
    area = "gates of the same library" if document["target"] == "asic" else "area"
    return filtered_table(
        "Comparison",
        f"{document['function']}, {document['work']}",
        f"{counted(len(document['rows']), 'design')} on {document['target']}, in the same tools. Cycles are the "
        "schedules'; areas are of the bare cores after synthesis; a clock rate is of the whole core. What was not run "
        "says so.",
        f"● no other design beats it in {time} and in {area}. Sorted by {_heading(document['sorted_by'])}.",
        columns_of(document),
        document["rows"],
        [plot(document, time, name) for time, name in (("ns", "front"), ("interval_ns", "rate"))],
        made,
        datasheets=datasheets,
        unable=document["unable"],
    )


def filtered_table(
    kind: str,
    heading: str,
    lead: str,
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[JsonMapping],
    pictures: Sequence[str],
    made: Sequence[str],
    *,
    datasheets: Mapping[str, str] = MappingProxyType({}),
    unable: Sequence[Mapping[str, str]] = (),
) -> str:
    """A page with a table that can be sorted and filtered, and its pictures.

    Parameters
    ----------
    kind, heading, lead, caption : str
        Words at the head of the page and of the table.
    columns : sequence of Column
        Columns of the table.
    rows : sequence of mapping
        Rows with the keys of the columns, and `label`, `id`, `lut` and `dsp` or `nand2`, `fmax_median`,
        `constant_latency`, `source`, `front` and `note`. Notes are below the table where they have no column.
    pictures : sequence of str
        SVG, whose points have the keys of rows (`key_of`).
    made : sequence of str
        Tools behind the figures, and the command.
    datasheets : mapping of str to str
        Complete HTML documents by `key_of` of their row.
    unable : sequence of mapping
        `core` and `reason` of each core without a row.
    """
    below = all(column.key != "note" for column in columns)
    numbers = {key_of(row): n for n, row in enumerate((row for row in rows if row["note"] and below), 1)}
    areas = ("nand2",) if any(column.key == "nand2" for column in columns) else ("lut", "dsp")
    shown = [
        {
            "key": key_of(row),
            "row": row,
            "cells": [(c, _cell(c, row), _sortable(row[c.key])) for c in columns],
            "sheet": key_of(row) in datasheets,
            "note": numbers.get(key_of(row)),
        }
        for row in rows
    ]
    return (
        environment()
        .get_template("comparison.html.j2")
        .render(
            kind=kind,
            heading=heading,
            lead=lead,
            caption=caption,
            columns=columns,
            areas=areas,
            rows=shown,
            unable=unable,
            made=made,
            pictures=[Markup(picture) for picture in pictures],
            sheets=_script_json(dict(datasheets)),
            style=Markup(text_of("datasheet.css") + text_of("comparison.css")),
            script=Markup(text_of("comparison.js")),
        )
    )


def _sortable(value: object) -> str:
    """A value that the script sorts by; empty for a missing one."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _script_json(value: object) -> Markup:
    """JSON that ends no script element, whatever it contains."""
    return Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))

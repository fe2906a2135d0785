# SPDX-License-Identifier: Apache-2.0
"""Figures by vendors' tools that users contributed, in a table of their own."""

from __future__ import annotations

from collections.abc import Iterable

from ..base.table import Table
from ..measurement.rows import Row
from ..measurement.vivado import Contributed
from ..pages.datasheet import count, figure
from ..report.evidence import NOT_RUN, NOT_STATED
from .cells import WORDS

NONE_YET = "none yet"
DIGITS = 12
"""Digits of a digest that are shown."""
HEADINGS = (
    "modulus", "core", "part", "tool", "date", "cycles", "LUT", "FF", "DSP", "BRAM", "Fmax, MHz", "ns", "reports",
)  # fmt: skip


def contributed_table(records: Iterable[Contributed]) -> Table | str:
    """A row for each record, by core and part; `NONE_YET` when there are none."""
    rows = sorted(map(_cells, records))
    return Table.of(HEADINGS, rows, WORDS | {"part", "tool", "date", "reports"}) if rows else NONE_YET


def _cells(record: Contributed) -> tuple[str, ...]:
    resources = {"target": record["target"], "wide_lut": False}
    row = Row(record["request"], {}, resources, record["verilog"], NOT_RUN, NOT_RUN, record["tool"])
    tool = record["tool"]["vivado"].partition(" (")[0]
    areas = map(count, (record["lut"], record["ff"], record["dsp"], record["bram"]))
    reports = ", ".join(digest[:DIGITS] for _, digest in sorted(record["reports"].items()))
    times = (figure(record["fmax_mhz"]), figure(record["latency_ns"]))
    where = (str(record["place_and_route"]["device"]), tool, record["date"] or NOT_STATED)
    return (row.modulus, row.name, *where, count(record["cycles"]), *areas, *times, reports)

# SPDX-License-Identifier: Apache-2.0
"""Counts over random operands, next to the exact ones and the papers'."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.json import JsonMapping
from ..base.table import Table
from ..pages.datasheet import count, figure
from ..report.evidence import NOT_RUN

_WORDS = {"core", "operands", "description"}


def counts(records: Mapping[str, JsonMapping]) -> Table | str:
    """Sampled counts next to the exact ones and the papers'."""
    if not records:
        return NOT_RUN
    headings = (
        "core", "description", "operands", "samples", "mean", "exact mean", "paper's mean", "standard deviation",
        "exact", "least", "most", "least possible", "most possible",
    )  # fmt: skip
    ordered = sorted(records.values(), key=lambda r: (r["request"]["core"], _width(r), r["operands"]))
    rows = (
        row
        for record in ordered
        for row in (record, *({**record, "exact": None, **extra} for extra in record.get("also", ())))
    )
    return Table.of(headings, map(_counted, rows), _WORDS)


def _width(record: JsonMapping) -> int:
    return record["request"]["options"].get("bits") or 0


def _counted(record: JsonMapping) -> tuple[str, ...]:
    found, exact = record["measured"], record["exact"] or {}
    return (
        f"`{record['request']['core'].partition('/')[2]}`",
        record["statistic"],
        record["operands"],
        count(record["samples"]),
        figure(found["mean"], 2),
        figure(exact.get("mean"), 2),
        ", ".join(figure(row["mean"]) for row in record["published"]),
        figure(found["deviation"], 2),
        figure(exact.get("deviation"), 2),
        *(count(value) for value in (found["least"], found["most"], exact.get("least"), exact.get("most"))),
    )

# SPDX-License-Identifier: Apache-2.0
"""The errata of the papers, with the counts of their demonstrations."""

from __future__ import annotations

from functools import cache

from ..base.table import Table
from ..pages.datasheet import count
from ..pages.reproduction import Demonstrated
from ..papers.documents import PAPERS
from ..papers.errata import ERRATA, demonstrate


@cache
def errata_table() -> Table:
    """Every erratum: each is demonstrated now."""
    rows = [
        (PAPERS[paper].title.partition(":")[0], *_cells(demonstrate(erratum)))
        for paper in ERRATA
        for erratum in ERRATA[paper]
    ]
    headings = ("paper", "place", "printed", "right", "tried on", "cases", "fail as printed", "fail as corrected")
    return Table.of(headings, rows, {"paper", "place", "printed", "right", "tried on"})


def _cells(erratum: Demonstrated) -> tuple[str, ...]:
    return (
        erratum.place,
        erratum.printed,
        erratum.right,
        erratum.over,
        *map(count, (erratum.cases, erratum.printed_fails, erratum.corrected_fails)),
    )

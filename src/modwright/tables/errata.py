# SPDX-License-Identifier: Apache-2.0
"""The errata of the papers, with the counts of their demonstrations."""

from __future__ import annotations

from ..base.table import Table
from ..pages.datasheet import count
from ..papers.documents import PAPERS
from ..papers.errata import ERRATA, Demonstrated, demonstrate


def errata_table() -> Table:
    """Every erratum: each is demonstrated now."""
    rows = [
        (PAPERS[paper].title.partition(":")[0], *_cells(demonstrate(one))) for paper in ERRATA for one in ERRATA[paper]
    ]
    headings = ("paper", "place", "printed", "right", "tried on", "cases", "fail as printed", "fail as corrected")
    return Table.of(headings, rows, {"paper", "place", "printed", "right", "tried on"})


def _cells(one: Demonstrated) -> tuple[str, ...]:
    given = one.erratum
    counts = (one.cases, one.printed_fails, one.corrected_fails)
    return (given.place, given.printed, given.right, given.over, *map(count, counts))

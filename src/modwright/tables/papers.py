# SPDX-License-Identifier: Apache-2.0
"""Tables of the papers' pages: claims with their verdicts, the papers' figures with ours, and the errata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from ..base.store import default_store
from ..base.table import Items, Table, as_markdown
from ..measurement.rows import Row
from ..pages.datasheet import count
from ..pages.reproduction import Demonstrated, reasons, shown_figure
from ..papers import PAPERS, Answer, Reproduced, reproduce
from ..papers.claims import judged_of
from ..papers.errata import demonstrated_of
from ..report.evidence import NOT_RUN

WORDS = {"claim", "where", "verdict", "figures", "command"}


class PaperTables:
    """Tables of all papers from one set of rows; each paper is reproduced once, for the first of its tables.

    Parameters
    ----------
    rows : sequence of Row
        Measured records.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._reproduced: dict[str, list[Reproduced]] = {}

    def makers(self) -> dict[str, Callable[[], Table | str]]:
        """Functions by the name of the table that each makes."""
        made: dict[str, Callable[[], Table | str]] = {"verdicts": self._verdicts}
        for paper in PAPERS:
            made[f"claims-{paper}"] = lambda paper=paper: self._claims(paper)
            made[f"errata-{paper}"] = lambda paper=paper: errata_table(_errata(paper))
            made[f"figures-{paper}"] = lambda paper=paper: self._figures(paper)
        return made

    def _of(self, paper: str) -> list[Reproduced]:
        if paper not in self._reproduced:
            self._reproduced[paper] = reproduce(PAPERS[paper], default_store(), rows=self._rows)
        return self._reproduced[paper]

    def _claims(self, paper: str) -> Table:
        judged = judged_of(paper, self._of(paper), self._rows, _errata(paper))
        lines = [(each.claim, each.place, each.verdict, each.figures, _commands(each.command)) for each in judged]
        return Table.of(("claim", "where", "verdict", "figures", "command"), lines, WORDS)

    def _verdicts(self) -> Table:
        """Number of claims with each verdict, and of errata, by paper."""
        judged = {paper: judged_of(paper, self._of(paper), self._rows, _errata(paper)) for paper in PAPERS}
        counted = {paper: Counter(each.verdict for each in claims) for paper, claims in judged.items()}
        verdicts = sorted({name for counts in counted.values() for name in counts})
        lines = [
            (PAPERS[paper].title, *(count(counts[name]) for name in verdicts), count(len(_errata(paper))))
            for paper, counts in counted.items()
        ]
        return Table.of(("paper", *verdicts, "errata"), lines, {"paper"})

    def _figures(self, paper: str) -> str:
        """Every table and figure of the paper that has a figure of ours, as Markdown with headings."""
        made = (f"### {table.document['table']}\n\n{as_markdown(figures_table(table))}" for table in self._of(paper))
        return "\n".join(made).rstrip("\n")


@cache
def _errata(paper: str) -> list[Demonstrated]:
    return demonstrated_of(paper)


def figures_table(table: Reproduced) -> Table:
    """One table of a paper: rows with a figure of ours, which has the paper's in brackets behind it."""
    document = table.to_json()
    lines = list(dict.fromkeys(answer.row for answer in table.answers if answer.ours is not None))
    columns = list(dict.fromkeys(answer.column for answer in table.answers if answer.ours is not None))
    cells = {(answer.row, answer.column): _cell(answer) for answer in table.answers}
    below = [Items(title, tuple(items)) for title, items in _remarks(document) if items]
    grid = [(line, *(cells.get((line, column), "") for column in columns)) for line in lines]
    empty = [(f"ours: {NOT_RUN}",)]
    return Table.of(("row", *columns), grid or empty, {"row"}, above=[str(document["note"])], below=below)


def _cell(answer: Answer) -> str:
    ours = shown_figure(answer.ours)
    return f"{ours} ({answer.paper})" if answer.paper else ours


def _remarks(document: dict[str, object]) -> Iterable[tuple[str, list[str]]]:
    yield "Without a figure of ours", reasons(document)
    errata = document["errata"]
    assert isinstance(errata, list)
    yield "What is wrong in the paper, or in comparing with it", errata


def errata_table(errata: Iterable[Demonstrated]) -> Table:
    """The errata of a paper, with the counts of their demonstrations."""
    headings = ("place", "printed", "right", "tried on", "cases", "fail as printed", "fail as corrected")
    lines = [
        (
            each.place,
            each.printed,
            each.right,
            each.over,
            *map(count, (each.cases, each.printed_fails, each.corrected_fails)),
        )
        for each in errata
    ]
    return Table.of(headings, lines, {"place", "printed", "right", "tried on"})


def _commands(text: str) -> str:
    """Each command of a claim as code."""
    return ", ".join(f"`{command}`" for command in text.split(" && "))

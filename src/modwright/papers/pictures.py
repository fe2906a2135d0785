# SPDX-License-Identifier: Apache-2.0
"""Figures of a paper that are drawn again: bars of its figures as printed, and of ours behind each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..draw.bars import Bar, bars
from .reproduction import Answer, Reproduced


def pictures_of(tables: Iterable[Reproduced]) -> dict[str, str]:
    """SVG of each figure whose document says how it is drawn, by the name of the figure."""
    return {str(table.document["table"]): drawn(table) for table in tables if "picture" in table.document}


def drawn(table: Reproduced) -> str:
    """SVG of one figure, with a panel for each of its columns."""
    panels = {column: list(bars_of(table.answers, column)) for column in dict.fromkeys(a.column for a in table.answers)}
    given = table.document["picture"]
    return bars(panels, given["title"], given["note"], given["name"])


def bars_of(answers: Iterable[Answer], column: str) -> Iterator[Bar]:
    """Bars of a column: the paper's of one group, which its rows name first, and ours behind them, where there is
    one."""
    own = [answer for answer in answers if answer.column == column]
    for group in dict.fromkeys(_group(answer) for answer in own):
        found = [answer for answer in own if _group(answer) == group]
        yield from (Bar(answer.row, float(answer.paper), True) for answer in found)
        if isinstance(found[0].ours, int | float):
            yield Bar(f"{group}, here: {found[0].how.rpartition(' ')[2]}", float(found[0].ours), False)


def _group(answer: Answer) -> str:
    return answer.row.partition(", ")[0]

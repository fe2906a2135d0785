# SPDX-License-Identifier: Apache-2.0
"""Papers as one HTML page: their claims, their tables with our figures, the ratios as pictures, and the errata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from ..base.json import JsonMapping
from ..draw.ratios import Ratio, ratios
from .datasheet import count
from .reproduction import Demonstrated, Judged, reasons, shown_figure
from .templating import environment, text_of


@dataclass(frozen=True)
class PaperPage:
    """One paper: its name and title, its tables as `Reproduced.to_json` makes them, its errata, its claims, and SVG of
    figures that are drawn again, by the name of the table."""

    name: str
    title: str
    tables: Sequence[JsonMapping]
    errata: Sequence[Demonstrated]
    claims: Sequence[Judged]
    pictures: Mapping[str, str] = field(default_factory=dict[str, str])


def page(papers: Sequence[PaperPage], command: str) -> str:
    """One document that loads nothing.

    Parameters
    ----------
    papers : sequence of PaperPage
    command : str
        The command that makes the page.
    """
    sections = []
    for paper in papers:
        tables = []
        for number, table in enumerate(paper.tables):
            bars = [
                Ratio(
                    f"{figure['row']}: {figure['column']}",
                    figure["ratio"],
                    f"paper {figure['paper']}, ours {shown_figure(figure['ours'])}, {figure['how']}",
                )
                for figure in table["figures"]
                if figure["ratio"]
            ]
            own = Markup(paper.pictures.get(table["table"], ""))
            drawn = [own, _picture(table["table"], bars, f"ratios-{paper.name}-{number}")]
            tables.append((table, list(filter(None, drawn)), reasons(table)))
        sections.append({"paper": paper, "tables": tables})
    style = Markup(text_of("datasheet.css"))
    return _environment().get_template("papers.html.j2").render(sections=sections, command=command, style=style)


def _picture(title: str, bars: Sequence[Ratio], name: str) -> Markup | None:
    """The ratios of a table; None where no figure has one."""
    return Markup(ratios(bars, f"{title}: ours over the paper's", "ours / paper", name)) if bars else None


@cache
def _environment() -> Environment:
    made = environment()
    made.filters.update(count=count, shown=shown_figure)
    return made

# SPDX-License-Identifier: Apache-2.0
"""The command paper: the tables and figures of the papers next to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError
from ..base.json import JsonObject
from .common import JsonOption, note, print_json
from .comparing import write

if TYPE_CHECKING:
    from ..papers import Paper


def paper(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A paper, or all; without it, the papers are listed.")
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure every core again; takes hours; an interrupted run resumes.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every figure as CSV.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None,
    errata: Annotated[
        bool, typer.Option("--errata", help="Only errors of the paper, each with cases that show it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the tables of a paper next to our figures.

    For every figure: the paper's, ours, and the ratio. Devices and tools differ, so a ratio compares those as well.
    A figure that cannot be measured here says why. Errors of the paper are listed below its tables.

    Examples:
      modwright paper sum-of-residues
      modwright paper all --csv papers.csv --html papers.html
      modwright paper carry-save --errata
    """
    from ..base.store import check_writable, default_store
    from ..pages import reproduction
    from ..papers import find_paper, reproduce

    if not name:
        if fresh or errata or as_json or csv is not None or html is not None:
            raise UsageError("no paper is named, and the options are for one", "modwright paper all, or a name")
        _print_names()
        return
    chosen = find_paper(name)
    if errata:
        _print_errata(chosen, as_json=as_json, other=fresh or csv is not None or html is not None)
        return
    check_writable(csv, html)
    store = default_store()
    made = {paper: [t.to_json() for t in reproduce(paper, store, fresh=fresh, progress=note)] for paper in chosen}
    tables = [table for of_paper in made.values() for table in of_paper]
    if csv is not None:
        write(csv, reproduction.as_csv(tables))
    if html is not None:
        write(html, _page(name, made))
    if as_json:
        print_json(tables)
    else:
        print(reproduction.as_text(tables), end="")


def _print_names() -> None:
    """Print every paper with its tables."""
    from ..papers import PAPERS

    for paper in PAPERS.values():
        print(f"{paper.name:<22}{paper.title}: {', '.join(paper.tables)}")


def _page(name: str, made: Mapping[Paper, list[JsonObject]]) -> str:
    """One page with the tables and the errata of papers, which the command's argument names."""
    from ..pages.papers import PaperPage, page
    from ..papers.errata import demonstrated_of

    sheets = [PaperPage(paper.name, paper.title, tables, demonstrated_of(paper.name)) for paper, tables in made.items()]
    return page(sheets, f"modwright paper {name} --html FILE")


def _print_errata(papers: Sequence[Paper], *, as_json: bool, other: bool) -> None:
    """Print the errata of papers, demonstrated now, and nothing else of them."""
    from ..pages import reproduction
    from ..papers.errata import demonstrated_of

    if other:
        raise UsageError("--errata prints errata only, and takes no other option but --json", "leave the others out")
    found = {paper: demonstrated_of(paper.name) for paper in papers}
    if as_json:
        every = [(paper, erratum) for paper, errata in found.items() for erratum in errata]
        print_json([{"paper": paper.name, **asdict(erratum), "shown": erratum.shown} for paper, erratum in every])
        return
    for paper, errata in found.items():
        print(f"{paper.title}\n\n{reproduction.errata_as_text(errata)}")

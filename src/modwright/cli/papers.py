# SPDX-License-Identifier: Apache-2.0
"""The command paper: the tables and figures of the papers again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject
from .common import JsonOption, note, print_json
from .comparing import write

if TYPE_CHECKING:
    from ..papers import Paper


def paper(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A paper, or all; without it, the papers.")] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure every core again; takes hours; an interrupted run resumes.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every figure as CSV.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None,
    errata: Annotated[
        bool, typer.Option("--errata", help="Only what is wrong in the paper, each with cases that show it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the tables of a paper next to our figures.

    For every figure: the paper's, ours, and the ratio. Devices and tools differ, so a ratio compares those as well.
    What cannot be measured here says why, and what is wrong in the paper stands below its table.

    Examples:
      modwright paper sum-of-residues
      modwright paper all --csv papers.csv --html papers.html
      modwright paper carry-save --errata
    """
    from ..base.store import check_writable, default_store
    from ..pages import reproduction
    from ..papers import PAPERS, find_paper, reproduce

    if not name:
        for one in PAPERS.values():
            print(f"{one.name:<22}{one.title}: {', '.join(one.tables)}")
        return
    chosen = find_paper(name)
    if errata:
        _print_errata(chosen, as_json=as_json, other=fresh or csv is not None or html is not None)
        return
    check_writable(csv, html)
    store = default_store()
    made = {one: [t.to_json() for t in reproduce(one, store, fresh=fresh, progress=note)] for one in chosen}
    tables = [table for of_paper in made.values() for table in of_paper]
    if csv is not None:
        write(csv, reproduction.as_csv(tables))
    if html is not None:
        write(html, _page(made))
    if as_json:
        print_json(tables)
    else:
        print(reproduction.as_text(tables), end="")


def _errata_of(paper: Paper) -> list[JsonObject]:
    """The errata of a paper, demonstrated now."""
    from ..papers.errata import demonstrate, errata_of

    return [demonstrate(one).to_json() for one in errata_of(paper.name)]


def _print_errata(papers: Sequence[Paper], *, as_json: bool, other: bool) -> None:
    """Print the errata of papers, and nothing else of them."""
    from ..pages import reproduction

    if other:
        raise UsageError("--errata prints errata only", "it goes with --json")
    found = {one: _errata_of(one) for one in papers}
    if as_json:
        print_json([{"paper": one.name, **erratum} for one, errata in found.items() for erratum in errata])
        return
    for one, errata in found.items():
        print(f"{one.title}\n\n{reproduction.errata_as_text(errata)}")


def _page(made: Mapping[Paper, Sequence[JsonMapping]]) -> str:
    """The page of papers with their tables."""
    from ..pages import papers as pages_of_papers

    shown = [pages_of_papers.PaperPage(one.name, one.title, tables, _errata_of(one)) for one, tables in made.items()]
    return pages_of_papers.page(shown, f"modwright paper {shown[0].name if len(shown) == 1 else 'all'} --html FILE")

# SPDX-License-Identifier: Apache-2.0
"""The command paper: the tables and figures of the papers next to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError
from .common import JsonOption, note, print_json
from .comparing import write

if TYPE_CHECKING:
    from ..measurement import Row
    from ..papers import Paper, Reproduced


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
    claims: Annotated[
        bool, typer.Option("--claims", help="Only claims of the paper, each with its verdict and our figures.")
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
      modwright paper inversion --claims
    """
    from ..base.store import check_writable
    from ..papers import find_paper

    other = fresh or csv is not None or html is not None
    if not name:
        if other or errata or claims or as_json:
            raise UsageError("no paper is named, and the options are for one", "modwright paper all, or a name")
        _print_names()
        return
    chosen = find_paper(name)
    if errata or claims:
        _check_alone("errata" if errata else "claims", other=other or (errata and claims))
        (_print_errata if errata else _print_claims)(chosen, as_json=as_json)
        return
    check_writable(csv, html)
    _print_figures(name, chosen, fresh=fresh, csv=csv, html=html, as_json=as_json)


def _check_alone(option: str, *, other: bool) -> None:
    """Refuse an option that prints one thing next to others."""
    if other:
        raise UsageError(
            f"--{option} prints {option} only, and takes no other option but --json", "leave the others out"
        )


def _print_figures(
    name: str, chosen: Sequence[Paper], *, fresh: bool, csv: Path | None, html: Path | None, as_json: bool
) -> None:
    """Print the tables of papers, which the command's argument names, next to our figures, and write files of them."""
    from ..base.store import default_store
    from ..pages import reproduction
    from ..papers import known_rows, reproduce

    store = default_store()
    rows = known_rows(store)
    made = {paper: reproduce(paper, store, rows=rows, fresh=fresh, progress=note) for paper in chosen}
    tables = [table.to_json() for of_paper in made.values() for table in of_paper]
    if csv is not None:
        write(csv, reproduction.as_csv(tables))
    if html is not None:
        write(html, _page(name, made, known_rows(store) if fresh else rows))
    if as_json:
        print_json(tables)
    else:
        print(reproduction.as_text(tables), end="")
        print(f"\nclaims, each with its verdict and command: modwright paper {name} --claims")
        print(f"errors of the paper, each with cases: modwright paper {name} --errata")


def _print_names() -> None:
    """Print every paper with its tables."""
    from ..papers import PAPERS

    for paper in PAPERS.values():
        print(f"{paper.name:<22}{paper.title}: {', '.join(paper.tables)}")


def _page(name: str, made: Mapping[Paper, list[Reproduced]], rows: Sequence[Row]) -> str:
    """One page with the claims, tables and errata of papers, which the command's argument names."""
    from ..pages.papers import PaperPage, page
    from ..papers.claims import judged_of
    from ..papers.errata import demonstrated_of
    from ..papers.pictures import pictures_of

    sheets = []
    for paper, tables in made.items():
        errata = demonstrated_of(paper.name)
        documents = [table.to_json() for table in tables]
        claims = judged_of(paper.name, tables, rows, errata)
        sheets.append(PaperPage(paper.name, paper.title, documents, errata, claims, pictures_of(tables)))
    return page(sheets, f"modwright paper {name} --html FILE")


def _print_claims(papers: Sequence[Paper], *, as_json: bool) -> None:
    """Print the claims of papers, judged now, and nothing else of them."""
    from ..base.store import default_store
    from ..pages import reproduction
    from ..papers import known_rows, reproduce
    from ..papers.claims import judged_of
    from ..papers.errata import demonstrated_of

    store = default_store()
    rows = known_rows(store)
    judged = {
        paper: judged_of(paper.name, reproduce(paper, store, rows=rows), rows, demonstrated_of(paper.name))
        for paper in papers
    }
    if as_json:
        print_json([{"paper": paper.name, **asdict(claim)} for paper, claims in judged.items() for claim in claims])
        return
    for paper, claims in judged.items():
        print(f"{paper.title}\n\n{reproduction.claims_as_text(claims)}")


def _print_errata(papers: Sequence[Paper], *, as_json: bool) -> None:
    """Print the errata of papers, demonstrated now, and nothing else of them."""
    from ..pages import reproduction
    from ..papers.errata import demonstrated_of

    found = {paper: demonstrated_of(paper.name) for paper in papers}
    if as_json:
        every = [(paper, erratum) for paper, errata in found.items() for erratum in errata]
        print_json([{"paper": paper.name, **asdict(erratum), "shown": erratum.shown} for paper, erratum in every])
        return
    for paper, errata in found.items():
        print(f"{paper.title}\n\n{reproduction.errata_as_text(errata)}")

# SPDX-License-Identifier: Apache-2.0
"""The command paper: the tables and figures of the papers again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import JsonOption, note, print_json
from .comparing import write


def paper(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A paper, or all; without it, the papers.")] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure every core again; takes hours; an interrupted run resumes.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every figure as CSV.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the tables of a paper next to our figures.

    For every figure: the paper's, ours, and the ratio. Devices and tools differ, so a ratio compares those as well.
    What cannot be measured here says why, and what is wrong in the paper stands below its table.

    Examples:
      modwright paper sum-of-residues
      modwright paper all --csv papers.csv
    """
    from ..base.store import check_writable, default_store
    from ..pages import reproduction
    from ..papers import PAPERS, find_paper, reproduce

    if not name:
        for one in PAPERS.values():
            print(f"{one.name:<22}{one.title}: {', '.join(one.tables)}")
        return
    check_writable(csv)
    store = default_store()
    tables = [
        table.to_json() for one in find_paper(name) for table in reproduce(one, store, fresh=fresh, progress=note)
    ]
    if csv is not None:
        write(csv, reproduction.as_csv(tables))
    if as_json:
        print_json(tables)
    else:
        print(reproduction.as_text(tables), end="")

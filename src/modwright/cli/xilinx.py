# SPDX-License-Identifier: Apache-2.0
"""The commands vivado export and vivado import: a core as a Vivado project, and Vivado's reports of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .common import ForceOption, JsonOption, finite, note
from .groups import Command, Group, LongCommand, grouped
from .placing import FrequencyOption
from .selection import XilinxSelection
from .synthesis import show_figures

HELP = """Write a core as a Vivado project, and read Vivado's reports.

Example:
  modwright vivado export modmul/r64 -f secp256k1 -t xc7 -o project
"""

app = typer.Typer(cls=Group, help=HELP, no_args_is_help=True, rich_markup_mode=None)


@app.command("export", cls=LongCommand)
@grouped
def export_project(
    selection: XilinxSelection,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to make.")],
    part: Annotated[
        str | None, typer.Option("--part", metavar="NAME", help="Xilinx part.  [default: one of the family]")
    ] = None,
    freq: Annotated[
        float | None,
        typer.Option("--freq", callback=finite, min=1, metavar="MHZ", help="Target clock.  [default: 150]"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a core as a Vivado project.

    The folder has Verilog, a clock constraint and a script, for targets xc7 and xcup.
    `vivado -mode batch -source run.tcl` in the folder writes the reports that `modwright vivado import` reads.

    Example:
      modwright vivado export modmul/r64 -f secp256k1 -t xc7 -o project
    """
    from ..measurement import export_project as export
    from ..synthesize import FREQUENCY_MHZ

    prepared, target = selection.prepare_for_family()
    frequency = FREQUENCY_MHZ if freq is None else freq
    for path in export(prepared, output, target=target, part=part, frequency=frequency, force=force):
        print(path)
    note(f"run `vivado -mode batch -source run.tcl` there, then `modwright vivado import {output}`")


@app.command("import", cls=Command)
@grouped
def import_reports(
    project: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a project in which Vivado was run.")],
    freq: FrequencyOption = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write them as a record to contribute, with date and digests."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read area and clock rate from Vivado's reports in a project.

    Example:
      modwright vivado import project --json
    """
    from ..measurement import imported_figures

    if record is not None:
        _write_contribution(project, record)
    show_figures(imported_figures(project), as_json, freq)


def _write_contribution(project: Path, path: Path) -> None:
    from ..base.store import whole_file
    from ..measurement import contribution

    found = json.dumps(contribution(project), indent=1, sort_keys=True, ensure_ascii=False)
    with whole_file(path) as partial:
        partial.write_text(f"{found}\n", encoding="utf-8")
    note(f"wrote {path}")

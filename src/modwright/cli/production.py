# SPDX-License-Identifier: Apache-2.0
"""Commands that write folders: generate, build."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import (
    ForceOption,
    check_different,
    note,
    prepare_selected,
)
from .groups import grouped
from .placing import FloorplanOption, RouterOption, WeightOption
from .selection import PackageSelection, Selection
from .trials import BuildOperands

if TYPE_CHECKING:
    from rich.progress import Progress


@grouped
def generate(
    selection: PackageSelection,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to make.")],
    theorem: Annotated[
        bool, typer.Option("--theorem", help="Add the log of the theorem and its checker; it has to be proved first.")
    ] = False,
    wiring: Annotated[
        list[str] | None,
        typer.Option(
            "--wiring",
            "-W",
            metavar="NAME",
            help="axi-names: ACLK and ARESETn on AXI; core-clock: a clock for registers and core alone. Repeatable.",
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write the package of a core: everything that a design needs.

    Verilog with a port for each field; wrappers for AXI4-Lite, APB4, TileLink-UL, Wishbone and AXI4-Stream; register
    descriptions for many tools; drivers, golden vectors, test benches in Verilog and for cocotb; constraints and
    scripts; the request, the certificate with its checker, and a datasheet. README.md in the package says what each
    file is.

    The same request gives the same bytes. If the command fails, no folder is left behind.

    Examples:
      modwright generate modmul/sor-1m-p --field secp256k1 -o out
      modwright generate ecpm/ladder -c P-256 -W axi-names -W core-clock -o out
      modwright generate modmul/blakley -m 13 -t gowin -o out
    """
    from ..base.store import digest_of
    from ..bus import ONE_CLOCK, Wiring
    from ..deliver import Delivery, check_folder, package_files, write_folder

    check_different(wiring or (), "--wiring")
    delivery = Delivery(Wiring.of(wiring or ()), gowin=selection.for_gowin)
    found, request = selection.select()
    check_folder(output, force=force)
    prepared = prepare_selected(found, request)
    note(f"writing the package of {prepared.top}")
    if delivery.wiring.core_clock:
        note(ONE_CLOCK)
    files = package_files(prepared, delivery, theorem=theorem)
    digest = digest_of(prepared.digest, *delivery.words) if delivery.words else prepared.digest
    write_folder(output, files, digest, force=force)
    print(output / f"{prepared.top}.v")


@grouped
def build(
    selection: Selection,
    operands: BuildOperands,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="[default: build/<core>-<field>]"),
    ] = None,
    place: Annotated[
        bool, typer.Option("--place", help="Place and route the whole core, not only one channel.")
    ] = False,
    router: RouterOption = None,
    floorplan: FloorplanOption = None,
    timing_weight: WeightOption = None,
    force: ForceOption = False,
) -> None:
    """Derive, generate, simulate, prove and measure one core.

    The result is a folder with the Verilog and a datasheet of all the evidence. An interrupted build resumes, and
    nothing is done twice.

    Examples:
      modwright build examples/secp256k1-sor.yaml
      modwright build modmul/sor-1m-p --field secp256k1 --random 20000
      modwright build modmul/blakley -m 13 --random 100
    """
    from ..pages import summary
    from ..pipeline import build as build_request
    from ..pipeline import default_folder

    found, request = selection.select()
    folder = output or default_folder(request)
    plan = operands.plan(place=place, router=router, floorplan=floorplan, timing_weight=timing_weight)
    with _stages() as stage:
        built = build_request(found, request, plan, folder, stage, force=force)
    print(summary(built.report), end="")
    print(f"{'Built' if built.fresh else 'Nothing changed since this was built'}: open {folder / 'datasheet.html'}")


@contextmanager
def _stages() -> Iterator[_Stages]:
    """Progress on stderr: a bar on a terminal, else one line a stage."""
    if not sys.stderr.isatty():
        yield _Stages(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Stages(bar)


class _Stages:
    """Called with the name of a stage; each prints its seconds when it ends."""

    def __init__(self, bar: Progress | None) -> None:
        self.bar = bar

    def __call__(self, name: str) -> AbstractContextManager[None]:
        return self._run(name)

    @contextmanager
    def _run(self, name: str) -> Iterator[None]:
        task = self.bar.add_task(name, total=None) if self.bar else None
        start = time.monotonic()
        yield
        line = f"{name}: {time.monotonic() - start:.1f} s"
        if self.bar and task is not None:
            self.bar.remove_task(task)
            self.bar.console.print(line, highlight=False)
        else:
            note(line)

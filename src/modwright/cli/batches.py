# SPDX-License-Identifier: Apache-2.0
"""Options of work on a cluster's batch system, and the command worker."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..base.errors import UsageError
from ..base.words import counted
from .common import MOST_PROCESSES, note

if TYPE_CHECKING:
    from ..base.store import Store
    from ..prepared.batch import Queue, Run


_ARRAY = 20
"""Workers of an array job where no number is given."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Work on a cluster's batch system."""

    heading: ClassVar = "Batch system"

    submit: Annotated[
        Path | None,
        typer.Option("--submit", metavar="DIR", help="Write what is missing, with scripts for Slurm and LSF."),
    ] = None
    collect: Annotated[
        Path | None, typer.Option("--collect", metavar="DIR", help="Read the results from a folder of --submit first.")
    ] = None
    array: Annotated[
        int | None,
        typer.Option(
            "--array", min=1, max=MOST_PROCESSES, metavar="N", help=f"Workers of the array job.  [default: {_ARRAY}]"
        ),
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the points, hours and memory of what is missing.")
    ] = False

    def queue(self, *named: object) -> Queue | None:
        """Queue for points that are not to be done here; None without `--submit` and `--dry-run`. For options about
        results see `check_results`."""
        from ..base import farm
        from ..prepared.batch import Queue

        self.check_results(*named)
        if self.submit is not None and self.dry_run:
            raise UsageError("--dry-run submits nothing", "one of --submit and --dry-run")
        if self.submit is None and not self.dry_run:
            if self.array is not None:
                raise UsageError("--array has no effect alone", "add --submit")
            return None
        if self.submit is not None:
            farm.check_new(self.submit)
        return Queue(self.submit or Path(), self.array or _ARRAY, self.dry_run, note)

    def check_results(self, *named: object) -> None:
        """UsageError for a dry run with an option about results: a value that is neither None nor False."""
        if self.dry_run and any(value is not None and value is not False for value in named):
            raise UsageError("--dry-run has no results, to print as JSON, to write or to judge", "one of them")

    def end_dry_run(self) -> None:
        """End the command where a dry run had nothing to try: everything is stored."""
        if self.dry_run:
            note("nothing is missing")
            raise typer.Exit

    def collect_into(self, kind: str, store: Store) -> None:
        """Put the results of `--collect` into a store."""
        from ..prepared.batch import store_results

        if self.collect is not None:
            store_results(self.collect, kind, store, note)


@contextmanager
def until_submitted() -> Generator[None]:
    """End the command well where its points were submitted."""
    from ..prepared.batch import SubmittedError

    try:
        yield
    except SubmittedError:
        raise typer.Exit from None


def worker(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that --submit wrote.")],
) -> None:
    """Work on the points of a folder that --submit wrote.

    Any number of workers share a folder. A worker ends when every point is done, or taken by another worker. When a
    worker is killed, only its current point is lost, and another worker does that point again.

    Example:
      modwright worker sweep
    """
    from ..base import farm
    from ..prepared.batch import check

    kind = str(farm.read_plan(folder).get("kind"))
    run = _run_of(kind, folder)
    check(folder, kind)
    note(f"{folder}: {counted(farm.Worker(folder, run).work(), 'point')} done here")


def _run_of(kind: str, folder: Path) -> Run:
    """The function of a kind of points."""
    from ..explore import batch as explorations
    from ..explore.worker import run as explore
    from ..measurement import seeds
    from ..mutate import batch as mutants
    from ..statistics import batch as counts

    runs: dict[str, Run] = {
        explorations.KIND: explore,
        counts.KIND: counts.run_point,
        mutants.KIND: mutants.run_point,
        seeds.KIND: seeds.run_point,
    }
    if kind not in runs:
        raise UsageError(f"{folder} has points of an unknown kind: {kind}")
    return runs[kind]

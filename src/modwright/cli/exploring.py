# SPDX-License-Identifier: Apache-2.0
"""The command explore: a sweep over architectures and their parameters."""

from __future__ import annotations

import csv as csv_format
import io
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..base.errors import ToolMissingError, UsageError
from ..base.json import JsonMapping, JsonObject
from ..base.words import counted
from .batches import Batch
from .common import (
    MOST_PROCESSES,
    JsonOption,
    SchedulerOption,
    check_different,
    check_processes,
    finite,
    note,
    print_json,
)
from .comparing import write
from .groups import grouped
from .placing import PlaceOption, Placer
from .selection import WorkSelection

if TYPE_CHECKING:
    from ..base.store import Store
    from ..compare import Work
    from ..explore import Constraints, Database, Point, Study
    from ..explore.executors import Executor
    from ..pages.exploration import Exploration


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Architectures and options that are swept over."""

    heading: ClassVar = "Sweep"

    architecture: Annotated[
        list[str] | None, typer.Option("--architecture", metavar="NAME", help="Only this architecture; repeatable.")
    ] = None
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep", metavar="NAME=V,V", help="Values of an option, in place of the default ones; repeatable."
        ),
    ] = None
    most: Annotated[int, typer.Option("--points", min=1, metavar="N", help="Points at most.")] = 200
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", callback=finite, min=0, metavar="X", help="How clearly a point must be beaten to be left out."
        ),
    ] = None

    def points(self, work: Work) -> Sequence[Point]:
        """The points of the sweep."""
        from ..explore import points, read_sweep

        check_different(self.architecture or (), "--architecture")
        return points(work, read_sweep(self.sweep or ()), self.architecture or (), self.most)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a point: the most that it may cost, the least that it has to reach."""

    heading: ClassVar = "Limits"

    max_dsp: Annotated[int | None, typer.Option("--max-dsp", min=0, metavar="N", help="DSP blocks at most.")] = None
    max_lut: Annotated[int | None, typer.Option("--max-lut", min=1, metavar="N", help="LUTs at most.")] = None
    min_fmax: Annotated[
        float | None,
        typer.Option("--min-fmax", callback=finite, min=1, metavar="MHZ", help="Least clock rate; needs --place."),
    ] = None

    def constraints(self, constant_latency: bool) -> Constraints:
        """Constraints of a study."""
        from ..explore import Constraints

        return Constraints(self.max_dsp, self.max_lut, self.min_fmax, constant_latency)


@dataclass(frozen=True, kw_only=True)
class PointPlacer(Placer):
    """Options of place and route of points."""

    place: PlaceOption = False


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Processes that do the work, and the file with its results."""

    heading: ClassVar = "Work and results"

    database: Annotated[
        Path | None, typer.Option("--database", metavar="FILE", help="SQLite file.  [default: one in the store]")
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, max=MOST_PROCESSES, metavar="N", help="Processes.  [default: one for each processor]"
        ),
    ] = None
    scheduler: SchedulerOption = None

    def run(self, study: Study, store: Store, batch: Batch) -> list[JsonObject] | None:
        """The results of a study, as JSON; None where points were submitted."""
        from ..explore import explore as run
        from ..explore.batch import Submit, collect
        from ..prepared.batch import SubmittedError

        results = self._database(store)
        queue = batch.queue()
        executor = _executor(self.scheduler, self.jobs) if queue is None else Submit(queue)
        try:
            if batch.collect is not None:
                state = collect(batch.collect, results)
                note(f"{batch.collect}: {state.done} of {state.points} points, {state.taken} with a worker")
            return [result.to_json() for result in run(study, results, executor, store, note)]
        except SubmittedError:
            return None
        finally:
            executor.close()
            results.close()

    def _database(self, store: Store) -> Database:
        from ..explore import Database

        return Database(self.database) if self.database else Database.of_store(store.root / "explore.sqlite")


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Files and rows that are written."""

    heading: ClassVar = "Files"

    everything: Annotated[bool, typer.Option("--all", help="Print the points that were left out, too.")] = False
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write every point as CSV.")] = None
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="Write every point as Parquet (extra 'explore').")
    ] = None

    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the plot of time and LUTs with its front.")
    ] = None

    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network, with filters.")
    ] = None

    def check(self, database: Path | None) -> None:
        """Refuse a file that cannot be written, or is the one of the results, before the work."""
        from ..base.store import check_writable

        if self.parquet is not None:
            _pyarrow()
        check_writable(*self.files, database)

    @property
    def files(self) -> tuple[Path | None, ...]:
        """Files that are requested."""
        return self.csv, self.parquet, self.svg, self.html

    def write(self, shown: Exploration) -> None:
        """Write each requested file."""
        if self.csv is not None:
            write(self.csv, _csv(shown.points))
        if self.svg is not None:
            write(self.svg, shown.plot())
        if self.html is not None:
            command = shlex.join(["modwright", *sys.argv[1:]])
            write(self.html, shown.page(command))
        if self.parquet is not None:
            _write_parquet(self.parquet, shown.points)


@grouped
def explore(
    selection: WorkSelection,
    sweep: Sweep,
    limits: Limits,
    placer: PointPlacer,
    workers: Workers,
    batch: Batch,
    tables: Tables,
    as_json: JsonOption = False,
) -> None:
    """Sweep over architectures and options; synthesise the best.

    Every point is estimated from its schedule and its operators. Points that no other point clearly beats in time, LUTs
    and blocks are synthesised, and with --place placed. Estimated and measured figures have columns of their own.
    Results are stored: an interrupted sweep resumes, and two sweeps may share a database.

    On a batch system, --submit writes the points of the next stage into a shared folder, with scripts for array jobs of
    Slurm and LSF; when they are done, the same command with --collect reads the results.

    Examples:
      modwright explore --function modmul --modulus 13 --points 1
      modwright explore --function modmul --field secp256k1 --max-dsp 64
      modwright explore --function modmul --bits 256 --place --html points.html
    """
    from ..base.store import default_store
    from ..explore import Study
    from ..explore.study import MARGIN
    from ..pages.exploration import Exploration

    work = selection.work()
    _check(work, placer, limits.min_fmax)
    tables.check(workers.database)
    batch.check_results(as_json, *tables.files)
    points, constraints = sweep.points(work), limits.constraints(selection.constant_latency)
    margin = MARGIN if sweep.margin is None else sweep.margin
    study = Study(work, points, constraints, placer.place, placer.settings(), margin)
    note(f"{work.title}: {counted(len(study.points), 'point')}")
    found = workers.run(study, default_store(), batch)
    if found is None:
        return
    batch.end_dry_run()
    shown = Exploration(found, work.title, placer.place)
    tables.write(shown)
    if as_json:
        print_json({"format": "modwright-exploration/1", "work": work.title, "placed": placer.place, "points": found})
    else:
        print(shown.text(tables.everything), end="")


def _check(work: Work, placer: PointPlacer, min_fmax: float | None) -> None:
    """UsageError for a target that cannot be explored, or placed."""
    from ..synthesize import PLACED

    if work.target == "asic":
        raise UsageError("explore compares LUTs and blocks, and the target is asic", f"--target {PLACED[0]}")
    if placer.place and work.target not in PLACED:
        raise UsageError(f"target {work.target} has no place and route", f"--target {' or '.join(PLACED)}")
    if min_fmax is not None and not placer.place:
        raise UsageError("--min-fmax is checked after place and route", "add --place")
    if (alone := placer.given()) and not placer.place:
        raise UsageError(f"--{alone[0]} has no effect alone", "add --place")


def _executor(scheduler: str | None, jobs: int | None) -> Executor:
    from ..explore.executors import Cluster, Processes

    check_processes(jobs, scheduler, "--jobs")
    return Processes(jobs) if scheduler is None else Cluster(scheduler)


def _flat(point: JsonMapping) -> JsonObject:
    """A point with its options as one text, for a table with fixed columns."""
    options = " ".join(f"{name}={value}" for name, value in point["options"].items())
    return {**point, "options": options}


def _csv(points: Sequence[JsonMapping]) -> str:
    text = io.StringIO()
    rows = [_flat(point) for point in points]
    writer = csv_format.DictWriter(text, list(rows[0]) if rows else ["architecture"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ToolMissingError(
            "Parquet is written by pyarrow, which is not installed", "pip install pyarrow"
        ) from error
    return pyarrow


def _write_parquet(path: Path, points: Sequence[JsonMapping]) -> None:
    """Write a file whole or not at all."""
    from ..base.store import whole_file

    arrow = _pyarrow()
    with whole_file(path) as partial:
        arrow.parquet.write_table(arrow.Table.from_pylist([_flat(point) for point in points]), partial)
    note(f"wrote {path}")

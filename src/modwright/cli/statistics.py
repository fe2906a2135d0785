# SPDX-License-Identifier: Apache-2.0
"""The command campaign: counts over random operands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError
from ..base.json import JsonObject
from ..base.remaining import remaining
from ..base.words import counted
from .batches import Batch, until_submitted
from .common import (
    ForceOption,
    JsonOption,
    SchedulerOption,
    WorkersOption,
    check_processes,
    note,
    print_json,
    table,
)
from .groups import grouped
from .selection import UntargetedSelection
from .trials import Seeded

if TYPE_CHECKING:
    from ..statistics.sampling import Sample

_MOST = 10**10
"""Operands of one campaign; at a million a second, three hours."""
_QUIET_SECONDS = 5.0
"""Between two lines of progress where there is no terminal."""


@grouped
def campaign(
    selection: UntargetedSelection,
    batch: Batch,
    operands: Seeded,
    samples: Annotated[int, typer.Option("--samples", "-n", min=1, max=_MOST, metavar="N", help="Random operands.")],
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="A folder for the record and a histogram.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Sample the quantity that the cycles of a core depend on.

    The model counts it over random operands; theory and the papers' figures stand next to it. Counts are stored, so an
    interrupted campaign resumes. Exit code 1 when the sample contradicts the exact distribution.

    On a batch system, --submit writes what is missing into a shared folder, with scripts for array jobs of Slurm and
    LSF; when they are done, the same command with --collect reads the counts.

    Examples:
      modwright campaign modmul/vlm3 --option bits=64 --samples 1000
      modwright campaign modmul/vlm3 -O bits=1024 -n 1000000000 --dry-run
    """
    from ..deliver import check_folder
    from ..statistics.batch import KIND, submit
    from ..statistics.sampling import sample

    check_processes(workers, scheduler)
    if force and output is None:
        raise UsageError("--force has no effect alone", "add --output")
    queue = batch.queue(output, as_json)
    prepared = selection.prepare()
    batch.collect_into(KIND, prepared.store)
    more = {} if queue is None else {"elsewhere": lambda missing: submit(prepared, missing, queue)}
    if output is not None:
        check_folder(output, force=force)
    with until_submitted(), progress(f"{prepared.core.name}: operands counted", samples) as counted:
        found = sample(prepared, samples, operands.seed, workers=workers, scheduler=scheduler, progress=counted, **more)
    batch.end_dry_run()
    record = found.to_json(prepared.request)
    if output is not None:
        _write(output, found, record, force)
    if as_json:
        print_json(record)
    else:
        _print(prepared.core.name, record)
    found.check()


def _write(folder: Path, statistic: Sample, record: JsonObject, force: bool) -> None:
    from ..base.store import digest_of
    from ..deliver import json_text, write_folder
    from ..draw.histogram import histogram

    name = f"{record['request']['core']}: {record['statistic']}"
    marks = [("measured mean", float(statistic.distribution.mean))]
    marks += [(f"paper: {where}", float(mean)) for where, mean in statistic.statistic.published]
    files = {
        "statistics.json": json_text(record),
        "histogram.svg": histogram(
            statistic.histogram, f"{name}, {counted(record['samples'], 'sample')}", statistic.statistic.operands, marks
        ),
    }
    write_folder(folder, files, digest_of(record), force=force)


def _print(core: str, record: JsonObject) -> None:
    samples = counted(record["samples"], "sample")
    print(f"{core}: {record['statistic']}, {record['operands']}; {samples}, seed {record['seed']}")
    columns = ("mean", "deviation", "least", "most")
    rows = [("measured", *(_figure(record["measured"][name]) for name in columns))]
    if record["exact"] is not None:
        rows.append(("exact", *(_figure(record["exact"][name]) for name in columns)))
    rows += _published(record)
    for other in record["also"]:
        rows.append((other["statistic"], *(_figure(other["measured"][name]) for name in columns)))
        rows += _published(other)
    table(("", "mean", "standard deviation", "least", "most"), rows, right=(1, 2, 3, 4))
    if record["standard_errors"] is not None:
        print(f"The measured mean is {record['standard_errors']:+.2f} standard errors from the exact one.")


def _published(record: JsonObject) -> list[tuple[str, ...]]:
    return [(f"paper: {row['source']}", _figure(row["mean"]), "", "", "") for row in record["published"]]


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.2f}"


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Progress display, called with the number done: a bar on a terminal, else a line every few seconds."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda done: bar.update(task, completed=done)
        return
    start = shown = time.monotonic()

    def show(done: int) -> None:
        nonlocal shown
        if time.monotonic() - shown >= _QUIET_SECONDS:
            shown = time.monotonic()
            note(f"{label}: {done} of {total}{remaining(shown - start, done, total)}")

    yield show

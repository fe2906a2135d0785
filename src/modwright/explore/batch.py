# SPDX-License-Identifier: Apache-2.0
"""Explorations on a batch system: the points of a stage in a folder, and scripts for array jobs of Slurm and LSF."""

from __future__ import annotations

import resource
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import farm
from ..base.errors import UsageError
from ..base.store import source_digest
from .database import Database
from .worker import run

KIND = "explore"
_Task = tuple[str, str, Mapping[str, object], str, Mapping[str, object]]
CHUNKS_A_WORKER = 8
"""Chunks for each worker, so that workers end at about one time and hardly ever look for a chunk."""
SAMPLES = 2
"""Points that a dry run tries."""
_KIB = 1024


class SubmittedError(Exception):
    """Signal that the tasks of a stage were written, and not run."""


@dataclass(frozen=True)
class Cost:
    """The cost of some points here: seconds of one, bytes of the largest process."""

    seconds: float
    memory: int


@dataclass
class Submit:
    """Executor that writes the tasks into a folder, or only says what they are going to take.

    Parameters
    ----------
    folder : Path
    workers : int
        Tasks of the array.
    dry : bool
        Try some points, and write nothing.
    say : callable
    """

    folder: Path
    workers: int
    dry: bool
    say: Callable[[str], None]
    batch: int = 1 << 30

    def results(self, tasks: Sequence[_Task], beat: Callable[[], None]) -> Iterator[tuple[str, farm.Result]]:
        """See `Executor`: no result comes; what is done by a dry run is not wasted."""
        stage, points = tasks[0][1], len(tasks)
        cost = Cost(0, 0)
        if self.dry:
            spread = [tasks[n * points // SAMPLES] for n in range(min(SAMPLES, points))]
            start = time.monotonic()
            for task in spread:
                yield task[0], run(*task[1:])
            cost = Cost((time.monotonic() - start) / len(spread), _peak())
            hours = cost.seconds * points / 3600
            self.say(
                f"{stage}: {points} points, about {hours:.2f} hours of one processor, {hours / self.workers:.2f} on "
                f"{self.workers} workers, {cost.memory / 2**20:.0f} MiB each (by {len(spread)} points tried here)"
            )
            raise SubmittedError
        rows = [farm.Point(task[0], task[1:]) for task in tasks]
        chunk = max(1, points // (CHUNKS_A_WORKER * self.workers))
        plan = {"kind": KIND, "stage": stage, "source": source_digest()}
        chunks = farm.submit(self.folder, plan, rows, chunk, scripts(self.folder, self.workers))
        self.say(f"{stage}: {points} points in {chunks} chunks in {self.folder}: sbatch {self.folder}/slurm.sh, or")
        self.say(f"bsub < {self.folder}/lsf.sh; then explore --collect {self.folder}")
        raise SubmittedError

    def close(self) -> None:
        """See `Executor`."""


def _peak() -> int:
    """Bytes of the largest process so far, this one or a tool that it ran."""
    return _KIB * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def scripts(folder: Path, workers: int) -> dict[str, str]:
    """Scripts that start the workers as an array job; the user gives time and memory on the command line."""
    where = shlex.quote(str(folder.resolve()))
    licence = "# SPDX-License-Identifier: CC0-1.0"
    work = f'exec "${{MODWRIGHT:-modwright}}" worker {where}'
    slurm = [
        "#!/bin/sh",
        licence,
        "#SBATCH --job-name=modwright",
        f"#SBATCH --array=1-{workers}",
        "#SBATCH --cpus-per-task=1",
        f"#SBATCH --output={folder.resolve()}/logs/%A_%a.log",
        work,
    ]
    lsf = [
        "#!/bin/sh",
        licence,
        f'#BSUB -J "modwright[1-{workers}]"',
        "#BSUB -n 1",
        f"#BSUB -o {folder.resolve()}/logs/%J_%I.log",
        work,
    ]
    return {"slurm.sh": "\n".join([*slurm, ""]), "lsf.sh": "\n".join([*lsf, ""])}


def check(folder: Path) -> None:
    """Refuse, by a UsageError, a folder of other work, or that of another Modwright."""
    plan = farm.read_plan(folder)
    if plan.get("kind") != KIND:
        raise UsageError(f"{folder} has work of another kind: {plan.get('kind')}")
    if plan.get("source") != source_digest():
        raise UsageError(f"{folder} was made by another Modwright", "the same version on every machine")


def work(folder: Path) -> int:
    """Do points of a folder until the others have live workers; how many were done here."""
    check(folder)
    return farm.Worker(folder, run).work()


def collect(folder: Path, database: Database) -> farm.State:
    """Put every result of a folder into a database; how far the folder is. Failures that may pass are left out."""
    check(folder)
    for key, outcome in farm.results(folder):
        if "passing" not in outcome:
            database.put(key, outcome)
    return farm.state(folder)

# SPDX-License-Identifier: Apache-2.0
"""Long work on a batch system: its points in a folder, with scripts for array jobs of Slurm and LSF.

Points of explorations have results of their own. All other work is stored by digest, so its points are functions that
leave a result in the store of the machine where they run; `carry` and `take` bring it into another one.
"""

from __future__ import annotations

import json
import resource
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base import farm
from ..base.errors import ModwrightError, UsageError
from ..base.store import Store, source_digest
from ..base.words import counted
from ..contract.request import Request
from . import Prepared, prepare
from .registry import find

Run = Callable[..., farm.Result]
"""A point's function of plain values."""
CHUNKS_A_WORKER = 8
"""Chunks for each worker, so that workers end at about the same time and rarely search for a chunk."""
SAMPLES = 2
"""Points that a dry run tries."""
_KIB = 1024


class SubmittedError(Exception):
    """Signal that points were written, or tried by a dry run, and not all done."""


@dataclass(frozen=True)
class Queue:
    """Queue of points for a folder, or of some of them for an estimate.

    Parameters
    ----------
    folder : Path
        Not used by a dry run.
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

    def put(self, kind: str, title: str, points: Sequence[farm.Point], run: Run) -> Iterator[tuple[str, farm.Result]]:
        """Submit points, and raise `SubmittedError`; a dry run yields key and result of those that it tried before.

        Parameters
        ----------
        kind : str
            By which a worker knows `run`.
        title : str
            Description of the points.
        points : sequence of farm.Point
            At least one.
        run : callable
        """
        if self.dry:
            yield from self._try(title, points, run)
            raise SubmittedError
        chunk = max(1, len(points) // (CHUNKS_A_WORKER * self.workers))
        plan = {"kind": kind, "stage": title, "source": source_digest()}
        chunks = farm.submit(self.folder, plan, points, chunk, scripts(self.folder, self.workers))
        self.say(f"{title}: {counted(len(points), 'point')} in {counted(chunks, 'chunk')} in {self.folder}")
        self.say(f"sbatch {self.folder}/slurm.sh, or bsub < {self.folder}/lsf.sh")
        self.say(f"then the same command with --collect {self.folder}")
        raise SubmittedError

    def _try(self, title: str, points: Sequence[farm.Point], run: Run) -> Iterator[tuple[str, farm.Result]]:
        number = min(SAMPLES, len(points))
        start = time.monotonic()
        for n in range(number):
            point = points[n * len(points) // number]
            yield point.key, run(*point.arguments)
        hours = (time.monotonic() - start) / number * len(points) / 3600
        tried = counted(number, "point")
        self.say(
            f"{title}: {counted(len(points), 'point')}, about {hours:.2f} hours of one processor, "
            f"{hours / self.workers:.2f} on {self.workers} workers, {_peak() / 2**20:.0f} MiB each "
            f"(by {tried} tried here)"
        )


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


def check(folder: Path, kind: str) -> None:
    """Refuse, by a UsageError, a folder of other work, or that of another Modwright."""
    plan = farm.read_plan(folder)
    if plan.get("kind") != kind:
        raise UsageError(f"{folder} has points of another kind: {plan.get('kind')}")
    if plan.get("source") != source_digest():
        raise UsageError(f"{folder} was made by another version of Modwright", "the same version on every machine")


# --- results of the store


@cache
def prepared_of(core: str, document: str) -> Prepared:
    """A core with the request of some points as JSON, prepared once in a worker."""
    found = find(core)
    return prepare(found, Request.from_mapping(found, json.loads(document)))


def words_of(prepared: Prepared) -> tuple[str, str]:
    """The core of points as `prepared_of` takes it."""
    return prepared.core.name, json.dumps(prepared.request.to_mapping())


def carry(store: Store, make: Callable[[], tuple[str, str]]) -> farm.Result:
    """The result of a point, which `make` leaves in the store under the kind and digest that it returns.

    A point that fails has its error in place of files: it fails everywhere, and would end one worker after the other.
    """
    try:
        kind, digest = make()
    except ModwrightError as error:
        return {"error": error.message}
    return {"kind": kind, "digest": digest, "files": store.files(kind, digest)}


def store_results(folder: Path, kind: str, store: Store, say: Callable[[str], None]) -> None:
    """Put every result of a folder into a store, and say what has failed or is missing: that is done here, then."""
    check(folder, kind)
    for key, outcome in farm.results(folder):
        if "error" in outcome:
            say(f"{folder}: {key}: {outcome['error']}")
        else:
            files = outcome.get("files")
            if not isinstance(files, dict) or not {"kind", "digest"} <= outcome.keys():
                raise UsageError(f"{folder} has a damaged result of {key}", "the same work in another folder")
            store.folder(str(outcome["kind"]), str(outcome["digest"]), lambda work, files=files: _write(work, files))
    state = farm.state(folder)
    say(f"{folder}: {state.done} of {state.points} points, {state.taken} with a worker")


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / Path(name).name).write_text(text, encoding="utf-8")

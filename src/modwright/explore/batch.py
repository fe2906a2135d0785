# SPDX-License-Identifier: Apache-2.0
"""Explorations on a batch system: the points of a stage in a folder, and their results in the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import farm
from ..prepared.batch import Queue, check
from .database import Database
from .worker import run

KIND = "explore"
_Task = tuple[str, str, Mapping[str, object], str, Mapping[str, object]]


@dataclass
class Submit:
    """Executor that writes the tasks into a folder, or only estimates their cost."""

    queue: Queue
    batch: int = 1 << 30

    def results(self, tasks: Sequence[_Task], beat: Callable[[], None]) -> Iterator[tuple[str, farm.Result]]:
        """See `Executor`: the only results are those of tasks that a dry run tried."""
        return self.queue.put(KIND, tasks[0][1], [farm.Point(task[0], task[1:]) for task in tasks], run)

    def close(self) -> None:
        """See `Executor`."""


def collect(folder: Path, database: Database) -> farm.State:
    """Put every result of a folder into a database; return the folder's state. Temporary failures are left out."""
    check(folder, KIND)
    for key, outcome in farm.results(folder):
        if "passing" not in outcome:
            database.put(key, outcome)
    return farm.state(folder)

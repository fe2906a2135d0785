# SPDX-License-Identifier: Apache-2.0
"""Executors of tasks: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from ..base.cluster import connect
from ..base.json import JsonMapping, JsonObject
from ..prepared.spread import end, own_group
from .worker import run

ATTEMPTS = 2
"""Attempts at a task whose worker died, or on a cluster that ended with an error; after them the task has failed."""

_BEAT_SECONDS = 2.0
"""Seconds between two calls of the caller's progress function."""

_BATCHES = 8
"""Tasks of a batch for each worker."""

Task = tuple[str, str, JsonMapping, str, JsonMapping]
"""Key, and the arguments of `worker.run`."""


class OutOfTimeError(Exception):
    """Error raised by a `beat` at the end of the time: tasks that are not done are dropped."""


class Executor(Protocol):
    """Runner of tasks that yields each result when it is complete.

    Attributes
    ----------
    batch : int
        Tasks to claim at a time: enough to keep the workers busy, and not all that another process could do.
    """

    batch: int

    def results(self, tasks: Sequence[Task], beat: Callable[[], None]) -> Iterator[tuple[str, JsonObject]]:
        """Key and result of every task, in the order in which they end; `beat` is called now and then, and an
        exception that it raises ends the work."""
        ...

    def close(self) -> None:
        """End the workers that were started here."""
        ...


class Processes:
    """Processes of this machine. One that is killed costs its task, and those that run at the time, one attempt."""

    def __init__(self, number: int | None = None) -> None:
        self.number = number or os.cpu_count() or 1
        self.batch = _BATCHES * self.number
        self._pool: ProcessPoolExecutor | None = None
        self._workers = 0

    def results(self, tasks: Sequence[Task], beat: Callable[[], None]) -> Iterator[tuple[str, JsonObject]]:
        """See `Executor`."""
        broken = []
        for task, result in self._round(tasks, beat):
            if result is None:
                broken.append(task)
            else:
                yield task[0], result
        for task in broken:  # all that run with a worker end when it dies: each is then tried with no other
            tries = (result for _ in range(ATTEMPTS - 1) for _, result in self._round([task], beat))
            found = next((result for result in tries if result is not None), None)
            message = f"its worker died {ATTEMPTS} times: out of memory, or killed"
            yield task[0], {"error": message, "passing": True} if found is None else found

    def _round(self, tasks: Sequence[Task], beat: Callable[[], None]) -> Iterator[tuple[Task, JsonObject | None]]:
        """Every task once; None for those whose pool broke. When this process is to end, or there is no more time, the
        workers and their tools end first."""
        try:
            yield from self._tried(tasks, beat)
        except (KeyboardInterrupt, OutOfTimeError):
            for worker in multiprocessing.active_children():
                end(worker)
            self._drop()
            raise

    def _tried(self, tasks: Sequence[Task], beat: Callable[[], None]) -> Iterator[tuple[Task, JsonObject | None]]:
        pool = self._started(len(tasks))
        open_ones: dict[Future[JsonObject], Task] = {}
        waiting = list(tasks)
        while open_ones or waiting:
            while waiting and len(open_ones) < self.number:
                task = waiting.pop(0)
                try:
                    open_ones[pool.submit(run, *task[1:])] = task
                except BrokenProcessPool:
                    yield task, None
                    pool = self._started(len(waiting) + 1)
            done, _ = wait(open_ones, timeout=_BEAT_SECONDS, return_when=FIRST_COMPLETED)
            beat()
            for future in done:
                task = open_ones.pop(future)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    yield task, None
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done if not future.cancelled()):
                self._drop()
                pool = self._started(len(waiting) + 1)

    def _started(self, tasks: int) -> ProcessPoolExecutor:
        """A pool with a worker for each of some tasks, at most `number`; the one that is there where it has as many."""
        number = min(self.number, max(tasks, 1))
        if self._pool is not None and self._workers < number:
            self._drop()
        if self._pool is None or getattr(self._pool, "_broken", False):
            # Fresh interpreters: a copy of this one would share its SQLite connection.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(number, mp_context=context, initializer=own_group)
            self._workers = number
        return self._pool

    def _drop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def close(self) -> None:
        """See `Executor`."""
        self._drop()


class Cluster:
    """The workers behind a Dask scheduler, which must run the same version of Modwright.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as tcp://10.0.0.1:8786.

    Raises
    ------
    ToolMissingError
        When Dask is not installed.
    UsageError
        When no scheduler answers at the address, or one of its workers has another version of Modwright.
    """

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        import distributed

        self._distributed: Any = distributed
        self.batch = _BATCHES * max(1, sum(self._client.nthreads().values()))

    def results(self, tasks: Sequence[Task], beat: Callable[[], None]) -> Iterator[tuple[str, JsonObject]]:
        """See `Executor`. Tasks of a worker that is lost run on another one."""
        open_ones = {
            self._client.submit(run, *task[1:], key=f"modwright-{task[0]}", retries=ATTEMPTS - 1, pure=True): task[0]
            for task in tasks
        }
        while open_ones:
            try:
                with self._client.as_current():
                    done = self._distributed.wait(
                        list(open_ones), timeout=_BEAT_SECONDS, return_when="FIRST_COMPLETED"
                    ).done
            except TimeoutError:
                done = []
            beat()
            for future in done:
                key = open_ones.pop(future)
                error = future.exception()
                if error is not None:
                    yield key, {"error": f"{type(error).__name__}: {error}", "passing": True}
                else:
                    yield key, future.result()

    def close(self) -> None:
        """See `Executor`; the cluster stays."""
        self._client.close()

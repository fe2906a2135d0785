# SPDX-License-Identifier: Apache-2.0
"""Long work in chunks: on the processes of this machine, or on the workers of a Dask cluster."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from ..base.cluster import check_address, connect
from ..base.errors import ToolFailedError
from ..base.store import default_store, remove_unfinished
from . import Prepared

Chunk = TypeVar("Chunk")

Result = TypeVar("Result")

Job = Callable[[str, str, Chunk], Result]
"""A function of a module: the name of a core, its request as JSON, and a chunk. Functions within functions do not
travel between processes, so each process derives the core for itself."""


@dataclass(frozen=True)
class Stored(Generic[Chunk]):
    """Place of results in the store.

    Parameters
    ----------
    kind : str
    key : callable
        Digest of what the result of a chunk is made from.
    """

    kind: str
    key: Callable[[Prepared, Chunk], str]


_TRIES = 3
"""How often a chunk is tried that ends with an error."""


def spread(
    prepared: Prepared,
    chunks: Sequence[Chunk],
    work: Job[Chunk, Result],
    here: Callable[[Chunk], Result],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[Chunk, Result]]:
    """Each chunk with its result, in the order in which they are ready.

    Parameters
    ----------
    prepared : Prepared
        Core of the work.
    chunks : sequence
    work : callable
        Function that another process runs.
    here : callable
        The same in this process, for one worker or one chunk.
    workers : int, optional
        Processes; as many as this one may use processors when not given.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers do it instead; they have to have the same Modwright.

    Raises
    ------
    UsageError
        When no scheduler answers, or a worker has another Modwright.
    ToolMissingError
        When a scheduler is named and Dask is not installed.
    ToolFailedError
        When a process of this machine ends in its work.
    """
    words = (prepared.core.name, json.dumps(prepared.request.to_mapping()))
    workers = workers or len(os.sched_getaffinity(0))
    if scheduler is not None:
        check_address(scheduler)  # also where everything is kept and nothing is left to do
        yield from _on_cluster(words, chunks, work, scheduler)
    elif workers == 1 or len(chunks) < 2:
        for chunk in chunks:
            yield chunk, here(chunk)
    else:
        yield from _on_processes(words, chunks, work, workers)


def spread_missing(
    prepared: Prepared,
    chunks: Sequence[Chunk],
    stored: Stored[Chunk],
    work: Job[Chunk, Result],
    here: Callable[[Chunk], Result],
    *,
    elsewhere: Callable[[Sequence[Chunk]], None],
    workers: int | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[Chunk, Result]]:
    """Each chunk with its result: first those that the store has, then the others, which it has from then on.

    Parameters
    ----------
    prepared, chunks, work, here, workers, scheduler
        Arguments of `spread`.
    stored : Stored
        Where results are.
    elsewhere : callable
        Called with the chunks that are not stored; it may raise, to have them done elsewhere.
    """
    missing: list[Chunk] = []
    for chunk in chunks:
        found = prepared.store.peek(stored.kind, stored.key(prepared, chunk))
        if found is None:
            missing.append(chunk)
        else:
            yield chunk, found
    elsewhere(missing)
    for chunk, result in spread(prepared, missing, work, here, workers=workers, scheduler=scheduler):
        yield chunk, prepared.store.json(stored.kind, stored.key(prepared, chunk), lambda result=result: result)


def _on_processes(
    words: tuple[str, str], chunks: Sequence[Chunk], work: Job[Chunk, Result], workers: int
) -> Iterator[tuple[Chunk, Result]]:
    # A new process each, not a copy of this one: copies of a process with threads can hang.
    pool, started = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker), active_children()
    try:
        waiting = {pool.submit(work, *words, chunk): chunk for chunk in chunks}
        started = active_children()
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except KeyboardInterrupt:
        for worker in active_children():
            end(worker)
        raise
    except BrokenProcessPool:
        for worker in started:  # the pool has ended the others, and not their tools
            end(worker)
        raise ToolFailedError(
            f"one of {workers} worker processes ended in its work: out of memory, or killed",
            f"the same command continues where it was; with --workers {max(1, workers // 2)} it takes less memory",
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker() -> None:
    own_group()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it ends it


def own_group() -> None:
    """Put a worker and the tools that it starts into a process group, which ends with the process that started it."""
    os.setpgrp()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    parent.join()  # one that is killed cannot end its workers, and they would do all that is in their queue
    os.killpg(0, signal.SIGKILL)


def end(worker: BaseProcess) -> None:
    """End a worker with its tools, which are all of its process group; Ctrl-C in a terminal does not reach those. What
    it was making in the store goes, too."""
    if worker.pid is None:
        return
    try:
        os.killpg(worker.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not come to its own group yet
        worker.kill()
    worker.join()
    remove_unfinished(default_store(), worker.pid)


def _on_cluster(
    words: tuple[str, str], chunks: Sequence[Chunk], work: Job[Chunk, Result], address: str
) -> Iterator[tuple[Chunk, Result]]:
    if not chunks:
        return
    client = connect(address)
    try:
        import distributed

        waiting = {client.submit(work, *words, chunk, pure=False, retries=_TRIES - 1): chunk for chunk in chunks}
        for future in distributed.as_completed(list(waiting), loop=client.loop):
            try:
                yield waiting[future], future.result()
            except distributed.KilledWorker as error:
                raise ToolFailedError(f"workers of the cluster died: {error}") from error
    finally:
        client.close()

# SPDX-License-Identifier: Apache-2.0
"""Jobs of many points in a folder that workers on any machine share, for the array jobs of a cluster.

    plan.json        what the work is, and how many points there are
    todo/N.json      chunks of points that no worker has
    taken/N.W.json   chunks that worker W has; its file is touched while W lives
    results/KEY.json a result a point

A worker takes a chunk by renaming its file, which a file server does once for one of them (RFC 1813, 3.3.14; a client
whose answer was lost looks for the new name). A result appears whole under its name by a link, which fails where there
is one already, so that none is replaced. A chunk whose worker died is taken over by another rename, after its file was
not touched for `TIMEOUT` seconds by the server's clock, to which a file of the worker's own is compared: clocks of
machines may differ.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from .disk import read_text_bounded, resolved
from .errors import UsageError

Result = dict[str, object]
"""The outcome of a point: values that JSON can hold."""
FORMAT = "modwright-farm/1"
TIMEOUT = 120.0
"""Seconds without a sign of life after which a worker counts as dead; it gives four signs in that time."""
_BEATS = 4
_PLAN, _TODO, _TAKEN, _RESULTS = "plan.json", "todo", "taken", "results"
_MOST_BYTES = 1 << 28
"""Most bytes of a plan, a chunk or a result."""


@dataclass(frozen=True)
class Point:
    """One unit of work.

    Parameters
    ----------
    key : str
        Name of its result: letters, digits, "-" and "_".
    arguments : sequence
        Plain values for the function that does it.
    """

    key: str
    arguments: Sequence[object]


@dataclass(frozen=True)
class State:
    """Counts of a folder: points in all, with a result, and in chunks that a worker has."""

    points: int
    done: int
    taken: int


def submit(folder: Path, plan: Mapping[str, object], points: Sequence[Point], chunk: int, files: dict[str, str]) -> int:
    """Make a folder with all points to do; the number of chunks.

    Parameters
    ----------
    folder : Path
        There is none, or an empty one; it appears whole or not at all.
    plan : dict
        Kept with the points: how a worker knows the function.
    points : sequence of Point
    chunk : int
        Points that a worker takes at a time.
    files : dict of str to str
        Further files by name, such as scripts, which are made executable.

    Raises
    ------
    UsageError
        When there is something else, it is the working folder, or a key is not a name.
    """
    if any(not p.key.replace("-", "").replace("_", "").isalnum() or not p.key.isascii() for p in points):
        raise UsageError("the key of a point has to consist of letters, digits, '-' and '_'")
    folder = resolved(folder)
    check_new(folder)
    partial = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    chunks = [points[at : at + chunk] for at in range(0, len(points), chunk)]
    document = {"format": FORMAT, **plan, "keys": [p.key for p in points]}
    try:
        _fill(partial, chunks, document, files)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return len(chunks)


def _fill(
    partial: Path, chunks: Sequence[Sequence[Point]], document: Mapping[str, object], files: Mapping[str, str]
) -> None:
    """Write all files of a new folder."""
    for name in (_TODO, _TAKEN, _RESULTS, "logs"):
        (partial / name).mkdir(parents=True)
    for number, part in enumerate(chunks):
        rows = [[p.key, list(p.arguments)] for p in part]
        (partial / _TODO / f"{number:06}.json").write_text(json.dumps(rows), encoding="utf-8")
    (partial / _PLAN).write_text(json.dumps(document), encoding="utf-8")
    for name, text in files.items():
        (partial / name).write_text(text, encoding="utf-8")
        (partial / name).chmod(0o755)


def check_new(folder: Path) -> None:
    """UsageError for a folder that exists and is not empty, a file of that name, or the working folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty", "--collect it, or name another folder")
    if resolved(folder) == Path.cwd():
        raise UsageError(f"{folder} is the working folder, which cannot be replaced", "the name of a folder in it")


def read_plan(folder: Path) -> Result:
    """The plan of a folder; UsageError where there is none."""
    if not (folder / _PLAN).is_file():
        raise UsageError(f"{folder} holds no {_PLAN}", "a folder that --submit wrote")
    try:
        plan: object = json.loads(read_text_bounded(folder / _PLAN, _MOST_BYTES))
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder / _PLAN} cannot be read: {error}", "a folder that --submit wrote") from error
    if not isinstance(plan, dict) or cast(Result, plan).get("format") != FORMAT:
        raise UsageError(f"{folder / _PLAN} is not of the format {FORMAT}")
    return cast(Result, plan)


def _keys(folder: Path) -> list[str]:
    return cast(list[str], read_plan(folder)["keys"])


def results(folder: Path) -> Iterator[tuple[str, Result]]:
    """Key and result of every point that has one, in the order of the plan."""
    for key in _keys(folder):
        path = folder / _RESULTS / f"{key}.json"
        if path.exists():
            yield key, _result(path)


def _result(path: Path) -> dict[str, object]:
    """The result in a file; UsageError where it is damaged."""
    try:
        result: object = json.loads(read_text_bounded(path, _MOST_BYTES))
    except ValueError as error:
        raise UsageError(f"{path} is damaged: {error}", "remove it, and let a worker make it again") from error
    if not isinstance(result, dict):
        raise UsageError(f"{path} is damaged: it holds no result", "remove it, and let a worker make it again")
    return cast("dict[str, object]", result)


def state(folder: Path) -> State:
    """Progress of the work."""
    keys = set(_keys(folder))
    done = {path.stem for path in (folder / _RESULTS).glob("[!.]*.json")}
    taken = 0
    for path in (folder / _TAKEN).glob("*.json"):
        with suppress(FileNotFoundError):
            taken += sum(key not in done for key, _ in json.loads(path.read_text(encoding="utf-8")))
    return State(len(keys), len(keys & done), taken)


class Worker:
    """One worker on a folder.

    Parameters
    ----------
    folder : Path
    run : callable
        Does a point: a JSON object from its arguments.
    timeout : float
        See `TIMEOUT`; the same for all workers of a folder.
    """

    def __init__(self, folder: Path, run: Callable[..., Result], timeout: float = TIMEOUT) -> None:
        self.folder, self.run, self.timeout = folder, run, timeout
        self.name = f"{socket.gethostname().split('.')[0]}-{os.getpid()}-{secrets.token_hex(4)}"
        self.done = 0

    def work(self) -> int:
        """Do chunks until every other chunk is done or has a live worker; return the number of points done here."""
        read_plan(self.folder)
        since = self._now()
        while True:
            claim = self._claim()
            if claim is not None:
                self._do(claim)
                since = self._now()
            elif all(sign > since for sign in self._signs().values()):
                return self.done
            else:
                time.sleep(self.timeout / (2 * _BEATS))

    # --- chunks

    def _now(self) -> float:
        """Time by the clock of the file server."""
        path = self.folder / _TAKEN / f".{self.name}"
        path.touch()
        now = path.stat().st_mtime
        path.unlink()
        return now

    def _signs(self) -> dict[Path, float]:
        """The chunks that workers have, and when each of them was last touched."""
        found: dict[Path, float] = {}
        for path in (self.folder / _TAKEN).glob("[!.]*.json"):
            with suppress(FileNotFoundError):
                found[path] = path.stat().st_mtime
        return found

    def _claim(self) -> Path | None:
        """A chunk that is ours now: one that was free, or one of a worker that died."""
        for path in sorted((self.folder / _TODO).glob("[!.]*.json")):
            if (ours := self._renamed(path)) is not None:
                return ours
        late = self._now() - self.timeout
        for path in sorted(path for path, sign in self._signs().items() if sign < late):
            if (ours := self._renamed(path)) is not None:
                return ours
        return None

    def _renamed(self, path: Path) -> Path | None:
        """The file of a chunk under our name, None where another worker was first."""
        ours = self.folder / _TAKEN / f"{path.name.partition('.')[0]}.{self.name}.json"
        with suppress(FileNotFoundError):
            path.rename(ours)
        try:
            os.utime(ours)
        except FileNotFoundError:  # not merely after an error of `rename`: the server may have done it all the same
            return None
        return ours

    def _do(self, claim: Path) -> None:
        """The points of a chunk that have no result, as long as it is ours; then it is gone."""
        rows = json.loads(read_text_bounded(claim, _MOST_BYTES))
        with self._signs_of_life(claim):
            for key, arguments in rows:
                if (self.folder / _RESULTS / f"{key}.json").exists():
                    continue
                if not claim.exists():
                    return
                self._put(key, self.run(*arguments))
        claim.unlink(missing_ok=True)

    @contextmanager
    def _signs_of_life(self, claim: Path) -> Generator[None]:
        """Touch the file of a chunk now and then, also in a long point."""
        over = threading.Event()

        def beat() -> None:
            while not over.wait(self.timeout / _BEATS):
                with suppress(OSError):  # a server that is away for a while, or a chunk that was taken over
                    os.utime(claim)

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _put(self, key: str, result: Result) -> None:
        """Give a point its result, unless it has one."""
        path = self.folder / _RESULTS / f"{key}.json"
        partial = path.with_name(f".{key}.{self.name}")
        with partial.open("w", encoding="utf-8") as file:
            json.dump(result, file)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(partial)
            self.done += 1
        except FileExistsError:  # of another worker, or ours, when the server's first answer was lost
            self.done += partial.stat().st_nlink == 2
        finally:
            partial.unlink()

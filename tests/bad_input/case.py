# SPDX-License-Identifier: Apache-2.0
"""A case of bad input, and how it is run: in this process where that shows the same, else in one of its own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from modwright import cli

SECONDS = 30.0
"""A case that takes longer hangs; most take some hundredths of a second, and a process of its own takes one."""

INTERNAL = ("internal error", "Traceback", "Exception ignored")
LONGEST_LINE = 600
"""Characters: a message never writes out what is large."""


@dataclass(frozen=True)
class Done:
    """The traces of a command: its exit code, and its two streams."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Case:
    """One case.

    Parameters
    ----------
    name : str
        Unique in its class.
    words : tuple of str
        After `modwright`.
    code : int
        The exit code that is due.
    message : str
        What stderr has to contain.
    files : mapping
        Content of files to write into the working folder first, text or bytes, by path.
    before : callable
        Called with the working folder after that.
    environment : mapping
        Variables to set; None removes one.
    leaves : tuple of str
        Names in the working folder that the command may make or change.
    redirect : str
        What follows the command in a shell; then it runs in a process of its own.
    prefix : str
        What comes before it there.
    seconds : float
        After which it counts as hung.
    quick : bool
        Whether it may be among those that run every time.
    after : callable
        Called with the working folder and what was done, to check more.
    """

    name: str
    words: tuple[str, ...]
    code: int = 2
    message: str = ""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    before: Callable[[Path], object] = lambda folder: None
    environment: Mapping[str, str | None] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    redirect: str | None = None
    prefix: str = ""
    seconds: float = SECONDS
    quick: bool = True
    after: Callable[[Path, Done], object] = lambda folder, done: None


class _HungError(BaseException):
    """The time of a case is over; no command catches this."""


def _expired(_number: int, _frame: object) -> None:
    raise _HungError


def run(case: Case, folder: Path) -> list[str]:
    """Run a case in a fresh folder; what was wrong with it, in words."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
    case.before(folder)
    before = _listing(folder)
    try:
        done = _here(case, folder) if case.redirect is None else _apart(case, folder)
    except (_HungError, subprocess.TimeoutExpired):
        return [f"hangs: more than {case.seconds:g} s"]
    wrong = _judged(case, done)
    changed = {name.partition("/")[0] for name, _ in before ^ _listing(folder)} - set(case.leaves)
    if changed:
        wrong.append(f"left or changed {', '.join(sorted(changed))}")
    case.after(folder, done)
    return [f"{text}\n{done.out[-300:]}{done.err[-1500:]}" for text in wrong]


KILLED = 137
"""128 + SIGKILL, which leaves nobody the time to say anything."""


def _judged(case: Case, done: Done) -> list[str]:
    wrong = []
    if done.code != case.code:
        wrong.append(f"exit code {done.code}, and {case.code} is due")
    wrong += [f"stderr has {word!r}" for word in INTERNAL if word in done.err]
    if case.message not in done.err:
        wrong.append(f"stderr lacks {case.message!r}")
    own = not done.err.startswith("Usage:")  # what the words were parsed with quotes them in full
    if own and max(map(len, done.err.splitlines()), default=0) > LONGEST_LINE:
        wrong.append("a line of stderr is very long")
    if done.code not in (0, 1, KILLED) and not done.err and (case.redirect is None or "2>" not in case.redirect):
        wrong.append("nothing on stderr")
    return wrong


def _here(case: Case, folder: Path) -> Done:
    """Run a case in this process."""
    encoding = case.environment.get("PYTHONIOENCODING") or "utf-8"
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace", write_through=True)
    with (
        _variables(case.environment),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        _limited(case.seconds),
    ):
        code = cli.main(list(case.words))
    return Done(code, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)))


def _apart(case: Case, folder: Path) -> Done:
    """Run a case by a shell, with its redirection."""
    environment = {**os.environ, **case.environment}
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'{case.prefix} "$@" {case.redirect}',
            "bash",
            sys.executable,
            "-m",
            "modwright",
            *map(os.fsencode, case.words),
        ],
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=case.seconds,
        check=False,
    )
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Done(code, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


@contextlib.contextmanager
def _variables(environment: Mapping[str, str | None]) -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in environment}
    _set(environment)
    try:
        yield
    finally:
        _set(kept)


def _set(environment: Mapping[str, str | None]) -> None:
    for name, value in environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_HungError` in the body when its time is over."""
    before = signal.signal(signal.SIGALRM, _expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _listing(folder: Path) -> set[tuple[str, str]]:
    """Every name in a folder, with the digest of a regular file."""
    found = set()
    for path in folder.rglob("*"):
        regular = path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)
        found.add(
            (path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest() if regular else "")
        )
    return found

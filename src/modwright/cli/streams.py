# SPDX-License-Identifier: Apache-2.0
"""The standard streams as a command finds them: closed, full, or of an encoding that lacks most characters."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TextIO

from ..base.errors import UsageError

PIPE_CLOSED = 141
"""128 + SIGPIPE."""


def ready() -> None:
    """Make the streams fit for text of any kind.

    What the encoding of stdout lacks is written as an escape such as \\u25cf. Input and stderr that were closed are
    the null device from now on: a file that is opened later would have their number, and get what tools write there.

    Raises
    ------
    UsageError
        When stdout is closed, so that no result could be written.
    """
    for name in ("stdin", "stderr"):
        if getattr(sys, name) is None:
            mode = os.O_RDONLY if name == "stdin" else os.O_WRONLY
            handle = os.open(os.devnull, mode)  # the lowest free number, which is that of the stream
            setattr(sys, name, os.fdopen(handle, "r" if name == "stdin" else "w", closefd=False))
    if sys.stdout is None:
        raise UsageError("stdout is closed, and results go there", "modwright .. > /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.errors in ("strict", "surrogateescape"):
            sys.stdout.reconfigure(errors="backslashreplace")
        if not isinstance(sys.stdout.write, partial):
            sys.stdout.write = partial(_written, sys.stdout.write)  # `print` calls this attribute


def _written(write: Callable[[str], int], text: str) -> int:
    """Write to stdout; what `check_written` raises where it takes no more."""
    try:
        return write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _full(error) from error


def _full(error: OSError) -> UsageError:
    """The error of a stdout that takes no more; what it still buffers is dropped."""
    drop()
    return UsageError(f"cannot write to stdout: {error.strerror}", "free some space, or another file")


def writes_all() -> bool:
    """Whether stdout can show every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def check_written() -> None:
    """Have everything written that was printed.

    Raises
    ------
    BrokenPipeError
        When the reader has gone away.
    UsageError
        When stdout takes no more.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop()
        raise
    except OSError as error:
        raise _full(error) from error


def drop(stream: TextIO | None = None) -> None:
    """Let what a stream (stdout when not given) still buffers go nowhere, else the interpreter complains once more
    at its end, and ends with a code of its own."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def complain(text: str) -> None:
    """One message on stderr, if that takes any."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        drop(sys.stderr)

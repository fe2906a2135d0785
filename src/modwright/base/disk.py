# SPDX-License-Identifier: Apache-2.0
"""Errors of file systems in words for the user: full, read-only, no permission, a name that is too long."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from .errors import ModwrightError, ToolFailedError, UsageError, shortened

_ROOM = "free some room; MODWRIGHT_CACHE and TMPDIR name other folders for the store and for temporary files"
_RIGHTS = "another place, or the permission"
_NAME = "a shorter name: most file systems take 255 bytes, and 4095 with the folders"

HINTS = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "a higher limit (ulimit -f)",
    errno.EMFILE: "a higher limit (ulimit -n)",
    errno.ENFILE: "fewer open files on this machine",
    errno.ENOMEM: "more memory",
    errno.EIO: "another disk; this one does not read or write",
    errno.EROFS: _RIGHTS,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.ENAMETOOLONG: _NAME,
    errno.ELOOP: "a path without a loop of links",
    errno.ENOTDIR: "a path whose folders are folders",
    errno.EISDIR: "a file, where a file is needed",
    errno.EBUSY: "another place",
    errno.ETXTBSY: "another place",
}
"""Errors of the system that a user can mend, with what to try; any other one is a fault of Modwright."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LITTLE = 1 << 20
"""Bytes. On a file system with less room, a failure of a tool is attributed to that: the objects and
netlists that tools write here take about as much."""


def refusal(error: OSError, what: str = "") -> UsageError | None:
    """Translate an error of the system into one for the user; None when it is not in `HINTS`.

    Parameters
    ----------
    error : OSError
    what : str
        Operation that failed; the error's own path when not given.
    """
    if error.errno not in HINTS:
        return None
    what = what or shortened(os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | Path) else "")
    reason = error.strerror or str(error)
    return UsageError(f"{what}: {reason}" if what else reason, HINTS[error.errno])


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turn a write without room into an error that names `path`, which the system's own error does not."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise refusal(error, f"cannot write {shortened(str(path))}") or error from error


def resolved(path: Path) -> Path:
    """The path without links; UsageError for a loop of them, or a name that is too long."""
    try:
        return path.resolve()
    except RuntimeError:  # what Python before 3.13 makes of a loop
        raise UsageError(f"{path}: {os.strerror(errno.ELOOP)}", HINTS[errno.ELOOP]) from None
    except OSError as error:
        raise refusal(error) or error from error


def open_regular(path: Path) -> BufferedReader:
    """A regular file, open for reading. What is none is refused at once: opening a FIFO would wait for its writer.

    Raises
    ------
    OSError
        When it cannot be opened, or is not a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_text_bounded(path: Path, most: int) -> str:
    """The text of a file that a user names, with replacements for what is not UTF-8; see `read_bounded`."""
    return read_bounded(path, most).decode("utf-8", "replace")


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a file that a user names.

    Raises
    ------
    UsageError
        When it cannot be read, is not a regular file, or has more than `most` bytes.
    """
    shown = shortened(str(path), 200)
    try:
        with open_regular(path) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror}") from error
    except ValueError as error:  # a null character in the name
        raise UsageError(f"cannot read {shown!r}: {error}") from error
    if len(data) > most:
        raise UsageError(f"{shown} is larger than {most} bytes")
    return data


@contextmanager
def scratch() -> Generator[Path]:
    """A fresh folder for temporary files, removed at the end.

    Raises
    ------
    UsageError
        When there is no such place, or no room in it.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="modwright-")
    except OSError as error:
        raise UsageError(
            f"cannot write temporary files: {error.strerror or error}", "TMPDIR names a folder for them"
        ) from error
    with folder, writing(Path(folder.name)):
        yield Path(folder.name)


def failed(what: str, log: str, lines: int, *folders: Path, hint: str = "") -> ModwrightError:
    """The error of a tool that failed: of the user where a file system is full, else of the tool.

    Parameters
    ----------
    what : str
        The tool and how it ended, such as "Yosys failed".
    log : str
        All that it wrote.
    lines : int
        Number of its last lines that are shown.
    folders : Path
        Where it wrote, besides the folder for temporary files.
    hint : str
        Hint where no file system is full.
    """
    places = [*folders, Path(tempfile.gettempdir())]
    full = [place for place in places if _room(place) < _LITTLE]
    if full or os.strerror(errno.ENOSPC) in log:
        where = f" in {full[0]}" if full else ""
        return UsageError(f"{what}: {os.strerror(errno.ENOSPC)}{where}", _ROOM)
    return ToolFailedError(f"{what}:\n" + "\n".join(log.splitlines()[-lines:]), hint)


def _room(folder: Path) -> int:
    """Free bytes of a folder's file system."""
    try:
        state = os.statvfs(folder)
    except OSError:
        return _LITTLE
    return state.f_bavail * state.f_frsize


def flush(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        # a file system that cannot do it for folders says so, and keeps them itself
        with suppress(OSError) if path.is_dir() else writing(path):
            os.fsync(handle)
    finally:
        os.close(handle)

# SPDX-License-Identifier: Apache-2.0
"""Sealed folders: a file with the digest of every other file, by which damage is found before anything is read.

It guards against disks, crashes and accidents, not against somebody who writes another seal.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import cast

from .disk import flush, open_regular
from .json import JsonObject

SEAL = "digests.json"

ABSENT = "absent"
"""Answer of `fault` for a folder that does not exist."""

_State = tuple[tuple[str, int, int, int], ...]
"""Path, size, time of change and number of every file: as long as it is the same, so are the bytes."""

_whole: dict[Path, tuple[str, _State, dict[str, str]]] = {}
"""Folders that this process found whole, with their names and digests; each is read once."""


def close(folder: Path, name: str) -> None:
    """Write the seal of a folder and everything in it to the disk.

    Parameters
    ----------
    folder : Path
        With files and folders, and no seal.
    name : str
        Identity of the folder; files of another folder under this name count as damage, too.
    """
    places = sorted(folder.rglob("*"))
    digests = {path.relative_to(folder).as_posix(): file_digest(path) for path in places if not path.is_dir()}
    text = json.dumps(_signed(name, digests), indent=1)
    (folder / SEAL).write_text(text, encoding="utf-8")
    for path in [*places, folder / SEAL, folder]:
        flush(path)


def fault(folder: Path, name: str) -> str:
    """Fault of a folder under a seal, in words: `ABSENT`, or damage; empty when it is whole."""
    try:
        state = _state(folder)
        if folder in _whole and _whole[folder][:2] == (name, state):
            return ""
        found = _compare(folder, name)
    except FileNotFoundError:
        _whole.pop(folder, None)
        return "a file is missing" if os.path.lexists(folder) else ABSENT
    except NotADirectoryError:
        return "it is not a folder"
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"
    if isinstance(found, str):
        _whole.pop(folder, None)
        return found
    _whole[folder] = name, state, found
    return ""


def read(folder: Path, file: str) -> str | None:
    """Text of a file, its bytes those of the seal; None in a folder that `fault` did not find whole, or has changed."""
    if folder not in _whole:
        return None
    try:
        with open_regular(folder / file) as source:
            data = source.read()
    except OSError:
        data = b""
    if hashlib.sha256(data).hexdigest() == _whole[folder][2].get(file):
        return data.decode("utf-8")
    del _whole[folder]  # two changes within a tick of the clock leave the state of a folder as it was
    return None


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _signed(name: str, files: object) -> JsonObject:
    own = hashlib.sha256(json.dumps([name, files], sort_keys=True).encode()).hexdigest()
    return {"name": name, "files": files, "sha256": own}


def _state(folder: Path) -> _State:
    """See `_State`; OSError when a folder or file cannot be looked at."""
    rows: list[tuple[str, int, int, int]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            about = entry.stat(follow_symlinks=False)
            rows.append((entry.path, about.st_size, about.st_ctime_ns, about.st_ino))
            if entry.is_dir(follow_symlinks=False):
                rows += _state(Path(entry.path))
    return tuple(sorted(rows))


def _compare(folder: Path, name: str) -> str | dict[str, str]:
    """Fault of an existing folder, or the digests of its files."""
    try:
        with open_regular(folder / SEAL) as file:
            found: object = json.loads(file.read())
    except FileNotFoundError:
        return f"it has no {SEAL}"
    except (ValueError, RecursionError):
        return f"{SEAL} does not read"
    written = cast("JsonObject", found) if isinstance(found, dict) else {}
    if not written or written != _signed(name, written.get("files")):
        return f"{SEAL} was changed"
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    digests: dict[str, str] = written["files"]
    for path in sorted(digests.keys() - files.keys()):
        return f"{path} is missing"
    for path in sorted(files.keys() - digests.keys() - {SEAL}):
        return f"{path} does not belong to it"
    for path, digest in digests.items():
        if file_digest(files[path]) != digest:
            return f"{path} has another digest"
    return digests

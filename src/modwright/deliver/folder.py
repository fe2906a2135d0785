# SPDX-License-Identifier: Apache-2.0
"""Folders that appear whole or not at all.

A folder that Modwright made holds `manifest.json`: the digest of what it was made from and of every file. By it
Modwright knows its own work: it replaces that, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..report.evidence import plain
from ..store import temporary_beside

MANIFEST = "manifest.json"


def json_text(value: Any) -> str:
    """The text of a JSON file, the same for the same value."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n"


def is_unchanged(folder: Path, digest: str) -> bool:
    """Whether `folder` holds what was made from `digest`, every file as it was written."""
    manifest = _manifest(folder)
    return (
        manifest is not None
        and manifest.get("digest") == digest
        and all(sha256(folder / name) == sha for name, sha in manifest["files"].items())
    )


def check_folder(folder: Path, *, force: bool = False) -> None:
    """UsageError when `folder` cannot be written, or holds what Modwright did not make and `force` is not set."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and a folder is needed")
    ancestor = next(p for p in (folder.absolute(), *folder.absolute().parents) if p.exists())
    if not ancestor.is_dir():
        raise UsageError(f"cannot make {folder}: {ancestor} is a file")
    if not os.access(ancestor, os.W_OK | os.X_OK) or (
        folder.is_dir() and not os.access(folder.absolute().parent, os.W_OK | os.X_OK)
    ):
        raise UsageError(f"cannot write to {ancestor}: permission denied")
    foreign = foreign_files(folder)
    if foreign and not force:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise UsageError(
            f"{folder} holds files that Modwright did not write: {foreign[0]}{more}",
            "another folder, or --force (it keeps them, unless they have the name of a file to be written)",
        )


def foreign_files(folder: Path) -> list[str]:
    """Names in `folder` that Modwright did not write, or that were changed since."""
    if not folder.is_dir():
        return []
    manifest = _manifest(folder)
    own = dict(manifest["files"]) if manifest else {}
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir())
    return [n for n in names if sha256(folder / n) != own.get(n) and not (n == MANIFEST and manifest)]


def write_folder(folder: Path, files: Mapping[str, str], digest: str, *, force: bool = False) -> None:
    """Write text files; see `filled_folder`."""
    with filled_folder(folder, digest, force=force) as work:
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def filled_folder(folder: Path, digest: str, *, force: bool = False) -> Iterator[Path]:
    """A temporary folder to fill, which then becomes `folder`, whole or not at all.

    Parameters
    ----------
    folder : Path
        Made when it is not there; replaced when Modwright made it.
    digest : str
        Of what the files are made from; goes into the manifest.
    force : bool
        Write into a folder with foreign files, which stay; then each file appears whole, the manifest last.

    Raises
    ------
    UsageError
        See `check_folder`.
    """
    check_folder(folder, force=force)
    folder = folder.resolve()
    with temporary_beside(folder) as work:
        yield work
        names = sorted(p.name for p in work.iterdir())
        manifest = {
            "SPDX-License-Identifier": "CC0-1.0",
            "made_by": f"modwright {__version__}",
            "digest": digest,
            "files": {name: sha256(work / name) for name in names},
        }
        (work / MANIFEST).write_text(json_text(manifest), encoding="utf-8")
        work.chmod(0o755)
        if folder.is_dir() and (foreign_files(folder) or Path.cwd().is_relative_to(folder)):
            _move_into(work, folder, [*names, MANIFEST])
        else:
            _swap(work, folder)


def _move_into(work: Path, folder: Path, names: list[str]) -> None:
    """Move files one by one into a folder that must stay; files of the manifest before go."""
    before = _manifest(folder)
    for name in before["files"] if before else ():
        if name not in names:
            (folder / name).unlink(missing_ok=True)
    for name in names:
        (work / name).replace(folder / name)


def _swap(work: Path, folder: Path) -> None:
    """Put `work` in the place of `folder`."""
    if not folder.is_dir():
        work.rename(folder)
        return
    with temporary_beside(folder) as aside:
        folder.rename(aside / "old")
        try:
            work.rename(folder)
        except OSError:
            (aside / "old").rename(folder)
            raise
        shutil.rmtree(aside)


def _manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder, None when there is none that Modwright could have written."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    files = found.get("files") if isinstance(found, dict) else None
    if not isinstance(files, dict) or any(Path(name).name != name for name in files):
        return None
    return found


def sha256(path: Path) -> str | None:
    """SHA-256 of a file in hex, None when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None

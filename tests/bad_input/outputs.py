# SPDX-License-Identifier: Apache-2.0
"""Outputs and databases: folders that are files, names that are none, places where nobody may write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .case import Case

KEY = Path(__file__).parents[1] / "data" / "rsa" / "rsa1024.pem"
CSA = ("modmul/csa", "-O", "bits=8")

FOLDERS: dict[str, tuple[str, ...]] = {
    "generate": ("generate", *CSA, "-o"),
    "build": ("build", *CSA, "-o"),
    "wave": ("wave", *CSA, "-o"),
    "campaign": ("campaign", "modmul/vlm3", "-O", "bits=8", "-n", "9", "--workers", "1", "-o"),
    "vivado": ("synth", *CSA, "-t", "xc7", "--vivado"),
    "provider": ("provider", "--rsa", "r.yaml", "-o"),
}
"""Commands that make a folder, with all but its name."""

FILES: dict[str, tuple[str, ...]] = {
    "csv": ("compare", "--function", "modmul", "--bits", "8", "--csv"),
    "html": ("compare", "--function", "modmul", "--bits", "8", "--html"),
    "svg": ("compare", "--function", "modmul", "--bits", "8", "--svg"),
    "paper": ("paper", "all", "--csv"),
    "explore": ("explore", "--function", "modmul", "--bits", "8", "--csv"),
    "parquet": ("explore", "--function", "modmul", "--bits", "8", "--parquet"),
    "signature": ("rsa", str(KEY), "--sign", "file", "-o"),
}
"""Commands that write a file, with all but its name."""

BASIC = ("--function", "modmul", "--bits", "8", "--points", "1", "--architecture", "csa", "--jobs", "1")

NO_PLACES = {
    "empty": "",
    "the root": "/",
    "the root in other words": "/../",
    "the null device": "/dev/null",
    "below the null device": "/dev/null/x",
    "the full device": "/dev/full",
    "among processes": "/proc/nobody/x",
    "below a file": "file/x",
    "a long name": "x" * 256,
    "a long path": "y/" * 3000 + "z",
    "a loop of links": "loop",
    "below a loop of links": "loop/x",
    "a link to nothing above": "nowhere/x",
    "the folder above": "..",
}

NO_FOLDERS = {"a file": "file", "a folder of somebody": "theirs", "here": ".", "a link to a file": "link"}
NO_FILES = {"a folder": "theirs", "a pipe": "pipe", "here": ".", "a link to a folder": "linked"}


def _write(folder: Path) -> None:
    """Arguments that the names of this class stand for."""
    (folder / "file").write_text("a file")
    (folder / "theirs").mkdir()
    (folder / "theirs" / "notes").write_text("theirs")
    (folder / "theirs" / "deep").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to("/proc/nobody")
    (folder / "link").symlink_to("file")
    (folder / "linked").symlink_to("theirs")
    (folder / "r.yaml").write_text("core: modexp/booth8-csa-window\noptions: {bits: 512}\n")
    os.mkfifo(folder / "pipe")


def _foreign(path: Path) -> None:
    """A database of another program."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.execute("INSERT INTO songs VALUES ('Die Forelle')")
    connection.commit()
    connection.close()


def _tasks(path: Path) -> None:
    """A database of another program, with a table of the same name."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE tasks (key TEXT, done INTEGER)")
    connection.commit()
    connection.close()


DATABASES = {
    "a text": lambda path: path.write_text("no database, but long enough to be taken for one. " * 50),
    "a short text": lambda path: path.write_text("x"),
    "random bytes": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "a header and nothing": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(84)),
    "of another program": _foreign,
    "of another program, with tasks": _tasks,
    "of another program, cut": lambda path: (_foreign(path), path.write_bytes(path.read_bytes()[:4500])),
    "a folder": lambda path: path.mkdir(),
}


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for command, words in FOLDERS.items():
        for name, place in (NO_PLACES | NO_FOLDERS).items():
            yield Case(f"{command} into {name}", (*words, place), before=_write)
    for command, words in FILES.items():
        for name, place in (NO_PLACES | NO_FILES).items():
            if (command, name) != ("signature", "below a loop of links"):
                yield Case(f"{command} into {name}", (*words, place), before=_write)
    for name, make in DATABASES.items():
        words = ("explore", *BASIC, "--database", "d.db")
        yield Case(f"a database: {name}", words, before=lambda folder, make=make: make(folder / "d.db"))
    for name in ("the root", "below a file", "a long name", "the folder above", "among processes"):
        yield Case(f"a database in {name}", ("explore", *BASIC, "--database", NO_PLACES[name]), before=_write)
    yield Case("an output that is the key", ("rsa", "key", "--sign", "file", "-o", "key"),
               files={"key": KEY.read_bytes(), "file": "x"})  # fmt: skip
    yield Case("an output without use", ("rsa", str(KEY), "-o", "signature"))
    for name, place in NO_PLACES.items():
        if name in ("empty", "among processes", "the folder above", "the root in other words", "the root"):
            continue  # the user's own folder, or one whose error is that of the others
        words = ("generate", *CSA, "-o", "out")
        yield Case(f"a store in {name}", words, before=_write, environment={"MODWRIGHT_CACHE": place})

# SPDX-License-Identifier: Apache-2.0
"""Damaged stores and tampered folders: what does not read, or has another digest, is made again with one line."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from modwright import cli
from modwright.base.seal import SEAL

from .case import Case, Done

CSA = ("modmul/csa", "-O", "bits=8")
DAMAGED = "in the store is damaged"

FILLED: dict[str, tuple[tuple[str, ...], tuple[str, ...], bool]] = {
    "verilog": (("generate", *CSA, "-o", "out"), ("generate", *CSA, "-o", "out"), True),
    "statistics": (
        ("campaign", "modmul/vlm3", "-O", "bits=8", "-n", "9", "--workers", "1"),
        ("campaign", "modmul/vlm3", "-O", "bits=8", "-n", "9", "--workers", "1"),
        True,
    ),
    "record": (("synth", *CSA), ("compare", "--function", "modmul", "--bits", "8"), False),
    "netlist": (("synth", *CSA), ("synth", *CSA), False),
    "simulator": (("simulate", *CSA, "--random", "3"), ("simulate", *CSA, "--random", "3"), False),
    "proof": (("prove", *CSA), ("prove", *CSA), False),
    "place": (("synth", *CSA, "--place"), ("synth", *CSA, "--place"), False),
}
"""Of each kind of result: a command that makes one, one that uses it, and whether that is quick."""


def _largest(entry: Path) -> Path:
    return max((path for path in entry.iterdir() if path.name != SEAL), key=lambda path: path.stat().st_size)


def _change(entry: Path) -> None:
    path = _largest(entry)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _as_file(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.write_text("a file")


def _cut(entry: Path) -> None:
    path = _largest(entry)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGE: dict[str, Callable[[Path], object]] = {
    "one bit": _change,
    "cut in half": _cut,
    "empty": lambda entry: _largest(entry).write_bytes(b""),
    "garbage": lambda entry: _largest(entry).write_bytes(bytes(range(256)) * 8),
    "a file is missing": lambda entry: _largest(entry).unlink(),
    "no seal": lambda entry: (entry / SEAL).unlink(),
    "an empty seal": lambda entry: (entry / SEAL).write_bytes(b""),
    "a file too many": lambda entry: (entry / "refused.txt").write_text("nextpnr refuses"),
    "an empty folder": lambda entry: [path.unlink() for path in entry.iterdir()],
    "a file for the folder": _as_file,
}


@cache
def _filled(kind: str) -> Path:
    """A folder with a store in which a command left a result, and what else it wrote."""
    folder = Path(tempfile.mkdtemp(prefix="modwright-filled-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    before = os.environ.get("MODWRIGHT_CACHE")
    os.environ["MODWRIGHT_CACHE"] = "store"
    try:
        silent = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        with contextlib.chdir(folder), silent[0], silent[1]:
            assert cli.main(list(FILLED[kind][0])) == 0
    finally:
        os.environ.pop("MODWRIGHT_CACHE") if before is None else os.environ.update(MODWRIGHT_CACHE=before)
    return folder


def _prepare(folder: Path, kind: str, damage: Callable[[Path], object]) -> None:
    """Copy a filled store and damage every result of a kind."""
    shutil.copytree(_filled(kind) / "store", folder / "store")
    for entry in list((folder / "store" / kind).iterdir()):
        damage(entry)


def _same_package(folder: Path, done: Done) -> None:
    """A package is as it was before the damage, whatever was damaged."""
    for path in (folder / "out").glob("*"):
        assert path.read_bytes() == (_filled("verilog") / "out" / path.name).read_bytes(), path.name
    assert (folder / "out" / "modmul_csa.v").is_file()


def _tampered(change: Callable[[Path], object]) -> Callable[[Path], None]:
    """A folder with a package and its store, the package changed."""

    def prepare(folder: Path) -> None:
        shutil.copytree(_filled("verilog"), folder, dirs_exist_ok=True)
        change(folder / "out")

    return prepare


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


TAMPERED: dict[str, tuple[Callable[[Path], object], int]] = {
    "nothing": (lambda out: None, 0),
    "a file is missing": (lambda out: (out / "modmul_csa.v").unlink(), 0),
    "the manifest names another request": (lambda out: _edit(out / "manifest.json", '"digest": "', '"digest": "0'), 0),
    "a file was edited": (lambda out: _edit(out / "modmul_csa.v", "module", "Module"), 2),
    "a file is empty": (lambda out: (out / "modmul_csa.v").write_bytes(b""), 2),
    "a file was added": (lambda out: (out / "notes").write_text("mine"), 2),
    "a folder was added": (lambda out: (out / "deep").mkdir() or (out / "deep" / "notes").write_text("mine"), 2),
    "no manifest": (lambda out: (out / "manifest.json").unlink(), 2),
    "an empty manifest": (lambda out: (out / "manifest.json").write_bytes(b""), 2),
    "half a manifest": (lambda out: _cut_file(out / "manifest.json"), 2),
    "a manifest that is a list": (lambda out: (out / "manifest.json").write_text("[]"), 2),
    "a manifest of no files": (lambda out: (out / "manifest.json").write_text('{"digest": "x", "files": {}}'), 2),
    "a manifest of bytes": (lambda out: (out / "manifest.json").write_bytes(bytes(range(256))), 2),
    "a deep manifest": (lambda out: (out / "manifest.json").write_text("[" * 100_000), 2),
    "a file elsewhere": (
        lambda out: _edit(out / "manifest.json", '"files": {', '"files": {"../x": "0",'),
        2,
    ),
}
"""What was done to a package that Modwright wrote, and the exit code of writing it again: what was edited stays."""


def _cut_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cases() -> Iterator[Case]:
    """Every case of this class."""
    own = {"MODWRIGHT_CACHE": "store"}
    for kind, (_, words, quick) in FILLED.items():
        for name, damage in DAMAGE.items():
            if kind in ("simulator", "place") and name not in ("one bit", "cut in half", "an empty folder"):
                continue  # each takes ten seconds
            yield Case(
                f"{kind}: {name}",
                words,
                0,
                DAMAGED,
                before=lambda folder, kind=kind, damage=damage: _prepare(folder, kind, damage),
                environment=own,
                leaves=("store", "out"),
                quick=quick,
                seconds=240,
                **({"after": _same_package} if kind == "verilog" else {}),
            )
    for name, (change, code) in TAMPERED.items():
        words = ("generate", *CSA, "-o", "out")
        after = {"after": _same_package} if code == 0 else {}
        yield Case(f"a package: {name}", words, code, before=_tampered(change), environment=own,
                   leaves=("out", "store") if code == 0 else (), **after)  # fmt: skip

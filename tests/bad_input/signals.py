# SPDX-License-Identifier: Apache-2.0
"""Signals in the middle of long work: the exit code that a shell gives them, and nothing half-written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .case import Case, Done

LONG: dict[str, tuple[str, ...]] = {
    "build": ("build", "modmul/booth8-csa", "-O", "bits=256", "--random", "10000000", "-o", "out"),
    "simulate": ("simulate", "modmul/booth8-csa", "-O", "bits=256", "--random", "10000000"),
    "place": ("synth", "modmul/booth8-csa", "-O", "bits=512", "--place"),
    "explore": ("explore", "--function", "modmul", "--bits", "128", "--jobs", "1", "--database", "d.db"),
}
"""Commands that take many seconds."""

SIGNALS = {"INT": 130, "TERM": 143, "KILL": 137}
SECONDS = (2.0, 5.0)
"""After the start: in the import or the first tools, and later."""


def _nothing_half(folder: Path, done: Done) -> None:
    assert not list(folder.rglob(".making-*")), "a folder that is half made"
    assert not (folder / "out").exists(), "an output that is half made"


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, words in LONG.items():
        for word, code in SIGNALS.items():
            for seconds in SECONDS:
                yield Case(
                    f"{name}: {word} after {seconds:g} s",
                    words,
                    code,
                    environment={"MODWRIGHT_CACHE": "store"},
                    leaves=("store", "d.db", "d.db-wal", "d.db-shm"),
                    redirect="",
                    prefix=f"timeout --preserve-status -s {word} {seconds}",
                    seconds=60,
                    **({} if word == "KILL" else {"after": _nothing_half}),
                )

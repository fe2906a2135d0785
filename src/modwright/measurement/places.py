# SPDX-License-Identifier: Apache-2.0
"""Where measured records are: beside the package or inside it, and in the user's store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..store import Store, digest_of
from .record import FORMAT
from .rows import load

KIND = "record"
"""Folder of the store with the user's records."""


def bench_folder() -> Path:
    """The folder with `results`, `statistics` and `paper`.

    A wheel has it inside the package; in a clone it stands beside `src`.

    Raises
    ------
    UsageError
        When neither is there.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "bench", package.parents[1] / "bench"):
        if (folder / "results").is_dir():
            return folder
    raise UsageError("the measured records of Modwright are not installed", "a clone, or the wheel")


def shipped_records() -> dict[str, dict[str, Any]]:
    """The records that come with Modwright, by the name of their file."""
    return load(bench_folder() / "results")


def user_records(store: Store) -> dict[str, dict[str, Any]]:
    """The records that `keep` left in a store, by digest; not those of another form."""
    return {path.parent.name: record for path, record in store.every(KIND) if record.get("format") == FORMAT}


def keep(store: Store, record: dict[str, Any]) -> None:
    """Put a record where `user_records` finds it; the same one twice is one."""
    store.json(KIND, digest_of(record), lambda: record)


def shipped_statistics() -> dict[str, dict[str, Any]]:
    """The sampled counts that come with Modwright, by the path of their file."""
    return load(bench_folder() / "statistics", "*/statistics.json")

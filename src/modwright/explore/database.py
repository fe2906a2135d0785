# SPDX-License-Identifier: Apache-2.0
"""The results of explorations in one SQLite file, which two processes may share.

A row is a task: what was done (its stage) of which request, under the digest of all that it depends on. A process
claims a task before it runs it; a claim that is not renewed runs out, so that a process that dies holds nothing back.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import UsageError

LEASE_SECONDS = 60.0
"""How long a claim holds without being renewed."""

_BUSY_SECONDS = 30
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (
  key TEXT PRIMARY KEY,
  stage TEXT NOT NULL,
  request TEXT NOT NULL,
  result TEXT,
  owner TEXT,
  until REAL
)
"""


class Database:
    """One file of results; UsageError when it cannot be opened or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._owner = f"{os.uname().nodename}:{os.getpid()}:{time.monotonic_ns()}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            # Readers and a writer do not wait for each other in write-ahead mode.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"cannot open {path}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _run(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, tuple(values))
        except sqlite3.Error as error:
            raise UsageError(f"cannot write {self.path}: {error}", "free some room; what is there is kept") from error

    def result(self, key: str) -> Any | None:
        """The result of a task; None when it is not there."""
        row = self._run("SELECT result FROM tasks WHERE key = ?", (key,)).fetchone()
        return None if row is None or row[0] is None else json.loads(row[0])

    def claim(self, key: str, stage: str, request: str) -> bool:
        """Take a task that is neither done nor claimed by another process; whether it is ours now."""
        now = time.time()
        self._run("INSERT OR IGNORE INTO tasks (key, stage, request) VALUES (?, ?, ?)", (key, stage, request))
        changed = self._run(
            "UPDATE tasks SET owner = ?, until = ? WHERE key = ? AND result IS NULL "
            "AND (owner IS NULL OR owner = ? OR until < ?)",
            (self._owner, now + LEASE_SECONDS, key, self._owner, now),
        )
        return changed.rowcount == 1

    def renew(self) -> None:
        """Hold our claims for another `LEASE_SECONDS`."""
        until = time.time() + LEASE_SECONDS
        self._run("UPDATE tasks SET until = ? WHERE owner = ? AND result IS NULL", (until, self._owner))

    def put(self, key: str, result: Any) -> None:
        """Keep the result of a task; the first one stays."""
        text = json.dumps(result, sort_keys=True)
        self._run(
            "UPDATE tasks SET result = ?, owner = NULL, until = NULL WHERE key = ? AND result IS NULL", (text, key)
        )

    def release(self) -> None:
        """Give our claims back."""
        self._run("UPDATE tasks SET owner = NULL, until = NULL WHERE owner = ? AND result IS NULL", (self._owner,))

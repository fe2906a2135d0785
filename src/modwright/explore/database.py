# SPDX-License-Identifier: Apache-2.0
"""The results of explorations in one SQLite file, which two processes may share.

A row is a task: one stage of one request, under the digest of all that the result depends on. A process
claims a task before it runs it; a claim that is not renewed expires, so a process that dies blocks no task.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..base.disk import open_regular
from ..base.errors import UsageError, shortened
from ..base.store import digest_of

LEASE_SECONDS = 60.0
"""Seconds for which a claim holds without being renewed."""

_BUSY_SECONDS = 30
_APPLICATION = 0x4D445752
"""SQLite's application_id of these files: "MDWR"."""
_HEADER = b"SQLite format 3\0"
_COLUMNS = ["key", "stage", "request", "result", "owner", "until", "digest"]
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (
  key TEXT PRIMARY KEY,
  stage TEXT NOT NULL,
  request TEXT NOT NULL,
  result TEXT,
  owner TEXT,
  until REAL,
  digest TEXT
)
"""


class _UnfitError(UsageError):
    """Error for a file that is not a database, is damaged, or belongs to another program or version."""


def _check_header(path: Path) -> None:
    """UsageError for a file with content of another kind: SQLite takes a short one for an empty database."""
    try:
        with open_regular(path) as file:
            start = file.read(len(_HEADER))
    except (FileNotFoundError, PermissionError, ValueError):  # sqlite3.connect reports these
        return
    except OSError as error:
        raise _UnfitError(f"cannot open {shortened(str(path), 200)}: {error.strerror}", "another --database") from error
    if start not in (b"", _HEADER):
        raise _UnfitError(f"cannot open {path}: it is not a database", "another --database")


class Database:
    """One file of results; UsageError when it cannot be opened or written, or is another program's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._owner = f"{os.uname().nodename}:{os.getpid()}:{time.monotonic_ns()}"
        _check_header(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        except (OSError, sqlite3.Error, ValueError) as error:  # ValueError: a null character in the name
            raise UsageError(f"cannot open {shortened(str(path), 200)}: {error}") from error
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def of_store(cls, path: Path) -> Database:
        """The file of a store: one that is damaged is made again, with one line on stderr."""
        try:
            return cls(path)
        except _UnfitError as error:
            print(f"modwright: {error.message}; made again", file=sys.stderr)
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            return cls(path)

    def _prepare(self) -> None:
        """Make the table in an empty file; refuse one of another program, or a damaged one."""
        connection = self._connection
        try:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            (own,) = connection.execute("PRAGMA application_id").fetchone()
            columns = [row[1] for row in connection.execute("PRAGMA table_info(tasks)")]
            if tables and (own != _APPLICATION or tables != ["tasks"] or columns != _COLUMNS):
                raise _UnfitError(f"{self.path} is a database of another program or version", "another --database")
            if [row[0] for row in connection.execute("PRAGMA quick_check(1)")] != ["ok"]:
                raise _UnfitError(f"cannot open {self.path}: it is damaged", "another --database")
            # Readers and a writer do not wait for each other in write-ahead mode.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(f"PRAGMA application_id={_APPLICATION}")
            connection.execute(_SCHEMA)
        except sqlite3.OperationalError as error:
            raise UsageError(f"cannot open {self.path}: {error}", "another --database") from error
        except sqlite3.DatabaseError as error:
            raise _UnfitError(f"cannot open {self.path}: {error}", "another --database") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _run(self, statement: str, values: Iterable[object] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, tuple(values))
        except sqlite3.OperationalError as error:
            raise UsageError(f"cannot write {self.path}: {error}", "free some space; stored results stay") from error
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{self.path} is damaged: {error}", "delete it, or name another --database") from error

    def result(self, key: str) -> Any | None:
        """The result of a task; None without one. A result with another digest is deleted, so that its task
        is run again."""
        row = self._run("SELECT result, digest FROM tasks WHERE key = ?", (key,)).fetchone()
        if row is None or row[0] is None:
            return None
        if row[1] != digest_of(key, row[0]):
            print(f"modwright: a result in {self.path} is damaged; made again", file=sys.stderr)
            self._run("UPDATE tasks SET result = NULL WHERE key = ?", (key,))
            return None
        return json.loads(row[0])

    def claim(self, key: str, stage: str, request: str) -> bool:
        """Claim a task that is neither done nor claimed by another process; return whether this process has it."""
        now = time.time()
        self._run("INSERT OR IGNORE INTO tasks (key, stage, request) VALUES (?, ?, ?)", (key, stage, request))
        changed = self._run(
            "UPDATE tasks SET owner = ?, until = ? WHERE key = ? AND result IS NULL "
            "AND (owner IS NULL OR owner = ? OR until < ?)",
            (self._owner, now + LEASE_SECONDS, key, self._owner, now),
        )
        return changed.rowcount == 1

    def renew(self) -> None:
        """Renew the claims of this process for another `LEASE_SECONDS`."""
        until = time.time() + LEASE_SECONDS
        self._run("UPDATE tasks SET until = ? WHERE owner = ? AND result IS NULL", (until, self._owner))

    def put(self, key: str, result: object) -> None:
        """Store the result of a task, claimed here or not; the first result is never replaced."""
        text = json.dumps(result, sort_keys=True)
        self._run("INSERT OR IGNORE INTO tasks (key, stage, request) VALUES (?, '', '')", (key,))
        self._run(
            "UPDATE tasks SET result = ?, digest = ?, owner = NULL, until = NULL WHERE key = ? AND result IS NULL",
            (text, digest_of(key, text), key),
        )

    def release(self) -> None:
        """Release the claims of this process."""
        self._run("UPDATE tasks SET owner = NULL, until = NULL WHERE owner = ? AND result IS NULL", (self._owner,))

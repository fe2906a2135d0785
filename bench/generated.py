# SPDX-License-Identifier: Apache-2.0
"""Files that are made from records and counts: written, or compared with the stored ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path


def write_or_check(files: Mapping[Path, str], command: str, *, check: bool) -> int:
    """Write what is missing or different and print its names; with `check`, write nothing and name it as stale.

    Parameters
    ----------
    files : mapping of Path to str
        Text by file, each in UTF-8.
    command : str
        What writes them, for the message.
    check : bool

    Returns
    -------
    int
        The exit code: 1 with `check` when a file is stale, else 0.
    """
    stale = {path: text for path, text in files.items() if not _holds(path, text)}
    if check:
        if stale:
            print(f"error: {', '.join(path.name for path in stale)}: stale; run {command}", file=sys.stderr)
        return int(bool(stale))
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.name)
    return 0


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text

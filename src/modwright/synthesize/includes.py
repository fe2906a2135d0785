# SPDX-License-Identifier: Apache-2.0
"""Includes of Verilog sources, followed before Yosys runs, because Yosys never ends on a file that includes itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base.disk import read_text_bounded
from ..base.errors import UsageError

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*`include[ \t]+"([^"\n]+)"', re.MULTILINE)
_MOST_BYTES = 1 << 28
"""Most bytes of a source; a netlist of a full device has some tens of megabytes."""
_GUARDED = re.compile(r"\s*`ifndef\s+(\w+)\s+`define\s+\1\b")


def check_includes(files: Sequence[Path]) -> None:
    """Follow the includes of all files.

    A file whose text is within an include guard (`ifndef, then `define of the same name) is read once, so that a circle
    through it ends. Files that are not found are left to Yosys.

    Raises
    ------
    UsageError
        For a file that includes itself, directly or through others, without a guard; names the chain. For one that
        cannot be read.
    """
    folders = sorted({path.resolve().parent for path in files})
    seen: set[Path] = set()
    for path in files:
        _follow(path.resolve(), folders, [], seen)


def _follow(path: Path, folders: Sequence[Path], chain: list[Path], seen: set[Path]) -> None:
    """Depth first; `chain` leads to this file, and `seen` are files whose includes are known to end."""
    if path in seen:
        return
    if path in chain:
        names = " includes ".join(part.name for part in [*chain[chain.index(path) :], path])
        raise UsageError(f"{names}, without an end", "an include guard: `ifndef NAME, `define NAME, .. `endif")
    text = _COMMENTS.sub(" ", _text(path))
    if _GUARDED.match(text):
        seen.add(path)
    for inner in _included(text, path.parent, folders):
        _follow(inner, folders, [*chain, path], seen)
    seen.add(path)


def _text(path: Path) -> str:
    return read_text_bounded(path, _MOST_BYTES)


def _included(text: str, own: Path, folders: Sequence[Path]) -> Iterable[Path]:
    """Files that a text includes, looked for next to it and in the folders of the sources."""
    for name in _INCLUDE.findall(text):
        found = next((place / name for place in (own, *folders) if (place / name).is_file()), None)
        if found is not None:
            yield found.resolve()

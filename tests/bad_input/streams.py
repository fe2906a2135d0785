# SPDX-License-Identifier: Apache-2.0
"""Standard streams: closed, full, or of an encoding that lacks most characters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .case import Case, Done

COMMANDS: dict[str, tuple[str, ...]] = {
    "version": ("--version",),
    "help": ("--help",),
    "list": ("list",),
    "show": ("show", "modmul/sor-lean"),
    "params": ("params", "modmul/sor-lean", "-m", "2^64+13"),
    "params as JSON": ("params", "modmul/sor-lean", "-m", "2^64+13", "--json"),
    "compare": ("compare", "--function", "modmul", "--bits", "256"),
    "compare as JSON": ("compare", "--function", "modmul", "--bits", "256", "--json"),
    "paper": ("paper", "all"),
    "campaign": ("campaign", "modmul/vlm3", "-O", "bits=8", "-n", "9", "--workers", "1"),
}

SLOW = ("paper", "compare")

ENCODINGS = ("ascii", "latin-1", "cp437", "koi8-r", "utf-16", "shift-jis")

STATES: dict[str, tuple[str, int]] = {
    "closed": (">&-", 2),
    "full": ("> /dev/full", 2),
    "closed with stderr": (">&- 2>&-", 2),
    "full with stderr": ("> /dev/full 2> /dev/full", 2),
    "there, and stderr closed": ("2>&-", 0),
    "there, and no input": ("<&-", 0),
}

ERRORS = ("params", "modmul/csa", "-m", "98")


def _plain(folder: Path, done: Done) -> None:
    import json

    json.loads(done.out)


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, words in COMMANDS.items():
        for encoding in ENCODINGS:
            after = {"after": _plain} if "JSON" in name and encoding == "ascii" else {}
            yield Case(
                f"{name} in {encoding}",
                words,
                0,
                environment={"PYTHONIOENCODING": encoding},
                quick=words[0] not in SLOW,
                **after,
            )
        for state, (redirect, code) in STATES.items():
            yield Case(f"{name}: stdout {state}", words, code, redirect=redirect, seconds=90)
        environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        yield Case(f"{name} in locale C", words, 0, environment=environment, redirect="", seconds=90)
    for state, (redirect, _) in STATES.items():
        yield Case(f"an error: stdout {state}", ERRORS, 2, redirect=redirect, seconds=90)
    yield Case("an error: stderr full", ERRORS, 2, redirect="2> /dev/full", seconds=90)
    yield Case("an error of no UTF-8", ("show", "\udcff\udcfe"), 2, redirect="", seconds=90)
    yield Case(
        "a name of no UTF-8 in a file", (*COMMANDS["compare"], "--html", "\udcff.html"), 2, redirect="", seconds=90
    )
    for columns in ("0", "1", "-5", "x", "", "100000000", "9" * 40):
        yield Case(f"a terminal of {columns[:12]!r} columns", COMMANDS["show"], 0, environment={"COLUMNS": columns})

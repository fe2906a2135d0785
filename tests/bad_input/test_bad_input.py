# SPDX-License-Identifier: Apache-2.0
"""Bad input of every class: no traceback, no hang, the exit code that is due, nothing left behind.

A part of every class runs every time, spread evenly over its table; all of it under the mark `campaign`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from modwright import cli

from .case import Case, run

QUICK = {
    "command_lines": 20,
    "moduli": 12,
    "request_files": 18,
    "vector_files": 14,
    "outputs": 20,
    "synthesis": 10,
    "rsa_keys": 12,
    "special_files": 12,
    "widths": 6,
    "option_values": 8,
    "questions": 12,
    "stores": 8,
    "streams": 8,
    "disks": 0,
    "signals": 0,
}
"""Cases of each class that run every time, in this process; a case with a shell of its own is for campaigns."""

LEAST = 700
"""Cases of all classes."""


def cases_of(name: str) -> list[Case]:
    """The cases of a class, by the name of its module."""
    return list(importlib.import_module(f"{__package__}.{name}").cases())


def spread(cases: Sequence[Case], number: int) -> list[Case]:
    """So many of the cases that take no long time, evenly."""
    short = [case for case in cases if case.redirect is None and case.quick]
    return [short[k * len(short) // number] for k in range(min(number, len(short)))]


def failures(cases: Sequence[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Faults, each with the name of its case; every case has a folder of its own, and all share a store."""
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MODWRIGHT_DEBUG", raising=False)
    found = []
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        found += [f"{case.name}: {text}" for text in run(case, folder)]
    return found


@pytest.mark.parametrize("name", [name for name, number in QUICK.items() if number])
def test_a_part_of_every_class(name, tmp_path, monkeypatch):
    assert failures(spread(cases_of(name), QUICK[name]), tmp_path, monkeypatch) == []


@pytest.mark.campaign
@pytest.mark.parametrize("name", QUICK)
def test_all_of_a_class(name, tmp_path, monkeypatch):
    assert failures(cases_of(name), tmp_path, monkeypatch) == []


def test_the_tables_are_large_and_name_each_case_once():
    tables = {name: [case.name for case in cases_of(name)] for name in QUICK}
    for names in tables.values():
        assert len(names) == len(set(names))
    assert sum(map(len, tables.values())) >= LEAST


def test_the_runner_sees_what_is_wrong(tmp_path, monkeypatch):
    """Planted: a wrong exit code, a hang, a file that is left, an internal error, and a message of nobody."""

    def main(words):
        return {"code": lambda: 0, "hang": wait, "file": leave, "error": blame}[words[0]]()

    def wait():
        while True:
            pass

    def leave():
        Path("left").write_text("")
        print("error: no", file=sys.stderr)
        return 2

    def blame():
        print("internal error: x", file=sys.stderr)
        return 2

    monkeypatch.setattr(cli, "main", main)
    planted = [Case(word, (word,), seconds=0.2) for word in ("code", "hang", "file", "error")]
    found = failures([*planted, Case("unsaid", ("error",), message="the rule")], tmp_path, monkeypatch)
    for text in ("code: exit code 0, and 2 is due", "hang: hangs", "file: left or changed left",
                 "error: stderr has 'internal error'", "unsaid: stderr lacks 'the rule'"):  # fmt: skip
        assert any(line.startswith(text) for line in found), text

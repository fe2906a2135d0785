# SPDX-License-Identifier: Apache-2.0
"""What a run of the tests leaves to `make test-all`, as long_run.yaml lists it."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parent


@cache
def left() -> dict[str, dict[str, list[str] | str]]:
    """Cases that are left, of each test that has some, of each file; "all" stands for those of a whole test."""
    return yaml.safe_load((FOLDER / "long_run.yaml").read_text(encoding="utf-8"))


def is_left(path: str, test: str, case: str) -> bool:
    cases = left().get(path, {}).get(test, [])
    return cases == "all" or case in cases


def parts(item: pytest.Item) -> tuple[str, str, str]:
    """File in this folder, name of the test, and what stands in brackets."""
    path, _, name = item.nodeid.partition("::")
    test, _, case = name.partition("[")
    return path.removeprefix("tests/"), test, case.removesuffix("]")


def unknown(path: str, there: Iterable[tuple[str, str]]) -> list[str]:
    """What the list names in a file of which all tests and their cases are there."""
    there = set(there)
    tests = {test for test, _ in there}
    lost = [test for test in left().get(path, {}) if test not in tests]
    named = [(test, case) for test, cases in left().get(path, {}).items() if cases != "all" for case in cases]
    return lost + [f"{test}[{case}]" for test, case in named if test in tests and (test, case) not in there]


def leave(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is left; a name in the list that no test has is an error where a file is collected as a whole."""
    files: dict[str, set[tuple[str, str]]] = {}
    for item in items:
        path, test, case = parts(item)
        files.setdefault(path, set()).add((test, case))
        if is_left(path, test, case):
            item.add_marker(pytest.mark.campaign)
    if not any("::" in argument for argument in config.args):
        lost = [f"{path}: {name}" for path, there in files.items() for name in unknown(path, there)]
        if lost:
            raise pytest.UsageError(f"long_run.yaml names tests that are not there: {', '.join(lost)}")

# SPDX-License-Identifier: Apache-2.0
"""Every request in examples/ can be derived, and every core has one."""

from pathlib import Path

import pytest
import yaml

from modwright.registry import all_cores

from .conftest import CommandLine

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


VARIABLE_TIME = {"modmul/vlm3"}
"""Cores whose cycle count depends on operands, as their schedules say."""


def test_every_core_has_an_example():
    assert {yaml.safe_load(path.read_text(encoding="utf-8"))["core"] for path in EXAMPLES} == set(all_cores())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_params_of_an_example(path, capsys):
    run = CommandLine(capsys)
    assert run("params", path, "--json") == 0
    assert run.json["certificate"]
    assert all(row["holds"] == "yes" for row in run.json["certificate"])
    assert run.json["schedule"]["constant_time"] is (run.json["request"]["core"] not in VARIABLE_TIME)
    assert run("params", path) == 0
    assert run.err == ""

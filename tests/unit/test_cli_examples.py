# SPDX-License-Identifier: Apache-2.0
"""Every request in examples/ can be derived, and every core has one; of the exponentiations, every method."""

from pathlib import Path

import pytest
import yaml

from modwright.combine.exponentiation.parameters import METHODS
from modwright.prepared.registry import all_cores

from .conftest import CommandLine

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


VARIABLE_TIME = {
    "modmul/vlm3",
    "modexp/vlm3-l2r",
    "modexp/vlm3-r2l",
    *(f"modinv/rns-{name}" for name in ("bmi", "btmi", "btmi-fused")),
    "rns/processor",
}
"""Cores whose cycle count depends on operands, as their schedules say."""


def test_every_core_has_an_example():
    named = {yaml.safe_load(path.read_text(encoding="utf-8"))["core"] for path in EXAMPLES}
    assert named <= set(all_cores())
    assert {name for name in all_cores() if not name.startswith("modexp/")} <= named
    assert {name.rpartition("-")[2] for name in named if name.startswith("modexp/")} == set(METHODS)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_params_of_an_example(path, capsys):
    run = CommandLine(capsys)
    assert run("params", path, "--json") == 0
    assert run.json["certificate"]
    assert all(row["holds"] == "yes" for row in run.json["certificate"])
    assert run.json["schedule"]["constant_time"] is (run.json["request"]["core"] not in VARIABLE_TIME)
    assert run("params", path) == 0
    assert run.err == ""

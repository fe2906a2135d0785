# SPDX-License-Identifier: Apache-2.0
"""The examples in every help are command lines that the command takes, for cores, fields and curves that there are."""

import shlex

import pytest
import typer
from typer.core import TyperGroup

from modwright import cli
from modwright.prepared.registry import find

APP = typer.main.get_command(cli.app)


def commands(group, path=()):
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


EXAMPLES = [
    (" ".join(path), line.strip())
    for path, command in commands(APP)
    for line in (command.help or "").splitlines()
    if line.strip().startswith("modwright ")
]
"""Name of the command, and the example."""


def test_every_command_has_one():
    of_fusesoc = {"fusesoc"}  # FuseSoC calls it: its example is one of a core file
    assert {" ".join(path) for path, _ in commands(APP)} - of_fusesoc == {name for name, _ in EXAMPLES}


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_an_example_is_taken(name, example, monkeypatch, tmp_path):
    """It is parsed as a whole, by the command whose help has it, and the core that it names is there."""
    words = shlex.split(example)
    assert words[1 : 1 + len(name.split())] == name.split()
    monkeypatch.chdir(tmp_path)
    command = {" ".join(path): found for path, found in commands(APP)}[name]
    context = command.make_context(name, words[1 + len(name.split()) :])
    core = context.params.get("core")
    if core and not str(core).endswith(".yaml"):
        find(core)

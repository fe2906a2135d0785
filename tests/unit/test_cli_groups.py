# SPDX-License-Identifier: Apache-2.0
"""Groups of options, and the help of every command."""

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
import typer

from modwright import cli
from modwright.cli.groups import Command, grouped
from modwright.cli.loading import PLACES

from ..sources import parsed

NAMES = [*(name for name in PLACES if name != "vivado"), "vivado export", "vivado import"]
LINES = 25
"""Of the body of a command."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """A group."""

    heading: ClassVar = "Size"

    width: Annotated[int, typer.Option("--width", metavar="N", help="In bits.")]
    exact: Annotated[bool, typer.Option("--exact", help="No more.")] = False


def application(command):
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(cls=Command)(grouped(command))
    return app


def printed(app, words, capsys):
    with pytest.raises(SystemExit) as end:
        app(words)
    return end.value.code, capsys.readouterr()


def test_a_group_comes_as_one_object(capsys):
    def make(size: Size, deep: Annotated[bool, typer.Option("--deep")] = False) -> None:
        print(size, deep)

    code, text = printed(application(make), ["--width", "8", "--deep"], capsys)
    assert (code, text.out) == (0, f"{Size(width=8)} True\n")
    code, text = printed(application(make), ["--deep"], capsys)
    assert code == 2 and "--width" in text.err, "a field without a default has to be given"


def test_the_help_has_a_section_for_each_group_and_examples_as_written(capsys):
    def make(size: Size) -> None:
        """Make it.

        Examples:
          make --width 8
          make --width 9
        """

    code, text = printed(application(make), ["--help"], capsys)
    assert code == 0
    assert "\nSize:\n  --width N  In bits.  [required]\n" in text.out
    assert "\n  Examples:\n    make --width 8\n    make --width 9\n" in text.out


def test_two_options_of_one_name_are_refused():
    def make(size: Size, width: int = 3) -> None:
        pass

    with pytest.raises(TypeError, match="two options of one name"):
        grouped(make)


@pytest.mark.parametrize("name", NAMES)
def test_every_help_is_readable(run, name):
    assert run(*name.split(), "--help") == 0
    assert "Example" in run.out and f"modwright {name}" in run.out
    assert "\b" not in run.out and "\\b" not in run.out
    assert max(map(len, run.out.splitlines())) <= 80


def functions():
    for path in sorted(Path(inspect.getfile(cli)).parent.glob("*.py")):
        for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.name}: {node.name}", node


def test_functions_of_the_command_line_are_short():
    """The body without its docstring; signatures list options, and are as long as those are many."""
    for name, node in functions():
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
        assert length <= LINES, f"{name} has {length} lines"

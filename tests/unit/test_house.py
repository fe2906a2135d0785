# SPDX-License-Identifier: Apache-2.0
"""Rules of CONTRIBUTING.md about the source, held over every file of the package."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "modwright"
FILES = sorted(PACKAGE.rglob("*.py"))

CONTRACT = {"core", "codec", "extremes", "inner", "model", "multiplier", "p", "parameters", "prepared", "whole"}
"""Names, as variables or attributes, of what the contract describes."""


def name_of(node):
    """The last name of an expression such as `self.prepared.parameters`, or of a call of one."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def guessed(source):
    """Calls of hasattr, and of getattr with a default."""
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        function = name_of(call) if isinstance(call.func, ast.Name) else None
        if function == "hasattr" or (function == "getattr" and len(call.args) == 3):
            yield call


def guesses(source):
    """Lines that ask a contract object whether it has something: its type says so."""
    return [call.lineno for call in guessed(source) if name_of(call.args[0]) in CONTRACT]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_nobody_asks_a_contract_object_what_it_has(path):
    assert guesses(path.read_text(encoding="utf-8")) == []


HARDWARE = ("rtl", "engines", "cores", "combine", "contract", "prove")
"""Folders with hardware, and with what is said of it."""


def test_no_missing_port_is_a_silent_zero():
    """A misspelt name of a port or a control field has to be an error."""
    found = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in FILES
        if path.relative_to(PACKAGE).parts[0] in HARDWARE
        and (lines := [call.lineno for call in guessed(path.read_text(encoding="utf-8"))])
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("getattr(prepared.parameters, 'fold_plans', None)", [1]),
        ("x = 1\nhasattr(self.p, 'cox')", [2]),
        ("getattr(prepared.core.codec(q), 'residues', ())", [1]),
        ("getattr(component, 'x')", []),
        ("getattr(sys.stdout, 'encoding', None)", []),
    ],
)
def test_a_planted_guess_is_seen(source, lines):
    assert guesses(source) == lines


def test_a_planted_silent_zero_is_seen():
    assert [call.lineno for call in guessed("m.d.comb += x.eq(getattr(control, 'second', 0))")] == [1]


# --- Any


def any_lines(source):
    """Lines with an annotation that says Any."""
    annotations = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) or (isinstance(node, ast.arg) and node.annotation):
            annotations.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            annotations.append(node.returns)
    names = (name for one in annotations for name in ast.walk(one) if isinstance(name, ast.Name))
    return {name.lineno for name in names if name.id == "Any"}


MOST_ANY = 183
"""Lines of the package with Any in an annotation: a number that only goes down."""


def test_annotations_seldom_say_any():
    assert sum(len(any_lines(path.read_text(encoding="utf-8"))) for path in FILES) <= MOST_ANY


def test_a_planted_any_is_seen():
    assert any_lines("def f(\n    x: dict[str, Any],\n) -> Any:\n    y: int = x['Any']\n") == {2, 3}

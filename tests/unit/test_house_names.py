# SPDX-License-Identifier: Apache-2.0
"""Identifiers that say nothing, held over the package and the commands of bench/ (CONTRIBUTING.md, Words)."""

import ast
from pathlib import Path

from ..sources import nodes

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("src/modwright", "bench") for path in (ROOT / folder).rglob("*.py"))

NEVER = {"Play", "asked", "emitted", "heard", "kept", "lemma", "play", "played", "said", "still", "told", "wanted"}
"""Names that nothing has."""

INSIDE_ONLY = {"found"}
"""Names that a variable of a function may have, and no parameter, attribute, class or function."""

PAIRED = {"copy", "each", "more", "none", "other", "two", "zero"}
"""Names next to which `one` says which of several things it is."""

HARDWARE = {"bus", "hardware", "rtl"}
"""Folders (and files) in which variables name signals: another name would be other Verilog."""


def bound(node):
    """Names that a target binds, such as those of a tuple."""
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def parameters_of(node):
    """Names of the parameters of a function or a lambda."""
    given = node.args
    return {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if a}


def groups(source):
    """Line, names that are bound together, and whether others than a function see them."""
    inside = set[int]()
    for node in nodes(source):
        if id(node) in inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside.update(id(part) for part in ast.iter_child_nodes(node))
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, {node.name}, True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node.lineno, parameters_of(node), True
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.target.lineno, bound(node.target), False
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute):
                    yield node.lineno, {target.attr}, True
                else:
                    yield node.lineno, bound(target), id(node) not in inside


def empty_names(source):
    """Lines with a name that says nothing, and the name."""
    for line, names, outside in groups(source):
        yield from ((line, name) for name in sorted(names & NEVER))
        if outside:
            yield from ((line, name) for name in sorted(names & INSIDE_ONLY))
    yield from ((line, "one") for line, names in elements_of(source) if "one" in names and not names & PAIRED)


def elements_of(source):
    """Line and names of each loop variable, parameter of a lambda and parameter of a function."""
    for node in nodes(source):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.target.lineno, bound(node.target)
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node.lineno, parameters_of(node)


def signals(path):
    """Whether variables of a file may name signals."""
    return bool(HARDWARE & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts})


def test_names_say_something():
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in FILES
        if not signals(path) and (names := list(empty_names(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


PLANTED = """
class Sample:
    found: int

def wanted(one, found):
    self.kept = [one.name for one in found]
    for one, other in found:
        still = one
    found = sorted(other, key=lambda one: one.name)
    zero, one = 0, 1
"""


def test_planted_names_are_seen():
    assert sorted(empty_names(PLANTED)) == [
        (3, "found"),
        (5, "found"),
        (5, "one"),
        (5, "wanted"),
        (6, "kept"),
        (6, "one"),
        (8, "still"),
        (9, "one"),
    ]

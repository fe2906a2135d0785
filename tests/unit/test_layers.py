# SPDX-License-Identifier: Apache-2.0
"""The direction of docs/architecture.md, over every import, those of functions and types too; no circles."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "modwright"
OUTSIDE = {"__init__", "__main__"}
"""The version number, which anyone may read, and the word that starts the command line."""


def layers():
    """Level of each module or folder, from the indented table of docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = re.search(r"(?:^    .*\n)+", text, flags=re.MULTILINE).group()
    rows = [re.split(r" {2,}", line.strip())[0] for line in table.splitlines()]
    return {name: level for level, row in enumerate(rows) for name in re.findall(r"\w+", row)}


LAYERS = layers()
FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(parts):
    """The name in the table for a path inside the package."""
    return parts[0].removesuffix(".py")


def imports(source, parts):
    """Dotted paths inside the package that a file imports, without the package's own name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ["modwright", *parts[:-1]]
            start = base[: len(base) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (tuple(name.split(".")[1:]) for name in names if name.startswith("modwright."))


def violations(source, parts):
    """Imports of a file that go up, or across to another part of its own row."""
    own = layer_of(parts)
    for target in imports(source, parts):
        other = layer_of(target)
        if other == own or other.startswith("__"):
            continue
        if LAYERS[other] >= LAYERS[own]:
            yield f"{'/'.join(parts)} imports {'.'.join(target)}"


def test_the_table_names_every_part():
    parts = {layer_of(p.relative_to(PACKAGE).parts) for p in FILES}
    assert parts - OUTSIDE == set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path):
    parts = path.relative_to(PACKAGE).parts
    if layer_of(parts) in OUTSIDE:
        return
    assert list(violations(path.read_text(encoding="utf-8"), parts)) == []


FAMILIES = [p.parent.relative_to(PACKAGE) for name in ("cores", "combine") for p in (PACKAGE / name).rglob("model.py")]


@pytest.mark.parametrize("family", sorted(FAMILIES), ids=str)
def test_model_and_core_do_not_know_each_other(family):
    for one, other in (("model.py", "core"), ("core.py", "model")):
        parts = (*family.parts, one)
        source = (PACKAGE / family / one).read_text(encoding="utf-8")
        assert (*family.parts, other) not in {target[: len(parts)] for target in imports(source, parts)}


@pytest.mark.parametrize(
    ("source", "bad"),
    [
        ("from ..cli import main", True),
        ("import modwright.report", True),
        ("def f():\n    from ..simulate import verify", True),
        ("from ..base.errors import UsageError", False),
        ("from .. import __version__", False),
        ("if TYPE_CHECKING:\n    from ..cli import main", True),
    ],
)
def test_a_violation_is_seen(source, bad):
    assert bool(list(violations(source, ("rtl", "planted.py")))) == bad


# --- circles


def module_of(parts):
    """The dotted path of a file inside the package."""
    names = [*parts[:-1], parts[-1].removesuffix(".py")]
    return tuple(names[:-1] if names[-1] == "__init__" else names)


def graph(files):
    """The modules that each module imports, from sources by path inside the package."""
    modules = {module_of(parts) for parts in files}

    def targets(parts, source):
        for target in imports(source, parts):
            found = next((target[:n] for n in range(len(target), -1, -1) if target[:n] in modules), None)
            if found and found != module_of(parts):
                yield found

    return {module_of(parts): set(targets(parts, source)) for parts, source in files.items()}


def circles(arrows):
    """Modules that come back to themselves, in circles of at least two; empty where there are none."""
    left = dict(arrows)
    while ends := {module for module, targets in left.items() if not targets & left.keys()}:
        left = {module: targets for module, targets in left.items() if module not in ends}
    return sorted(".".join(module) for module in left if reaches(left, module))


def reaches(arrows, start):
    """Whether a way from a module leads back to it."""
    seen, waiting = set(), list(arrows[start] & arrows.keys())
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += arrows[module] & arrows.keys()
    return start in seen


LADDER = {f"cores.ecpm.ladder.{name}" for name in ("kept", "parameters", "program")}
"""The one circle: the program of the ladder hangs off its parameters."""


def test_no_module_comes_back_to_itself():
    files = {path.relative_to(PACKAGE).parts: path.read_text(encoding="utf-8") for path in FILES}
    assert set(circles(graph(files))) <= LADDER


def test_a_planted_circle_is_seen():
    files = {
        ("rtl", "__init__.py"): "",
        ("rtl", "a.py"): "from .b import x",
        ("rtl", "b.py"): "if TYPE_CHECKING:\n    from . import c",
        ("rtl", "c.py"): "def f():\n    from .a import y",
        ("rtl", "d.py"): "from .a import y",
    }
    assert circles(graph(files)) == ["rtl.a", "rtl.b", "rtl.c"]

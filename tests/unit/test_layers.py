# SPDX-License-Identifier: Apache-2.0
"""The direction of docs/architecture.md, over every import, those of functions and types too; no circles."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from ..sources import nodes

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
    for node in nodes(source):
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


def test_imports_go_down():
    files = {path.relative_to(PACKAGE).parts: path for path in FILES}
    inside = {parts: path for parts, path in files.items() if layer_of(parts) not in OUTSIDE}
    assert len(inside) >= len(files) - len(OUTSIDE)
    found = [violations(path.read_text(encoding="utf-8"), parts) for parts, path in inside.items()]
    assert [violation for of_file in found for violation in of_file] == []


# --- families


def modules():
    """Dotted name inside the package and file of every module."""
    found = {}
    for path in FILES:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@cache
def imported(module):
    """Modules of the package that one imports, those of type annotations left out."""
    parts = MODULES[module].relative_to(PACKAGE).parts
    found = set()
    for target in imports(MODULES[module].read_text(encoding="utf-8"), parts):
        names = (".".join(target[:length]) for length in range(len(target), 0, -1))
        found.add(next((name for name in names if name in MODULES), ""))
    return frozenset(found - {"", module})


def reached(module, imported_by=imported):
    """Every module on a path of imports from one, each with the module before it on such a path."""
    found, left = {module: None}, [module]
    while left:
        one = left.pop()
        for other in sorted(imported_by(one)):
            if other not in found:
                found[other] = one
                left.append(other)
    return found


def path_to(found, module):
    """The way on which a module was reached, for a message."""
    names = []
    while module is not None:
        names.append(module)
        module = found[module]
    return " <- ".join(names)


def is_hardware(module):
    """A module of `rtl`, or a file or folder called `hardware`."""
    parts = module.split(".")
    return parts[0] == "rtl" or "hardware" in parts


def inside(module, part):
    """Whether a module is that of a part of its family or engine, a file or in a folder of that name."""
    return part in module.split(".")[-2:]


FAMILIES = sorted(
    name
    for name in MODULES
    if (name.startswith("cores.") and name.count(".") == 2) or (name.startswith("combine.") and name.count(".") == 1)
)
"""Dotted names of the packages of `cores/FUNCTION/FAMILY` and `combine/FAMILY`."""
PARTS = {"parameters", "schedule", "model", "hardware"}
OPTIONAL = {"codec", "extremes", "statistics", "trials", "blocks", "plan"}
"""`plan`: programs, tables and divisions of numbers, without hardware, that parameters and schedule are made from."""


def family_of(module):
    """The family that a module belongs to; None outside of them."""
    return next((name for name in FAMILIES if module == name or module.startswith(f"{name}.")), None)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_its_parts(family):
    folder = MODULES[family].parent
    parts = {path.stem for path in folder.iterdir() if path.name not in {"__init__.py", "__pycache__", "README.md"}}
    assert parts - OPTIONAL == PARTS
    assert (folder / "README.md").is_file()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_path_from_model_to_hardware_nor_back(family):
    """Neither from parameters and schedule, which both of them read."""
    own = [name for name in MODULES if family_of(name) == family]
    for part in ("model", "parameters", "schedule", "plan", "codec", "extremes"):
        for module in own:
            if inside(module, part) and not is_hardware(module):
                found = reached(module)
                assert [path_to(found, name) for name in found if is_hardware(name)] == []
    for module in own:
        if is_hardware(module):
            found = reached(module)
            assert [path_to(found, name) for name in found if inside(name, "model")] == []


@pytest.mark.parametrize("family", [name for name in FAMILIES if name.startswith("cores.")])
def test_no_path_from_family_to_family(family):
    for module in MODULES:
        if family_of(module) == family:
            found = reached(module)
            assert [path_to(found, name) for name in found if family_of(name) not in {None, family}] == []


def test_a_path_is_seen():
    graph = {"a": {"b"}, "b": {"c"}, "c": set()}
    found = reached("a", graph.get)
    assert path_to(found, "c") == "c <- b <- a"


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


def test_no_module_comes_back_to_itself():
    files = {path.relative_to(PACKAGE).parts: path.read_text(encoding="utf-8") for path in FILES}
    assert circles(graph(files)) == []


def test_a_planted_circle_is_seen():
    files = {
        ("rtl", "__init__.py"): "",
        ("rtl", "a.py"): "from .b import x",
        ("rtl", "b.py"): "if TYPE_CHECKING:\n    from . import c",
        ("rtl", "c.py"): "def f():\n    from .a import y",
        ("rtl", "d.py"): "from .a import y",
    }
    assert circles(graph(files)) == ["rtl.a", "rtl.b", "rtl.c"]

# SPDX-License-Identifier: Apache-2.0
"""The guides followed to the letter: a core and a function written from the text of their pages alone, and run."""

import importlib
import re
import sys
from itertools import product
from pathlib import Path

import pytest

import modwright.cores.modmul
import modwright.functions
from modwright.catalog import resolve_modulus
from modwright.contract.request import Request
from modwright.functions import find_function
from modwright.prepared import prepare
from modwright.simulate import verify

DOCS = Path(__file__).parents[2] / "docs"
PIECE = re.compile(r"(?:in|In|Its) `(\w+\.py)`|^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def files_of(page):
    """Text of each file: the pieces after the last file name before them, in order, with a blank line in between."""
    found, name = {}, ""
    for match in PIECE.finditer(page):
        name = match[1] or name
        if match[2]:
            found[name] = f"{found[name]}\n{match[2]}" if name in found else match[2]
    return found


def written(folder, files):
    """A package of these files."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def imported(monkeypatch, tmp_path):
    """A function that imports a module from a temporary folder as one of a package of Modwright."""
    made = []

    def of(package, name):
        made.append(f"{package.__name__}.{name}")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        return importlib.import_module(made[-1])

    yield of
    for name in made:
        package, _, own = name.rpartition(".")
        vars(sys.modules[package]).pop(own, None)
        for known in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[known]


def core_of(page, tmp_path, imported):
    written(tmp_path / "guided", files_of(page.replace("modmul/blakley", "modmul/guided")))
    (core,) = imported(modwright.cores.modmul, "guided").CORES
    return core


@pytest.fixture
def guide():
    return (DOCS / "adding-a-core.md").read_text(encoding="utf-8")


def of_every_product(core, store):
    prepared = prepare(core, Request.make(core, modulus="13", target="generic"), store)
    cases = [{"x": x, "y": y} for x, y in product(range(13), repeat=2)]
    return verify(prepared, cases, simulator="pure")


def test_a_core_from_the_guide_multiplies(guide, tmp_path, imported, store):
    """169 of 169 products modulo 13, and the files that the page says a family has."""
    core = core_of(guide, tmp_path, imported)
    found = of_every_product(core, store)
    assert (found.failed, found.passed) == ([], 169)
    assert {path.stem for path in (tmp_path / "guided").glob("*.py")} == {
        "__init__", "parameters", "schedule", "model", "hardware", "extremes",
    }  # fmt: skip


def test_a_guide_with_a_wrong_line_is_seen(guide, tmp_path, imported, store):
    """An adder that forgets y."""
    wrong = guide.replace("total.eq((s << 1) + Mux(x[-1], y, 0))", "total.eq(s << 1)")
    assert wrong != guide
    assert of_every_product(core_of(wrong, tmp_path, imported), store).failed


def test_a_function_from_the_guide_adds(tmp_path, imported):
    """169 of 169 sums modulo 13, and its own cases, as the function in the package has them."""
    page = (DOCS / "adding-a-function.md").read_text(encoding="utf-8")
    (tmp_path / "guided.py").write_text(files_of(page)["modadd.py"], encoding="utf-8")
    function, m = imported(modwright.functions, "guided").FUNCTION, resolve_modulus("13")
    for x, y in product(range(13), repeat=2):
        assert function.evaluate({"x": x, "y": y}, m) == {"z": (x + y) % 13}
    known = find_function("modadd")
    assert function.edges(m, None) == known.edges(m, None)
    assert (function.name, function.register_code, function.operands) == ("modadd", known.register_code, ("x", "y"))

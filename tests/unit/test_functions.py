# SPDX-License-Identifier: Apache-2.0
"""Functions as things: found like cores, told apart by what they say of themselves and by no name elsewhere."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import modwright
from modwright.driver import FOLDER
from modwright.functions import SOUGHT, all_functions, checked, find_function, instead_of
from modwright.functions.vectors import load
from modwright.prepared.registry import all_cores

from ..sources import nodes

SOURCE = Path(modwright.__file__).parent
OWN = ("functions", "cores", "combine")
"""Folders that may name a function: it is defined there, and computed."""
NAMES = set(all_functions())


def comparisons(source):
    """Lines that compare with the name of a function, or look it up in a literal."""
    for node in nodes(source):
        if isinstance(node, ast.Compare):
            texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        elif isinstance(node, ast.Dict):
            texts = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            texts = [node.value.value]
        else:
            continue
        if NAMES.intersection(texts):
            yield node.lineno if hasattr(node, "lineno") else 0


def test_no_function_is_told_by_its_name():
    """All files of the package but those of functions and cores; the list of what was looked at is not empty."""
    files = [p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] not in OWN]
    assert len(files) > 100
    found = {p.relative_to(SOURCE).as_posix(): list(comparisons(p.read_text(encoding="utf-8"))) for p in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    ['f == "ecpm"', 'f in ("modmul", "modinv")', 'CODES = {"modmul": 1}', 'match f:\n    case "modexp":\n        pass'],
)
def test_a_comparison_is_seen(source):
    assert list(comparisons(source))


def test_every_core_computes_a_function():
    assert {core.function for core in all_cores().values()} <= NAMES


def test_register_codes_stay():
    """They are in hardware that exists."""
    codes = {name: function.register_code for name, function in all_functions().items()}
    assert codes.items() >= {"modmul": 1, "modinv": 2, "modexp": 3, "ecpm": 4, "basext": 5, "modadd": 6}.items()
    assert list(codes.values()) == sorted(codes.values())
    assert max(codes.values()) < 1 << 8


@pytest.mark.parametrize("change", [{"name": "other"}, {"register_code": 99}])
def test_names_and_codes_are_used_once(change):
    known = find_function("modmul")
    with pytest.raises(ValueError, match="two functions"):
        checked([known, replace(known, **change)])


def test_prototypes_are_those_of_the_header():
    text = re.sub(r"\s+", " ", (FOLDER / "modwright.h").read_text(encoding="utf-8"))
    offered = {f.name: f for f in all_functions().values() if f.c_prototype is not None}
    for f in offered.values():
        assert all(" ".join(one.split()) in text for one in f.c_prototype.split(";"))
    declared = dict(re.findall(r"(MW_[A-Z]+) = (\d+)", re.search(r"FUNCTION\.CODE \*/ enum \{([^}]*)", text).group(1)))
    assert declared == {f"MW_{name.upper()}": str(f.register_code) for name, f in offered.items()}


@pytest.mark.parametrize("function", all_functions().values(), ids=lambda f: f.name)
def test_a_function_says_how_its_numbers_are_called(function):
    """Names of the formula are operands and results; scalars and coordinates are operands."""
    words = set(re.findall(r"[a-z]+", function.formula.partition(", from")[0]))
    assert words == {*function.operands, *function.results}
    assert function.scalars <= set(function.operands)
    assert set(function.coordinates) <= set(function.operands)


def test_a_planted_function_reads_vectors(monkeypatch, tmp_path):
    """One object is enough for vector files: nothing else knows its name."""
    known = all_functions()
    planted = replace(
        known["modmul"],
        name="modsum",
        formula="p + q = s",
        operands=("p", "q"),
        results=("s",),
        evaluate=lambda case, domain: {"s": (case["p"] + case["q"]) % case["modulus"]},
        register_code=99,
        c_prototype=None,
    )
    monkeypatch.setattr("modwright.functions.vectors.all_functions", lambda: {**known, "modsum": planted})
    path = tmp_path / "vectors.json"
    path.write_text('{"modulus": "0x3d", "cases": [{"p": "0x3c", "q": "0x2", "s": "0x1"}]}')
    file = load(path)
    assert (file.function, file.cases) == ("modsum", [{"p": 60, "q": 2, "s": 1}])
    assert planted.evaluate(file.cases[0] | {"modulus": file.modulus}, None) == {"s": 1}


def test_an_unknown_function_points_to_the_one_that_is_meant():
    names = list(all_functions())
    assert instead_of("X25519", names) == f"xmul; the functions are {', '.join(names)}"
    assert instead_of("modmull", names).startswith("modmul; ")
    assert instead_of("sqrt", names) == f"one of {', '.join(names)}"
    assert {*SOUGHT.values()} <= {*names}

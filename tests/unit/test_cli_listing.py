# SPDX-License-Identifier: Apache-2.0
"""The commands list, fields and curves."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.catalog import curves, moduli, resolve_curve, resolve_modulus
from modwright.cli import main
from modwright.cli.inspection import _slack
from modwright.cli.loading import PLACES
from modwright.contract.request import Request
from modwright.prepared import index
from modwright.prepared.index import entries
from modwright.prepared.registry import aliases, all_cores, find, find_requested, name_of_today


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in 80 columns: its exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        code = main([*map(str, words)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def rows(run):
    """The JSON of a command."""

    def call(*words):
        code, out, _ = run(*words, "--json")
        assert code == 0
        return json.loads(out)

    return call


@pytest.mark.parametrize("columns", ["0", "1", "20"])
def test_a_terminal_that_says_no_width_has_40_columns(run, monkeypatch, columns):
    """Nothing was printed on one of 0 columns, and only blanks on one of 1."""
    monkeypatch.setenv("COLUMNS", columns)
    code, out, _ = run("list", "modadd")
    assert code == 0 and "modadd/carry" in out and max(map(len, out.splitlines())) <= 40


def test_every_core_is_listed_within_80_columns(run, rows):
    code, out, _ = run("list")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    names = {line.split()[0] for line in out.splitlines() if "/" in line.split(" ")[1]}
    assert names == {entry.name for entry in entries()}
    assert [row["name"] for row in rows("list")] == [entry.name for entry in entries()]


def test_a_method_has_a_line_and_every_multiplier_is_named(run, rows):
    """Each method is a core over each multiplier, under a name of both."""
    _, out, _ = run("list", "modexp")
    lines = [line.split()[0] for line in out.splitlines() if line.startswith(" modexp/")]
    assert lines == [f"modexp/{method}" for method in ("l2r", "ladder", "r2l", "window")]
    multipliers = [name for name, core in all_cores().items() if core.function == "modmul"]
    assert out.partition("one of ")[2].replace(",", "").split() == multipliers
    for row in rows("list", "modexp"):
        assert row["parts"] == {"multiplier": multipliers} and row["runtime_modulus"] is None
    architectures, methods = ([name.partition("/")[2] for name in names] for names in (multipliers, lines))
    over = {f"modexp/{architecture}-{method}" for architecture in architectures for method in methods}
    assert {name for name, core in all_cores().items() if core.function == "modexp"} == over


def test_the_list_of_names_is_that_of_the_packages():
    assert entries() == index.computed()
    assert index.written(entries()) == index.FILE.read_text(encoding="utf-8")


def test_a_package_that_the_list_lacks_is_found(monkeypatch, tmp_path):
    """A new family is seen at once; the list of names only makes commands start sooner."""
    short = [entry for entry in entries() if entry.function != "modadd"]
    (tmp_path / "cores.json").write_text(index.written(short), encoding="utf-8")
    monkeypatch.setattr(index, "FILE", tmp_path / "cores.json")
    assert index.entries.__wrapped__() == entries()


def test_a_combination_shows_its_part_first(run):
    code, out, _ = run("show", "modexp/window")
    assert code == 0 and "as the multiplier has it" in out and "to be named" in out
    code, out, _ = run("show", "modexp/window", "--json")
    options = {option["name"]: option["choices"] for option in json.loads(out)["options"]}
    assert list(options) == ["multiplier", "exponent_bits", "window"] and "modmul/csa" in options["multiplier"]


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["list"],
        ["show", "modexp/window"],
        ["show", "modexp/csa-l2r"],
        ["fields"],
        ["params", "modmul/csa", "-O", "bits=8"],
    ],
    ids=" ".join,
)
def test_a_command_that_builds_nothing_loads_no_amaranth(words):
    """Nor what draws pages, checks schemas and computes on arrays."""
    heavy = {"amaranth", "pyosys", "jinja2", "jschon", "numpy", "distributed"}
    program = f"import sys; from modwright.cli import main; main({words}); print({heavy} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"


def test_a_command_loads_the_modules_of_no_other():
    """But those that it shares with them."""
    program = "import sys; from modwright.cli import main; main(['list']); print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("modwright.cli.") for name in run.stdout.split() if name.startswith("modwright.cli.")}
    assert {place.partition(".")[0] for place in PLACES.values()} & loaded == {"listing"}


def test_former_names_are_accepted(run, rows):
    """Numbers of the limb units, for multipliers and for exponentiation over them; the Verilog keeps them."""
    other = {"limb-l1": "limb-scan", "limb-l2": "limb-fold", "limb-l3": "limb-fold-karatsuba"}
    for alias, name in other.items():
        assert find(f"modmul/{alias}") is find(f"modmul/{name}")
        assert find(f"modexp/{alias}-window") is find(f"modexp/{name}-window")
    listed = {row["name"]: row["aliases"] for row in rows("list", "modmul")}
    assert {names[0]: name for name, names in listed.items() if names} == {
        f"modmul/{alias}": f"modmul/{name}" for alias, name in other.items()
    }
    assert set(aliases().values()) <= set(all_cores())
    for name in ("modmul/limb-fold", "modexp/limb-fold-window"):
        former = name.replace("limb-fold", "limb-l2")
        assert run("show", name) == run("show", former)
        assert find(name).top == former.replace("/", "_").replace("-", "_")
        assert name_of_today(former) == name == name_of_today(name)
        found, document = find_requested({"core": former, "modulus": "61", "options": {"limb": 3}})
        assert found.name == name and Request.from_mapping(found, document).core == name
    ladder = find("ecpm/ladder")
    units = [Request.make(ladder, options={"bits": 8, "unit": unit}) for unit in ("l3", "fold-karatsuba")]
    assert units[0] == units[1]


def test_a_method_with_its_multiplier_is_the_core_of_both_names(run):
    """On the command line, and in Python; without a multiplier it is not a core."""
    words = ("--modulus", "0xfffffffb", "-O", "exponent_bits=6")
    over = run("params", "modexp/l2r", "-O", "multiplier=modmul/csa", *words)
    assert over[0] == 0
    assert over == run("params", "modexp/csa-l2r", *words)
    assert find("modexp/window", "modmul/limb-l1").name == "modexp/limb-scan-window"
    code, _, err = run("params", "modexp/l2r", *words)
    assert code == 2 and "works over a multiplier" in err
    code, _, err = run("params", "modexp/l2r", "-O", "multiplier=modmul/nothing", *words)
    assert code == 2 and "modmul/nothing" in err


def test_one_function(run, rows):
    assert {row["function"] for row in rows("list", "modinv")} == {"modinv"}
    code, out, err = run("list", "nonesuch")
    assert (code, out) == (2, "") and "modmul" in err
    code, out, err = run("show", "modmul")
    assert (code, out) == (2, "") and "modwright list modmul" in err


def test_fields_are_what_resolves(rows):
    found = rows("fields")
    assert len(found) == len(moduli())
    for row in found:
        for name in (row["name"], *row["aliases"]):
            assert resolve_modulus(name).value == int(row["value"], 16)
        assert row["bits"] == int(row["value"], 16).bit_length() and row["source"]


def test_curves_are_what_resolves(rows):
    found = rows("curves")
    assert [row["name"] for row in found] == [curve.name for curve in curves()]
    for row in found:
        curve = resolve_curve(row["name"])
        assert (int(row["p"], 16), int(row["order"], 16), row["form"]) == (curve.p, curve.order, curve.form)


@pytest.mark.parametrize("command", ["fields", "curves"])
def test_filters(run, rows, command):
    assert {row["name"] for row in rows(command, "p-521")} >= {"secp521r1"}
    assert all(row["bits"] == 256 for row in rows(command, "--bits", 256))
    code, out, _ = run(command, "brainpool")
    assert code == 0 and "brainpoolP384r1" in out and "secp" not in out and max(map(len, out.splitlines())) <= 80
    code, out, err = run(command, "zzz", "--bits", 7)
    assert (code, out) == (2, "") and "'zzz' and of 7 bits" in err and f"modwright {command}" in err


@given(numerator=st.integers(1, 10**30), denominator=st.integers(1, 10**30))
def test_a_slack_below_1_is_never_shown_larger_than_it_is(numerator, denominator):
    value = Fraction(numerator, numerator + denominator)
    assert value * Fraction(98, 100) < Fraction(_slack(value)) <= value
    assert _slack(Fraction(2, 3)) == "0.666"

# SPDX-License-Identifier: Apache-2.0
"""Open cores of others: recipes, sources that differ, records, and their rows in a comparison."""

import hashlib
import json

import pytest

import peers as command
from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.compare import Work, compare
from modwright.measurement import Settings
from modwright.measurement.peers import Recipe, peer_figures, recipes, shipped_peers

SOURCE = {
    "rtl/top.v": '`include "width.vh"\nmodule mult(input clk, input [`W-1:0] x, output reg [`W-1:0] z);\n'
    "VENDOR\nalways @(posedge clk) z <= x ^ (z << 1);\nendmodule\n",
    "rtl/width.vh": "`define W 8\n",
}
RECIPE = """\
title: an example
repository: https://example.org/someone/mult
commit: 0123abcd
licence: MIT
function: modmul
work: {field: secp256k1}
top: mult
cycles: 7
interval: 2
cycles_from: counted by hand
note: eight bits
edits:
- {file: rtl/top.v, find: VENDOR, replace: "", why: a primitive}
files:
"""


@pytest.fixture
def peer(tmp_path):
    """A recipe, and its sources in the folder `source`."""
    text = RECIPE
    for name, verilog in SOURCE.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(verilog)
        text += f"  {name}: {hashlib.sha256(verilog.encode()).hexdigest()}\n"
    (tmp_path / "example.yaml").write_text(text)
    return tmp_path


def test_a_peer_is_measured_from_its_sources(peer, store):
    recipe = Recipe.read(peer / "example.yaml")
    figures = peer_figures(recipe, peer / "source", Settings(), place=False, store=store)
    assert (figures["ff"], figures["cycles"], figures["interval"]) == (8, 7, 2)
    assert figures["cycles_source"] == "counted by hand"
    assert figures["peer"]["edits"] == ["rtl/top.v: a primitive"]
    assert (peer / "source" / "rtl" / "top.v").read_text() == SOURCE["rtl/top.v"]  # the user's copy stays


@pytest.mark.parametrize(
    ("name", "change", "rule"),
    [
        ("rtl/top.v", lambda text: text + "\n", "is not the file of the recipe"),
        ("rtl/width.vh", None, "cannot read"),
    ],
)
def test_other_sources_are_refused(peer, name, change, rule, tmp_path):
    path = peer / "source" / name
    if change is None:
        path.unlink()
    else:
        path.write_text(change(path.read_text()))
    (into := tmp_path / "into").mkdir()
    with pytest.raises(UsageError, match=rule):
        Recipe.read(peer / "example.yaml").copy_to(peer / "source", into)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("top: mult\n", "", "missing or unknown: top"),
        ("top: mult\n", "top: mult\ntopp: mult\n", "missing or unknown: topp"),
        ("find: VENDOR", "find: PRIMITIVE", "has no 'PRIMITIVE'"),
    ],
)
def test_wrong_recipes_are_refused(peer, old, new, rule, tmp_path):
    path = peer / "example.yaml"
    path.write_text(path.read_text().replace(old, new))
    (into := tmp_path / "into").mkdir()
    with pytest.raises(UsageError, match=rule):
        Recipe.read(path).copy_to(peer / "source", into)


def test_the_command(capsys):
    assert command.main([]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in recipes())
    assert command.main(["nobody"]) == 2
    assert "no recipe 'nobody'" in capsys.readouterr().err
    assert command.main([next(iter(recipes()))]) == 2
    assert "--source FOLDER" in capsys.readouterr().err


def test_records_are_of_the_recipes():
    """Each record says what its recipe says now, and each recipe has a record."""
    known = recipes()
    records = {record["peer"]["name"]: record for record in shipped_peers()}
    assert set(records) == set(known)
    for name, record in records.items():
        recipe = known[name]
        assert record["rtl"] == recipe.top
        assert (record["cycles"], record["interval"]) == (recipe.cycles, recipe.interval)
        assert (record["cycles_source"], record["parameters"]) == (recipe.cycles_from, dict(recipe.parameters))
        said = {key: value for key, value in record["peer"].items() if key != "edits"}
        assert said == json.loads(json.dumps({key: getattr(recipe, key) for key in said}))
        assert record["peer"]["edits"] == [f"{edit.file}: {edit.why}" for edit in recipe.edits]


def test_peers_have_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("modwright.compare.comparison.shipped_records", dict)
    work = Work.make("ecpm", "ecp5", curve="P-256")
    rows = [line for line in compare(work, Store(tmp_path)).lines if not line.core]
    assert [line.label for line in rows] == ["CrypTech ecdhp256 (third party)"]
    assert "P-256 alone" in rows[0].note
    other = compare(Work.make("ecpm", "ecp5", curve="secp256k1"), Store(tmp_path))
    assert all(line.core for line in other.lines)

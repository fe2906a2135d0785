# SPDX-License-Identifier: Apache-2.0
"""bench/mutation.py: records of mutants, the page that shows them, and that neither is stale unseen."""

import json
from pathlib import Path

import pytest

import mutation
from modwright.mutate import KINDS
from modwright.prepared import registry
from modwright.prepared.registry import all_cores

LISTED = Path(registry.__file__).with_name("cores.json")
REGIONS = "".join(f"<!-- table: {name} -->\n<!-- end -->\n" for name in ("mutants", "mutant-kinds", "mutant-survivors"))
SURVIVOR = {"place": "queue.filled", "source": "rtl/streams.py:133", "cell": "$add", "kind": "carry"}
SURVIVOR |= {"original": "carry into bit 1", "mutated": "0", "detail": "differs in cycle 9; offered until then: x = 1"}
RECORD = {"mutants": 300, "killed": 279, "equivalent": 20, "survived": [SURVIVOR], "killed_percent": 99.64}
RECORD |= {"verilog": "0" * 64, "kinds": {"carry": {"killed": 279, "equivalent": 20, "survived": 1}}}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A page and a record of one core in a folder of its own."""
    monkeypatch.setattr(mutation, "PAGE", tmp_path / "mutation.md")
    monkeypatch.setattr(mutation, "RECORDS", tmp_path / "mutants.json")
    (tmp_path / "mutation.md").write_text(f"before\n{REGIONS}after\n", encoding="utf-8")
    mutation.save({"modmul/binary": RECORD})
    return tmp_path


def test_the_page_is_fresh():
    assert mutation.main(["--check"]) == 0, "run python bench/mutation.py --render"


def test_every_family_has_a_core_of_its_own():
    assert {core.split()[0] for cores in mutation.CORES.values() for core in cores} <= set(all_cores())
    assert all(mutation.prepared_of(cores[0]).core.name == cores[0] for cores in mutation.CORES.values())


def test_a_core_is_judged_with_the_options_behind_its_name():
    with_two, with_one = (mutation.prepared_of(core) for core in mutation.CORES["limb_columns"])
    assert [p.request.options["contexts"] for p in (with_two, with_one)] == [2, 1]
    assert mutation.verilog_digest(with_two) != mutation.verilog_digest(with_one)


def test_a_family_has_the_name_of_its_folder():
    folders = {row["module"].split(".")[-1] for row in json.loads(LISTED.read_text(encoding="utf-8"))}
    assert set(mutation.CORES) == folders


def test_records_add_up():
    for core, record in mutation.load().items():
        assert record["killed"] + record["equivalent"] + len(record["survived"]) == record["mutants"], core
        assert 25 <= record["mutants"] <= mutation.MUTANTS, core
        assert sum(sum(counts.values()) for counts in record["kinds"].values()) == record["mutants"], core
        assert record["seed"] == mutation.SEED and record["random"] is None, core


def test_tables_come_from_the_records(place):
    assert mutation.main(["--render"]) == 0
    text = (place / "mutation.md").read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "| `modmul/binary` | binary | 300 | 279 | 20 | 1 | 99.64 % |" in text
    assert "| `ecpm/ladder` | ladder | not run |" in text
    assert "`queue.filled` | rtl/streams.py:133 | carry | carry into bit 1 → 0 | differs in cycle 9 |" in text
    assert all(f"| {kind} | {what} |" in text for kind, what in KINDS.items())


def test_a_stale_page_is_named(place, capsys):
    assert mutation.main(["--check"]) == 1
    assert "mutation.md: stale; run python bench/mutation.py --render" in capsys.readouterr().err
    mutation.main(["--render"])
    assert mutation.main(["--check"]) == 0
    mutation.save({"modmul/binary": {**RECORD, "killed": 278}})
    assert mutation.main(["--check"]) == 1


def test_a_record_of_other_verilog_is_named(place, monkeypatch, capsys):
    monkeypatch.setattr(mutation, "CORES", {"binary": ("modmul/binary",)})
    assert mutation.main(["--verilog"]) == 1
    assert "modmul/binary" in capsys.readouterr().out
    monkeypatch.setattr(mutation, "verilog_digest", lambda prepared: "0" * 64)
    assert mutation.main(["--verilog"]) == 0


@pytest.mark.parametrize("mutants", [25, 300])
def test_cores_are_judged_and_recorded_one_by_one(place, monkeypatch, mutants):
    def measured(core, mutants, workers, memory):
        return {**RECORD, "mutants": mutants, "killed": mutants - 20, "survived": []}

    monkeypatch.setattr(mutation, "measure", measured)
    assert mutation.main(["--mutants", str(mutants), "modmul/csa"]) == 0
    records = json.loads((place / "mutants.json").read_text(encoding="utf-8"))
    assert {core: record["mutants"] for core, record in records.items()} == {
        "modmul/binary": 300,
        "modmul/csa": mutants,
    }


@pytest.mark.parametrize("mutants", ["0", "301", "-1"])
def test_a_number_of_mutants_that_there_are_not_is_refused(place, capsys, mutants):
    with pytest.raises(SystemExit):
        mutation.main(["--mutants", mutants, "modmul/csa"])
    assert "1 to 300" in capsys.readouterr().err


def test_an_unknown_core_is_refused(place, capsys):
    with pytest.raises(SystemExit):
        mutation.main(["modmul/none"])
    assert "none of modmul/binary" in capsys.readouterr().err

# SPDX-License-Identifier: Apache-2.0
"""bench/gates.py: records of cores in the cells of open libraries, and the page that shows them."""

import json

import pytest

import gates
from modwright.prepared.registry import all_cores

RATE = {"nand2": 23914, "ff": 2118, "device": "made", "status": "measured", "fmax_mhz": 200.0, "files": {}}
CONDITIONS = [
    {"library": "made", "wire_load": "30k", "fmax_mhz": 89.4},
    {"library": "slow", "wire_load": "", "fmax_mhz": 134.1},
    {"library": "slow", "wire_load": "30k", "fmax_mhz": 56.0},
]
RATE["tool"] = {"OpenSTA": "2.0.17", "pyosys": "0.70"}
RECORD = {
    "request": {"core": "modmul/csa", "target": "asic", "options": {"bits": 256}},
    "form": [],
    "schedule": {"latency_cycles": 268, "interval_cycles": 269, "constant_time": True},
    "verilog": "of other hardware",
    "libraries": {"ihp-sg13g2": {**RATE, "conditions": CONDITIONS}, "asap7": {**RATE, "conditions": []}},
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A page and one record in a folder of their own."""
    monkeypatch.setattr(gates, "PAGE", tmp_path / "gates.md")
    monkeypatch.setattr(gates, "RECORDS", tmp_path / "gates.json")
    (tmp_path / "gates.md").write_text("before\n<!-- table: gates -->\n<!-- end -->\nafter\n", encoding="utf-8")
    gates.save({"modmul/csa 256": RECORD})
    monkeypatch.setattr(gates.shutil, "which", str)
    return tmp_path


def test_the_page_is_of_the_records():
    assert gates.main(["--check"]) == 0, "run python bench/gates.py --render"


def test_every_multiplier_and_point_multiplier_is_there():
    names = {work.core for work in gates.works()}
    assert {name for name in all_cores() if name.startswith(("modmul/", "ecpm/"))} <= names
    assert {*gates.WIDE, *gates.INVERSIONS} <= names


def test_records_name_their_files_and_what_was_measured():
    for name, record in gates.load().items():
        assert set(record["libraries"]) <= set(gates.LIBRARIES)
        for found in record["libraries"].values():
            assert found["nand2"] > 0 and found["files"], name
            assert all(len(digest) == 64 for digest in found["files"].values()), name


def test_rows_of_a_record(place):
    assert gates.main(["--render"]) == 0
    lines = [line for line in (place / "gates.md").read_text(encoding="utf-8").splitlines() if "| `modmul/csa`" in line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == [
        *("`modmul/csa`", "256 bits", "269", "ihp-sg13g2", "23.9", "2,118", "200.0", "1,345.0", "32,164"),
        *("134.1", "89.4 (30k)"),
    ]
    assert cells[1][3:] == ["asap7", "23.9", "2,118", "200.0", "1,345.0", "32,164", "–", "–"]
    assert cells[2][1] == "1024 bits" and cells[2][4] == "not run"


def test_the_rule_of_the_paper():
    """23.914 kGE and 2 ms: at 130 nm times 90 / 130, at 7 nm times 90 / 7; the paper's product is the one it prints."""
    record = RECORD | {"schedule": {"latency_cycles": 400_000}}
    paper, *ours = gates.area_time({"ecpm/ladder secp256r1": record, "modmul/csa 256": RECORD})
    assert float(paper[3]) * float(paper[6]) == pytest.approx(float(paper[-1]))
    assert [row[:2] + row[-3:] for row in ours] == [
        ("`ecpm/ladder`", "ihp-sg13g2", "400,000", "2.00", "33.1"),
        ("`ecpm/ladder`", "asap7", "400,000", "2.00", "614.9"),
    ]


def test_other_verilog_is_named(place, monkeypatch, capsys):
    monkeypatch.setattr(gates, "works", lambda: iter([gates.Work("modmul/csa", bits=256)]))
    assert gates.main(["--verilog"]) == 1
    assert "modmul/csa 256" in capsys.readouterr().out


def test_a_record_grows_library_by_library(place, monkeypatch):
    """A run that is interrupted keeps what it has of the Verilog of now, and measures the rest."""
    done = []

    def measured(work, library):
        done.append(library)
        if len(done) == 2:
            raise KeyboardInterrupt
        return {**RATE, "conditions": []}

    monkeypatch.setattr(gates, "measured", measured)
    assert gates.main(["modmul/csa 256"]) == 130
    assert list(json.loads(gates.RECORDS.read_text(encoding="utf-8"))["modmul/csa 256"]["libraries"]) == ["ihp-sg13g2"]
    assert gates.main(["modmul/csa 256"]) == 0
    assert done == ["ihp-sg13g2", "sky130", "sky130", "asap7"]


def test_a_name_that_is_none(capsys):
    with pytest.raises(SystemExit) as end:
        gates.main(["modmul/csa 17"])
    assert end.value.code == 2 and "none of" in capsys.readouterr().err


def test_without_opensta_nothing_is_measured(monkeypatch, capsys):
    monkeypatch.setattr(gates.shutil, "which", lambda _: None)
    assert gates.main(["modmul/csa 256"]) == 3
    assert "OpenSTA is not installed" in capsys.readouterr().err

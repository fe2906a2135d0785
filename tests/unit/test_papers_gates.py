# SPDX-License-Identifier: Apache-2.0
"""The paper on point multiplication next to ours in gates: rows of three libraries, and what they do not show."""

from dataclasses import replace

import pytest

from modwright.base.store import Store
from modwright.measurement import bench_folder, load
from modwright.papers import PAPERS, reproduce, reproduction
from modwright.papers.claims import judged_of
from modwright.papers.claims.claim import CONFIRMED, ELSEWHERE
from modwright.papers.errata import demonstrated_of

PROCESSES = {"ihp-sg13g2": 130, "sky130": 130, "asap7": 7}
SMALLER = ["booth", "clock_gates", "latches", "choices"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Table 2 from the records that are checked in."""
    (made,) = reproduce(PAPERS["point-multiplication"], Store(tmp_path_factory.mktemp("store")))
    return made


@pytest.mark.parametrize("form", ["", "smaller form"])
@pytest.mark.parametrize(("library", "nm"), PROCESSES.items())
def test_point_multiplication_in_gates(table, library, nm, form):
    """Figures of bench/gates in each library, which its row names; k gates × ms × 90 nm / technology."""
    name = ", ".join(word for word in ("Ours", f"{library} of {nm} nm", form) if word)
    answers = {a.column: a for a in table.answers if a.row == name}
    ours = {column: answer.ours for column, answer in answers.items()}
    record = load(bench_folder() / "gates", "gates.json")["gates.json"][
        " ".join(("ecpm/r64-ladder secp256r1", *(SMALLER if form else ())))
    ]
    rate, cycles = record["libraries"][library], record["schedule"]["latency_cycles"]
    assert ours["k gates"] == pytest.approx(rate["nand2"] / 1e3) and ours["clock, MHz"] == rate["fmax_mhz"]
    assert ours["k cycles"] == cycles / 1e3
    assert ours["time, ms"] == pytest.approx(cycles / rate["fmax_mhz"] / 1e3)
    assert ours["AT"] == pytest.approx(ours["k gates"] * ours["time, ms"] * 90 / nm)
    assert all(f"{library} on asic" in answer.how for answer in answers.values())


def test_every_row_in_gates_names_one_of_three_libraries(table):
    rows = {a.row for a in table.answers if a.ours is not None}
    assert {row.split(", ")[1].split(" of ")[0] for row in rows} == set(PROCESSES) and len(rows) == 6


@pytest.mark.parametrize(("row", "result"), [("Ours, asap7 of 7 nm", ELSEWHERE), ("Ours, sky130 of 130 nm", CONFIRMED)])
def test_a_finer_process_confirms_nothing(table, row, result):
    """Even with the paper's area and time: 7 nm is no evidence of 90 nm, 130 nm would be."""
    better = {"k gates": 70.0, "time, ms": 0.1}
    answers = [replace(a, ours=better.get(a.column, a.ours)) if a.row == row else a for a in table.answers]
    changed = [replace(table, answers=tuple(answers))]
    errata = demonstrated_of("point-multiplication")
    found = {each.claim: each.verdict for each in judged_of("point-multiplication", changed, [], errata)}
    assert found["72 k gates at 714 MHz in 90 nm: 0.14 ms."] == result


def test_without_records_of_gates_only_cycles_are_there(tmp_path):
    (table,) = reproduce(PAPERS["point-multiplication"], Store(tmp_path), rows=[])
    assert {a.column for a in table.answers if a.ours is not None} == {"k cycles"}
    claims = judged_of("point-multiplication", [table], [], demonstrated_of("point-multiplication"))
    assert [each.verdict for each in claims[-2:]] == ["not run", "not run"]


def test_fresh_measures_gates_in_each_library(monkeypatch, toy_only, own_store):
    """Two libraries, in the form of the document; a core is mapped once for all figures of a library."""
    document = {
        "paper": "toy", "table": "Table 1", "source": "a sample", "note": "", "errata": [],
        "columns": ["design", "k gates", "FF"], "key": ["design"], "rows": [["x", "2", "8"]],
        "technologies": {"sky130": 130, "asap7": 7},
        "ours": [{"where": {"design": "x"}, "core": "modmul/toy", "modulus": "97", "target": "asic",
                  "libraries": ["sky130", "asap7"], "form": ["booth"], "called": "smaller form",
                  "quantities": {"k gates": "kgates", "FF": "ff"}}],
    }  # fmt: skip
    given = []

    def measured(prepared, settings, *, target, liberty, **_):
        given.append((target, liberty, [name for name, is_given in settings.form.items() if is_given]))
        return {
            "request": {"core": "modmul/toy", "modulus": "97", "target": target, "options": {}},
            "resources": {"target": target, "nand2": 3000, "ff": 9},
            "schedule": {},
            "verilog": {"sha256": ""},
            "tools": {},
            "liberty": liberty,
            **dict.fromkeys(("timing", "channel_timing"), "not run"),
        }

    monkeypatch.setattr(reproduction, "documents_of", lambda paper: [document])
    monkeypatch.setattr(reproduction, "measure", measured)
    (table,) = reproduce(PAPERS["inversion"], own_store, fresh=True)
    assert given == [("asic", "sky130", ["booth"]), ("asic", "asap7", ["booth"])]
    assert [(a.row, a.column, a.ours) for a in table.answers] == [
        (f"x, {name}, smaller form", *figure)
        for name in ("sky130 of 130 nm", "asap7 of 7 nm")
        for figure in (("k gates", 3), ("FF", 9))
    ]

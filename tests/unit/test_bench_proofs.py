# SPDX-License-Identifier: Apache-2.0
"""bench/proofs.py and the table of proofs, on records of their own making; and the limit on the time of a proof."""

import itertools
import json

import pytest

import proofs
from modwright.base.table import as_markdown
from modwright.prepared.registry import all_cores
from modwright.prove import Proof, Verdict
from modwright.prove.limit import TimeIsUpError, at_most, limited
from modwright.prove.store import proved as store_proof
from modwright.tables import proofs as proved
from modwright.tables.dependents import PROOF, dependents_table


def record(core, *found, size=proofs.SMALL):
    """A row of (name, status, detail) each."""
    rows = [{"name": name, "statement": "", "status": status, "detail": detail} for name, status, detail in found]
    return {
        "request": {"core": core, "modulus": "61"},
        "size": size,
        "tools": {"pyosys": "1"},
        "proofs": rows,
    }


def rows(*records):
    """The table's cells by core and size."""
    text = as_markdown(proved.proofs_table({str(n): one for n, one in enumerate(records)}))
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return {(line[0], line[1]): line[2:] for line in lines[2:]}, text


def test_every_core_has_a_row_at_each_size():
    found, text = rows()
    alone = {f"`{name}`" for name in all_cores() if not name.startswith("modexp/")}
    groups = {f"`modexp/CORE-{method}`" for method in proved.METHODS}
    every = itertools.product(alone | groups, proofs.SIZES)
    assert set(found) == {(name, size) for name, size in every if size == proofs.SMALL or not name.startswith("`unit/")}
    assert all(cell.endswith("not run (1)") for cells in found.values() for cell in cells[1:])
    assert proved.LEFT_OUT in text


def test_cells_say_what_became_of_each_proof():
    late = "no answer within 60 s"
    found, text = rows(
        record(
            "modmul/csa",
            ("reduction modulo 5", "proved", ""),
            ("reduction modulo 7", "proved", ""),
            ("α exact", "not run", late),
            ("handshakes registered", "refuted", "a path"),
            ("latency under any stalls", "not run", late),
        )
    )
    cells = dict(zip(proved.HEADINGS[2:], found["`modmul/csa`", proofs.SMALL], strict=True))
    number = next(line.split(".")[0] for line in text.splitlines() if line.endswith(late))
    assert cells["modulus"] == "61"
    assert cells[proved.ARITHMETIC] == f"2 proved; 1 not run ({number})"
    assert cells["handshakes"] == "refuted"
    assert cells["latency"] == f"not run ({number})"
    assert cells["queue"] == proved.NONE


def test_exponentiators_of_a_method_share_a_row():
    kind = "handshakes registered"
    multipliers = sum(name.startswith("modexp/") and name.endswith("-window") for name in all_cores())
    found, _ = rows(
        record("modexp/csa-window", (kind, "proved", "")), record("modexp/binary-window", (kind, "refuted", ""))
    )
    cells = dict(zip(proved.HEADINGS[2:], found["`modexp/CORE-window`", proofs.SMALL], strict=True))
    assert cells["modulus"] == f"2 of {multipliers} multipliers"
    assert cells["handshakes"].startswith(f"1 proved; 1 refuted; {multipliers - 2} not run")


def test_every_core_is_a_subject_at_its_small_size_and_all_but_exponentiators_and_units_at_the_other():
    sizes = {size: {one.core for one in proofs.subjects() if one.size == size} for size in proofs.SIZES}
    assert sizes[proofs.SMALL] == set(all_cores())
    assert sizes[proofs.LARGE] == {name for name in all_cores() if not name.startswith(("modexp/", "unit/"))}
    assert len({one.path for one in proofs.subjects()}) == len(list(proofs.subjects()))


class Calls(list):
    """Calls of `prove`, with the folder of their records."""


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """`main` on one core into a folder of the test; how often it proved."""
    calls = Calls()
    calls.root = tmp_path / "proofs"

    def found(prepared, seconds):
        calls.append((prepared.core.name, seconds))
        return [Proof("result queue", "keeps order", "not run", "none", "no time")]

    monkeypatch.setattr(proofs, "ROOT", tmp_path / "proofs")
    monkeypatch.setattr(proofs, "prove", found)
    monkeypatch.setattr(proofs, "verilog_digest", lambda prepared: "a")
    monkeypatch.setattr(proofs, "missing", lambda prepared, known: set())
    return calls


def test_a_record_is_made_once(runs, capsys):
    words = ["modmul/csa", "--size", "small", "--seconds", "7"]
    assert proofs.main(words) == proofs.main(words) == 0
    assert runs == [("modmul/csa", 7.0)]
    assert capsys.readouterr().out == "modmul/csa, small\n"
    kept = json.loads((proofs.ROOT / "modmul-csa-small.json").read_text())
    assert kept["request"]["core"] == "modmul/csa"
    assert kept["proofs"] == [
        {"name": "result queue", "statement": "keeps order", "status": "not run", "detail": "no time"}
    ]


def test_a_record_of_other_verilog_is_made_again(runs, monkeypatch):
    words = ["modmul/csa", "--size", "small"]
    proofs.main(words)
    monkeypatch.setattr(proofs, "verilog_digest", lambda prepared: "b")
    proofs.main(words)
    assert len(runs) == 2


def test_a_lemma_that_a_record_lacks_is_proved_and_the_control_stands(runs, monkeypatch):
    words = ["modmul/csa", "--size", "small"]
    proofs.main(words)
    monkeypatch.undo()
    monkeypatch.setattr(proofs, "ROOT", runs.root)
    monkeypatch.setattr(proofs, "verilog_digest", lambda prepared: "a")
    proofs.main(words)
    kept = json.loads((proofs.ROOT / "modmul-csa-small.json").read_text())
    assert [one["name"] for one in kept["proofs"]] == ["arithmetic", "result queue"]
    assert kept["proofs"][0]["status"] == "nothing owed"
    assert len(runs) == 1


def test_what_was_not_run_is_run_again_when_asked(runs):
    proofs.main(["modmul/csa", "--size", "small"])
    proofs.main(["modmul/csa", "--size", "small", "--again"])
    assert len(runs) == 2


# --- the limit


def test_an_endless_proof_is_not_run_and_not_kept(store):
    def endless():
        while True:
            pass

    with at_most(0.05):
        late = store_proof(store, "endless", "this test", "none", endless)
    assert (late.status, late.detail) == ("not run", "no answer within 0.05 s")
    assert store_proof(store, "endless", "this test", "none", lambda: Verdict("proved")).status == "proved"


def test_nothing_is_limited_where_nothing_is_set():
    with limited():
        pass
    with at_most(0.05), pytest.raises(TimeIsUpError), limited():
        while True:
            pass


def test_places_that_operands_may_change():
    """At the larger size where it was searched; kinds in their columns, numbered places together."""
    statement = "no address or enable depends on an operand bit, in any cycle, but for "
    found = {
        "small": record("modmul/csa", (PROOF, "proved", "")),
        "large": record("modmul/csa", (PROOF, "not run", "late"), size=proofs.LARGE),
        "other": record("ecpm/ladder", (PROOF, "proved", ""), size=proofs.LARGE),
        "third": record("unit/adder", (PROOF, "not run", "late")),
        "power": record("modexp/csa-window", (PROOF, "proved", "")),
    }
    found["other"]["proofs"][0]["statement"] = statement + (
        "read address of m0.words, m1.words on k, x; table index of a word of t1, a word of t2 on k; "
        "register enable of a1, b, c, d, e, a2 on x; select of z[3] on k"
    )
    text = as_markdown(dependents_table(found.values()))
    assert [line for line in text.splitlines() if line.startswith("| `")] == [
        "| `ecpm/ladder` | 256 bits | 61 | read address of `m#.words` by k, x | `a word of t#` by k | "
        "register enable of `a#`, `b`, `c`, `d`, 1 more by x; select of `z[#]` by k |",
        "| `modmul/csa` | small | 61 | – | – | – |",
        "| `unit/adder` | small | 61 | not run | not run | not run |",
    ]


def test_every_core_has_a_record_and_none_is_refuted():
    records = [json.loads(path.read_text(encoding="utf-8")) for path in proofs.ROOT.glob("*.json")]
    small = {record["request"]["core"] for record in records if record["size"] == proofs.SMALL}
    assert small == set(all_cores())
    assert [record["request"]["core"] for record in records for p in record["proofs"] if p["status"] == "refuted"] == []

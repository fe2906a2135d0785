# SPDX-License-Identifier: Apache-2.0
"""Comparisons: which records are of a work, the front, the order, rows of others, and what fails."""

import csv
import json
from types import SimpleNamespace

import pytest

from modwright import synthesize
from modwright.base.errors import ToolFailedError, UsageError
from modwright.base.store import Store
from modwright.cli.comparing import _name_choose
from modwright.compare import Work, compare, marked, ordered
from modwright.compare.lines import of_foreign, of_row
from modwright.contract.request import Request
from modwright.measurement import Row, Settings, bench_folder, keep, rows_of, shipped_records, user_records
from modwright.pages import as_csv, as_text, plot
from modwright.prepared import registry
from modwright.prepared.registry import find
from modwright.synthesize import NotPlaced

from .comparison_sample import DOCUMENT, line

TOY = "modmul/toy"
PEER = {
    "format": "modwright-rtl/1",
    "rtl": "peer",
    "sha256": "ab" * 32,
    "target": "ecp5",
    "cycles": 27,
    "interval": None,
    "lut": 100,
    "ff": 100,
    "dsp": 0,
    "bram": 0,
    "nand2": None,
    "fmax_mhz": 50.0,
    "place_and_route": {"status": "measured", "fmax_mhz": 50.0, "fmax_median": 50.0, "device": "LFE5U-85F"},
}


@pytest.fixture
def no_records(monkeypatch):
    """Without the records that come with Modwright."""
    monkeypatch.setattr("modwright.compare.comparison.shipped_records", dict)
    monkeypatch.setattr("modwright.compare.comparison.shipped_statistics", dict)


# --- front and order


def test_the_front_is_what_nothing_beats():
    lines = [
        line("a", lut=10, dsp=0, clocks=10, fmax=100.0),
        line("b", lut=10, dsp=0, clocks=20, fmax=100.0),  # slower than a
        line("c", lut=5, dsp=0, clocks=40, fmax=100.0),  # smaller
        line("d", lut=10, dsp=1, clocks=10, fmax=100.0),  # a with a block more
        line("e", lut=99, dsp=9, clocks=20, fmax=400.0),  # faster
        line("f", lut=1, dsp=0, clocks=1),  # not placed
    ]
    assert [one.label for one in marked(lines) if one.front] == ["a", "c", "e"]
    assert marked([lines[0], lines[0]])[0].front, "two of the same do not beat each other"


def test_the_front_of_throughput_takes_the_interval():
    lines = [
        line("a", lut=1, dsp=0, clocks=10, interval=10, fmax=1.0),
        line("b", lut=2, dsp=0, clocks=20, interval=1, fmax=1.0),
    ]
    assert [one.front for one in marked(lines)] == [True, False]
    assert [one.front for one in marked(lines, "throughput")] == [True, True]


def test_order():
    lines = [line("b", clocks=2, fmax=1.0), line("n", clocks=1), line("a", clocks=1, fmax=1.0)]
    assert [one.label for one in ordered(lines, "ns")] == ["a", "b", "n"], "what is not there comes last"
    assert [one.label for one in ordered(lines, "label")] == ["a", "b", "n"]
    assert [one.label for one in ordered(lines, "per_second")] == ["a", "b", "n"], "of a rate, the most first"


def test_figures_that_follow():
    one = line("x", lut=200, dsp=4, clocks=10, interval=5, fmax=100.0)
    assert (one.ns, one.interval_ns, one.per_second, one.dsp_ns, one.lut_ns) == (100, 50, 2e7, 400, 20000)
    assert line("y", lut=200, dsp=4, clocks=10).ns is None


# --- the work


def test_a_record_is_of_one_work():
    def row(core, target="ecp5", **named):
        options = named.pop("options", {})
        request = {"core": core, "target": target, "options": options, **named}
        return Row(request, {}, {"target": target}, "", "not run", "not run", {})

    work = Work.make("modmul", "ecp5", field="secp256k1")
    assert work.covers(row("modmul/binary", field="secp256k1"))
    assert work.covers(row("modmul/binary", modulus=hex(2**256 - 2**32 - 977))), "the same number under another name"
    assert work.covers(row("modmul/csa", options={"bits": 256})), "a runtime modulus: the width decides"
    assert not work.covers(row("modmul/csa", options={"bits": 512}))
    assert not work.covers(row("modmul/binary", field="P-256"))
    assert not work.covers(row("modmul/binary", target="xc7", field="secp256k1"))
    assert not work.covers(row("modexp/csa-l2r", options={"bits": 256}))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("divide", "ecp5", {"bits": 8}), "no core computes 'divide'"),
        (("modmul", "ice40", {"bits": 8}), "unknown target 'ice40'"),
        (("modmul", "ecp5", {}), "none is given"),
        (("modmul", "ecp5", {"bits": 8, "field": "P-256"}), "2 are given"),
        (("modmul", "ecp5", {"field": "nonesuch"}), "nonesuch"),
    ],
)
def test_works_that_are_none(words, says):
    with pytest.raises(UsageError, match=says):
        Work.make(words[0], words[1], **words[2])


def test_the_widest_modulus_as_an_option():
    """Python writes at most 4,300 digits of a decimal."""
    work = Work.make("modmul", "ecp5", field="2^16300-1")
    assert work.words[-1] == hex(2**16300 - 1)
    assert Work.make("modmul", "ecp5", field="97").words[-1] == "97"


def test_a_row_without_a_placement_says_so():
    rows = [of_row(row) for row in rows_of(shipped_records().values()) if not row.placed and row.timing == "not run"]
    assert rows and {(row.source, row.ns, row.lut is None) for row in rows if row.nand2 is None} == {
        ("area only", None, False)
    }


def test_every_architecture_of_the_registry_has_a_row_or_a_reason(tmp_path):
    """All of modmul at 256 bits: a row each, none of which is measured but from a record."""
    work = Work.make("modmul", "ecp5", field="secp256k1")
    found = compare(work, Store(tmp_path))
    cores = {name for name in registry.all_cores() if name.startswith("modmul/")}
    own = [one for one in found.lines if one.core]
    assert {one.core for one in own} | {name for name, _ in found.unable} == cores
    for one in own:
        assert one.clocks is not None
        assert (one.ns is None) == (one.source != "measured")
        assert (one.lut is None) == (one.source == "not run")
    assert {"modmul/binary", "modmul/binary-serial"} <= {one.core for one in found.lines}, "the baseline is there"


# --- measuring


def test_what_is_missing_is_measured_when_asked(run, no_records, own_store):
    store = own_store
    work = Work.make("modmul", "ecp5", modulus="97")
    (before,) = compare(work, store).lines
    assert (before.source, before.lut, before.clocks) == ("not run", None, 3)
    (after,) = compare(work, store, settings=Settings()).lines
    assert after.source == "measured" and after.ns == after.clocks * 1e3 / after.fmax_mhz
    (again,) = compare(work, store).lines
    assert (again.source, again.ns) == ("measured", after.ns), "the record was kept"
    assert len(user_records(store)) == 1


def test_a_record_of_a_core_that_this_version_has_not_is_left_out(own_store):
    (known, *_) = shipped_records().values()
    keep(own_store, known | {"request": known["request"] | {"core": "modmul/of-tomorrow"}})
    assert user_records(own_store) == {}
    assert compare(Work.make("modmul", "ecp5", modulus="97"), own_store).lines


def test_records_of_another_version_give_way_however_the_modulus_is_written(run, no_records, own_store):
    store, work = own_store, Work.make("modmul", "ecp5", modulus="97")
    (now,) = compare(work, store, settings=Settings()).lines
    (record,) = user_records(store).values()
    assert record["request"]["modulus"] == "0x61"
    request = record["request"] | {"modulus": "97"}
    keep(store, record | {"request": request, "verilog": record["verilog"] | {"sha256": "0" * 64}})
    assert [each.id for each in compare(work, store).lines] == [now.id]


def test_records_of_another_version_give_way(run, no_records, own_store, tmp_path):
    """A record of other Verilog than the code writes now is a row only while there is none of what it writes."""
    store, work = own_store, Work.make("modmul", "ecp5", modulus="97")
    (now,) = compare(work, store, settings=Settings()).lines
    (record,) = user_records(store).values()
    old = record | {"verilog": record["verilog"] | {"sha256": "0" * 64}}
    keep(store, old)
    (found,) = compare(work, store).lines
    assert found.id == now.id == record["verilog"]["sha256"]
    alone = Store(tmp_path / "alone")
    keep(alone, old)
    (found,) = compare(work, alone).lines
    assert found.id == "0" * 64


@pytest.mark.parametrize(
    ("outcome", "source", "note"),
    [
        (ToolFailedError("nextpnr was killed by signal 9 while routing"), "failed", "killed by signal 9"),
        (OSError(28, "No space left on device"), "failed", "No space left"),
        (NotPlaced("it needs 200 MULT18X18D of 156", "LFE5U-85F"), "not placed", "200 MULT18X18D of 156"),
    ],
)
def test_what_fails_is_a_row_that_says_so(run, no_records, monkeypatch, own_store, outcome, source, note):
    def timing(*_, **__):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(synthesize, "timing", timing)
    (found,) = compare(Work.make("modmul", "ecp5", modulus="97"), own_store, settings=Settings()).lines
    assert found.source == source and note in found.note
    assert (found.ns, found.clocks, found.front) == (None, 3, False)
    assert note in as_text({**DOCUMENT, "rows": [found.to_json()], "unable": []})


def test_an_interruption_keeps_what_was_measured(run, no_records, monkeypatch, own_store):
    store = own_store
    record = json.loads((bench_folder() / "results" / "odd512-csa.json").read_text(encoding="utf-8"))
    record["request"] = Request.make(find(TOY), modulus="89").to_mapping()
    keep(store, record)
    keep(store, {"format": "another"})

    def timing(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(synthesize, "timing", timing)
    with pytest.raises(KeyboardInterrupt):
        compare(Work.make("modmul", "ecp5", modulus="97"), store, settings=Settings())
    assert list(user_records(store).values()) == [record]


# --- rows of others


def test_a_row_of_third_party_verilog():
    found = of_foreign(PEER, "ecp5", "theirs")
    assert (found.label, found.source, found.clocks, found.ns) == ("theirs", "cycles stated", 27, 540)
    assert found.constant_latency is None and found.per_second is None
    counted = of_foreign(PEER | {"place_and_route": "not run", "fmax_mhz": None}, "ecp5")
    assert (counted.source, counted.lut, counted.ns) == ("area only", PEER["lut"], None)
    with pytest.raises(UsageError, match="on ecp5, and the comparison is on xc7"):
        of_foreign(PEER, "xc7")
    with pytest.raises(UsageError, match="what `modwright synth-rtl"):
        of_foreign({}, "ecp5")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"fmax_mhz": "50"}, 'fmax_mhz is "50", and has to be null or a number above 0'),
        ({"fmax_mhz": 0}, "fmax_mhz is 0,"),
        ({"fmax_mhz": float("nan")}, "fmax_mhz is NaN,"),
        ({"fmax_mhz": float("inf")}, "fmax_mhz is Infinity,"),
        ({"fmax_mhz": True}, "fmax_mhz is true,"),
        ({"lut": "100"}, 'lut is "100", and has to be null or an integer from 0'),
        ({"dsp": -1}, "dsp is -1,"),
        ({"ff": 1.5}, "ff is 1.5,"),
        ({"cycles": -5}, "cycles is -5, and has to be null or an integer from 1"),
        ({"cycles": 10**400}, "cycles is 1000"),
        ({"interval": False}, "interval is false,"),
        ({"sha256": 7}, "sha256 is 7, and has to be a text"),
        ({"target": 5}, "target is 5,"),
        ({"place_and_route": 3}, "place_and_route is 3,"),
        ({"place_and_route": {"fmax_median": "x"}}, 'fmax_median is "x"'),
        ({"place_and_route": {"reason": 1}}, "reason is 1"),
    ],
)
def test_impossible_figures_of_others_are_refused(changed, says):
    with pytest.raises(UsageError) as refused:
        of_foreign(PEER | changed, "ecp5", "theirs")
    assert "record theirs: " + says in str(refused.value)


@pytest.mark.parametrize("field", ["rtl", "target", "cycles", "interval", "fmax_mhz", "sha256", "place_and_route"])
def test_a_record_of_others_has_every_field(field):
    record = {name: value for name, value in PEER.items() if name != field}
    with pytest.raises(UsageError, match=f"record theirs has no field {field}"):
        of_foreign(record, "ecp5", "theirs")


# --- what is rendered


def test_csv_has_every_figure():
    first, *_ = rows = list(csv.DictReader(as_csv(DOCUMENT).splitlines()))
    assert [row["label"] for row in rows] == ["fast", "small", "leaky", "unmeasured"]
    assert (first["ns"], first["interval_ns"], first["front"]) == ("50.0", "50.0", "True")
    assert rows[3]["ns"] == rows[3]["lut"] == ""


def test_text():
    text = as_text(DOCUMENT)
    row = next(one for one in text.splitlines() if one.startswith("small"))
    shown = "small ● yes 625.0 80.0 50 1,000 1,000 0 0 measured 1.60 M 50 50 0 625,000"
    assert row.split() == shown.split()
    assert "modmul/other cannot: it is odd" in text
    more = [{"core": f"modmul/{name}", "reason": f"modmul/{name} is built for one modulus"} for name in "ab"]
    assert "2 cores cannot: built for one modulus: a, b\n" in as_text(DOCUMENT | {"unable": more})
    assert "not run" in next(one for one in text.splitlines() if one.startswith("unmeasured"))


@pytest.mark.parametrize(
    ("ns", "rate"), [(0.8, "1,250.00 M"), (625, "1.60 M"), (1e9 / 956_161, "956,161"), (1e7, "100"), (3e9, "0.3333")]
)
def test_rates_have_no_exponents(ns, rate):
    text = as_text(DOCUMENT | {"rows": [DOCUMENT["rows"][0] | {"per_second": 1e9 / ns}]})
    assert f" {rate} " in text


def test_a_plot_has_a_point_for_each_placed_design():
    text = plot(DOCUMENT)
    assert text.count("data-key=") == 3
    assert "3 designs, 2 of them on the front" in text
    assert "no design has both figures" in plot(DOCUMENT | {"rows": DOCUMENT["rows"][3:]})


def test_titles_of_plots_are_whole():
    varying = DOCUMENT | {
        "rows": [one | {"interval_kind": "mean"} for one in DOCUMENT["rows"]],
        "work": "a modulus " * 12,
    }
    text = plot(varying, "interval_ns")
    assert ">time between two operations at full rate, ns (where it varies the mean, or the most)</text>" in text
    assert ": time between two operations at full rate</title>" in text and "full rate</text>" in text
    assert "…" not in text


# --- the command


def test_compare_on_the_command_line(run, no_records, toy_only):
    (toy_only / "peer.json").write_text(json.dumps(PEER))
    words = ("compare", "--function", "modmul", "--modulus", 97)
    assert run(*words, "--rtl", "theirs=peer.json", "--json") == 0
    assert [(row["label"], row["source"]) for row in run.json["rows"]] == [
        ("theirs", "cycles stated"),
        ("toy", "not run"),
    ]
    outputs = ("--csv", "a/rows.csv", "--html", "page.html", "--svg", "plot.svg")
    assert run(*words, "--rtl", "peer.json", *outputs) == 0
    assert "toy" in run.out and "not run" in run.out
    assert (toy_only / "a" / "rows.csv").read_text().count("\n") == 3
    assert "Datasheet" in (toy_only / "page.html").read_text()
    assert (toy_only / "plot.svg").read_text().startswith("<svg")
    for older_or_newer in ("--constant-time", "--constant-latency"):
        assert run(*words, older_or_newer, "--json") == 0
        assert [row["constant_latency"] for row in run.json["rows"]] == [True]
        assert [row["constant_time"] for row in run.json["rows"]] == [True]
    assert "cannot read" in run.fails(2, *words, "--rtl", "none.json")
    assert "cannot write" in run.fails(2, *words, "--csv", "peer.json/x.csv")
    assert "--measure" in run.fails(2, *words, "--liberty", "osu018")
    assert "no core computes" in run.fails(2, "compare", "--function", "modinv", "--bits", 8)


@pytest.mark.parametrize(
    ("areas", "says"),
    [
        ((None, None), "None of these was measured for P-256 on ecp5, so there are no areas"),
        ((None, None, 7), "2 of 3 were not measured for P-256 on ecp5, so they have no areas, and no place"),
        ((None, 7), ""),
    ],
)
def test_a_comparison_without_areas_names_the_command_that_estimates_them(capsys, areas, says):
    work = SimpleNamespace(function="modmul", named="P-256", target="ecp5")
    lines = [SimpleNamespace(lut=lut, nand2=None) for lut in areas]
    selection = SimpleNamespace(field="P-256", modulus=None, curve=None, bits=None, constant_latency=False)
    _name_choose(SimpleNamespace(work=work, lines=lines), selection)
    out = capsys.readouterr().out
    assert says in out
    assert ("modwright choose --function modmul --field P-256 --smallest" in out) == bool(says)


def test_the_command_that_estimates_can_be_copied(capsys):
    work = SimpleNamespace(function="modmul", named="17 bits", target="gowin")
    selection = SimpleNamespace(field=None, modulus="2^16 + 1", curve=None, bits=None, constant_latency=True)
    _name_choose(SimpleNamespace(work=work, lines=[SimpleNamespace(lut=None, nand2=None)]), selection)
    words = "--function modmul --modulus '2^16 + 1' --device gowin --constant-latency --smallest"
    assert f"modwright choose {words}\n" in capsys.readouterr().out

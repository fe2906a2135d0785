# SPDX-License-Identifier: Apache-2.0
"""Comparisons of gates: a row for each cell library, and the front of each."""

import json
import re
from dataclasses import replace

import pytest

from modwright.base.errors import ToolFailedError
from modwright.base.store import Store
from modwright.compare import Work, compare, datasheets, marked
from modwright.measurement import Settings, bench_folder, keep
from modwright.measurement.gates import gate_rows
from modwright.measurement.record import FORMAT
from modwright.pages import page, plot

from .comparison_sample import DOCUMENT, line

LIBRARIES = ["asap7", "ihp-sg13g2", "sky130"]


def test_gates_are_on_the_front_of_their_library():
    lines = [
        line("a", nand2=10, clocks=10, fmax=100.0, device="of 7 nm"),
        line("b", nand2=10, clocks=20, fmax=100.0, device="of 130 nm"),
        line("c", nand2=11, clocks=30, fmax=100.0, device="of 130 nm"),
    ]
    assert [one.label for one in marked(lines) if one.front] == ["a", "b"]


@pytest.mark.parametrize(
    ("function", "named", "core", "of"),
    [
        ("modmul", {"bits": 256}, "csa", "256"),
        ("ecpm", {"curve": "P-256"}, "row-ladder", "secp256r1"),
        ("ecpm", {"curve": "P-256"}, "ladder", "secp256r1"),
    ],
)
def test_gates_have_a_row_for_each_library(tmp_path, function, named, core, of):
    """With the figures of bench/gates, and the core's cycles."""
    found = compare(Work.make(function, "asic", **named), Store(tmp_path))
    own = {one.label: one for one in found.lines if one.label.startswith(f"{core},") and one.label.count(",") == 1}
    assert set(own) == {f"{core}, {name}" for name in LIBRARIES}
    records = json.loads((bench_folder() / "gates" / "gates.json").read_text(encoding="utf-8"))
    record = records[f"{function}/{core} {of}"]
    for name in LIBRARIES:
        shown, rate = own[f"{core}, {name}"], record["libraries"][name]
        assert (shown.nand2, shown.ff, shown.fmax_mhz) == (rate["nand2"], rate["ff"], rate["fmax_mhz"])
        assert (shown.clocks, shown.device) == (record["schedule"]["latency_cycles"], rate["device"])
        assert shown.ns == shown.clocks * 1e3 / rate["fmax_mhz"] and shown.conditions == "no wires"
        assert found.rows[shown.id, shown.label].form == ()
    assert "not run" not in {one.source for one in found.lines}
    forms = [one for one in found.lines if one.label == f"{core}, Booth multipliers, clock gates, sky130"]
    assert len(forms) == (core == "ladder")


def test_a_datasheet_of_gates_says_nothing_of_a_placement(tmp_path):
    store = Store(tmp_path)
    found = compare(Work.make("modmul", "asic", field="secp256k1"), store)
    lines = tuple(one for one in found.lines if one.label == "csa, sky130")
    (text,) = datasheets(replace(found, lines=lines), store).values()
    assert "sky130_fd_sc_hd__tt_025C_1v80" in text and "no wires, no clock tree" in text
    assert "Placed and routed" not in text


@pytest.mark.parametrize(
    ("library", "form", "label"),
    [(None, "", "csa"), ("own.lib", "", "csa, own.lib"), ("sky130", "clock gates", "csa, clock gates, sky130")],
)
def test_gates_of_your_own_without_a_clock_rate_have_a_row(tmp_path, library, form, label):
    """A clock rate in another library is no reason to leave them out."""
    store = Store(tmp_path)
    shipped = next(row for row in gate_rows() if row.label == "csa, sky130" and row.bits == 256)
    record = {
        "format": FORMAT,
        "request": shipped.request,
        "schedule": shipped.schedule,
        "verilog": {"sha256": shipped.sha256},
        "resources": {**shipped.resources, "nand2": 12_345, "rules": {"form": form}},
        **dict.fromkeys(("timing", "channel_timing"), "not run"),
        "tools": {},
    }
    keep(store, record if library is None else {**record, "liberty": library})
    found = compare(Work.make("modmul", "asic", bits=256), store)
    own = {one.label: one.nand2 for one in found.lines if one.source == "area only"}
    assert own == {label: 12_345}
    assert {f"csa, {name}" for name in LIBRARIES} <= {one.label for one in found.lines}


@pytest.mark.parametrize(("library", "measures"), [("asap7", False), ("/some/where/osu018", True), (None, False)])
def test_what_has_no_record_in_a_library_is_measured(tmp_path, monkeypatch, library, measures):
    def measured(*_):
        raise ToolFailedError("made to fail")

    monkeypatch.setattr("modwright.compare.comparison.measured", measured)
    work = Work.make("modmul", "asic", bits=256)
    found = compare(work, Store(tmp_path), settings=Settings(), liberty=library)
    assert ("csa" in {one.label for one in found.lines if one.source == "failed"}) == measures
    assert "csa, asap7" in {one.label for one in found.lines}


def test_a_missing_library_is_refused_before_any_measuring(run, monkeypatch):
    monkeypatch.setattr("modwright.compare.comparison.measured", lambda *_: pytest.fail("it was measured"))
    words = ("compare", "--function", "modmul", "--bits", 256, "--target", "asic", "--measure", "--liberty")
    assert "no Liberty file missing.lib" in run.fails(2, *words, "missing.lib")


def test_the_plot_has_a_front_for_each_library():
    """Of a core in each of two libraries no line goes from one to the other."""
    figures = {"of 7 nm": (10, 20), "of 130 nm": (100, 200)}
    rows = [
        line(f"{device} {n}", nand2=nand2, clocks=1000 // nand2, fmax=100.0, device=device)
        for device, areas in figures.items()
        for n, nand2 in enumerate(areas)
    ]
    document = DOCUMENT | {"target": "asic", "rows": [one.to_json() for one in marked(rows)]}
    fronts = re.findall(r'<path class="mark-next" d="M([^"]*)"', plot(document))
    assert [front.count("H") for front in fronts] == [1, 1]
    alike = [row | {"device": "of 7 nm"} for row in document["rows"]]
    (front,) = re.findall(r'<path class="mark-next" d="M([^"]*)"', plot(document | {"rows": alike}))
    assert front.count("H") == 3


def test_the_page_says_what_the_front_of_gates_is():
    gates = DOCUMENT | {"target": "asic"}
    assert "in the time of one operation and in gates of the same library." in page(gates, {}, [])
    assert "in the time of one operation and in area." in page(DOCUMENT, {}, [])

# SPDX-License-Identifier: Apache-2.0
"""Families besides ECP5, gates of a cell library, Vivado's projects and reports, and third-party Verilog."""

import dataclasses
import gzip
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from modwright.base.errors import ToolFailedError, ToolMissingError, UsageError
from modwright.base.store import Store
from modwright.cli.former import of_today
from modwright.synthesize import (
    DEVICES,
    NotPlaced,
    Timing,
    asic,
    elaborate,
    find_liberty,
    foreign,
    gates,
    nextpnr,
    read_liberty,
    resources,
    timing,
    vivado,
)
from modwright.synthesize.liberty import Cell, truth_table

from ..tools import require

DATA = Path(__file__).parents[1] / "data"
SMALL = DATA / "small.lib"

MAC = """
module mac(input clk, input [15:0] a, input [15:0] b, output reg [31:0] z);
  reg [15:0] ra, rb;
  always @(posedge clk) begin ra <= a; rb <= b; z <= ra * rb + z; end
endmodule
"""

NAND = "module gate(input clk, input a, input b, output reg z); reg ra, rb; always @(posedge clk) begin ra <= a; " + (
    "rb <= b; z <= ~(ra & rb); end endmodule"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


# --- families


def test_ultrascale_has_blocks_only(store):
    found = resources(MAC, "mac", "xcup", store=store)
    assert found.dsp == 1 and found.lut is None and found.ff is None
    assert "blocks only" in found.method
    assert found.cells["DSP48E2"] == 1


def test_gowin_counts_follow_from_the_design(store):
    found = resources(MAC, "mac", "gowin", store=store)
    assert (found.dsp, found.ff, found.carry) == (1, 64, 32)
    assert found.lut == sum(n for cell, n in found.cells.items() if cell.startswith(("LUT", "ALU")))


def test_gowin_is_placed_in_the_harness(store):
    found = timing(MAC, "mac", store=store, target="gowin", seeds=(1, 2))
    assert isinstance(found, Timing)
    assert (found.harness, found.device) == ("shift", "GW2A-LV18PG256C8/I7")
    assert found.utilisation["IOB"]["used"] == 4
    assert "himbaechel" in found.method
    assert 50 < found.fmax_median <= found.fmax_mhz < 500
    assert found.critical_path["from"].startswith("core.")


def test_gowin_has_no_other_way(store):
    with pytest.raises(UsageError, match="no out-of-context mode"):
        timing(MAC, "mac", store=store, target="gowin", harness="out-of-context")
    with pytest.raises(UsageError, match="unknown device '85k' of gowin"):
        timing(MAC, "mac", store=store, target="gowin", device="85k")
    with pytest.raises(UsageError, match="no place and route"):
        timing(MAC, "mac", store=store, target="xc7")


def test_a_design_too_large_for_gowin_says_so(monkeypatch, store):
    monkeypatch.setitem(DEVICES, "gw2a-18", dataclasses.replace(DEVICES["gw2a-18"], ff=63))
    found = timing(MAC, "mac", store=store, target="gowin")
    assert isinstance(found, NotPlaced)
    assert "flip-flops of 63" in found.reason and "GW2A" in found.reason


def test_a_missing_tool_says_which(monkeypatch, store):
    monkeypatch.setattr(nextpnr, "version_of", lambda name: "absent")
    with pytest.raises(ToolMissingError, match=r"gowin is not installed\n  try: pip install yowasp-nextpnr-himbaechel"):
        timing(MAC, "mac", store=store, target="gowin", seeds=(9,))


def test_a_killed_gowin_tool_is_an_error_of_ours(monkeypatch, tmp_path):
    monkeypatch.setattr(nextpnr, "GOWIN_COMMAND", (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"))
    with pytest.raises(ToolFailedError, match="killed by signal 9"):
        timing(MAC, "mac", store=Store(tmp_path), target="gowin")
    assert not list((tmp_path / "place").iterdir()), "a crash is not kept"


# --- gates of a cell library


def test_the_units_of_a_library():
    library = read_liberty(SMALL)
    assert (library.name, library.nand2.name, library.nand2.area) == ("small", "NAND", 3)
    assert library.inverter.name == "INV"
    assert library.cells["FF"].stores and not library.cells["NAND"].stores


@pytest.mark.parametrize(
    ("function", "table"),
    [
        ("!(A B)", (True, True, True, False)),
        ("(A&B)'", (True, True, True, False)),
        ("!A+!B", (True, True, True, False)),
        ("A' | B'", (True, True, True, False)),
        ("A*B", (False, False, False, True)),
        ("A^B", (False, True, True, False)),
        ("!A ^ B", (True, False, False, True)),
        ("A + B A'", (False, True, True, True)),
        ("IQ", None),
        ("(A", None),
    ],
)
def test_functions_of_cells(function, table):
    assert truth_table(Cell("X", 1.0, ("A", "B"), (function,), False)) == table


@pytest.fixture
def library():
    """A real library: ABC takes none without tables of delays."""
    require("osu018")
    return read_liberty(*find_liberty("osu018"))


def test_gates_of_a_library(tmp_path, library):
    found, clock = gates(NAND, "gate", library, store=Store(tmp_path))
    area = sum(library.cells[cell].area * n for cell, n in found.cells.items())
    assert found.nand2 == round(area / 24) and library.nand2.area == 24
    assert found.ff == 3
    assert not isinstance(clock, NotPlaced) and clock.device == "osu018_stdcells"


def test_without_opensta_abc_says_so(monkeypatch, tmp_path, library):
    monkeypatch.setattr(asic, "STA", "no-such-tool")
    _, clock = gates(NAND, "gate", library, store=Store(tmp_path))
    assert not isinstance(clock, NotPlaced)
    assert clock.method.startswith("ABC") and "OpenSTA is not installed" in clock.method


def test_a_failing_opensta_is_an_error_of_ours(monkeypatch, tmp_path, library):
    fake = tmp_path / "sta"
    fake.write_text('#!/bin/sh\n[ "$1" = -version ] && echo 9.9 && exit 0\necho "Error: no" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr(asic, "STA", str(fake))
    with pytest.raises(ToolFailedError, match="OpenSTA failed:\nError: no"):
        gates(NAND, "gate", library, store=Store(tmp_path / "store"))


def test_reports_of_opensta():
    log = "Startpoint: _1_ (rising edge)\nEndpoint: _2_ (rising)\n   -1.5000   slack (VIOLATED)\n"
    assert asic.read_sta(log, "x") == {
        "fmax_mhz": 86.96,
        "critical_path": {"from": "_1_", "to": "_2_", "delay_ns": 11.5},
    }
    assert "no path" in asic.read_sta("No paths found.\n", "x")["reason"]


def test_liberty_files_that_are_none(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no Liberty file nonesuch"):
        find_liberty("nonesuch")
    monkeypatch.setenv("PDK_ROOT", str(tmp_path))
    with pytest.raises(UsageError, match="sky130 is not on this machine"):
        find_liberty("sky130")
    place = tmp_path / "ihp-sg13g2/libs.ref/sg13g2_stdcell/lib/sg13g2_stdcell_typ_1p20V_25C.lib"
    place.parent.mkdir(parents=True)
    shutil.copyfile(SMALL, place)
    assert find_liberty("ihp-sg13g2") == (place,)
    other = tmp_path / "other.lib"
    other.write_text("module x; endmodule")
    with pytest.raises(UsageError, match="not a Liberty file with cells"):
        read_liberty(other)


def parts(folder, names):
    """A library in as many files, compressed, with a few cells each."""
    text = SMALL.read_text(encoding="utf-8")
    for name in names:
        inner = re.sub(r"cell *\((\w+)\)", rf"cell (\1_{name.split('.')[0]})", text)
        (folder / name).write_bytes(gzip.compress(inner.replace("small", f"asap_{name[0]}").encode()))


def test_a_library_of_several_files(tmp_path, monkeypatch):
    names = ["asap7_simple.lib.gz", "asap7_invbuf.lib.gz", "asap7_seq.lib.gz"]
    monkeypatch.setenv("MODWRIGHT_LIBERTY", f"{tmp_path}/none{os.pathsep}{tmp_path}")
    with pytest.raises(UsageError, match=r"asap7 is not on this machine: looked for asap7sc7p5t_SIMPLE"):
        find_liberty("asap7")
    parts(tmp_path, names)
    found = find_liberty("asap7")
    assert [path.name for path in found] == names
    library = read_liberty(*found)
    assert len(library.cells) == 3 * len(read_liberty(found[0]).cells)
    assert len(library.texts()) == 3
    assert find_liberty(os.pathsep.join(map(str, found))) == found
    with pytest.raises(UsageError, match="has cells of another file"):
        read_liberty(found[0], found[0])


def test_compressed_files_that_are_none(tmp_path):
    cut = tmp_path / "cut.lib.gz"
    cut.write_bytes(gzip.compress(SMALL.read_bytes())[:-9])
    with pytest.raises(UsageError, match="gzip"):
        read_liberty(cut)


def test_tools_get_every_file(tmp_path, monkeypatch):
    """Yosys and ABC read all files of a library, under names of one working folder, and leave none in the store."""
    parts(tmp_path, ["a.lib.gz", "b.lib"])
    library = read_liberty(tmp_path / "a.lib.gz", tmp_path / "b.lib")
    seen = {}

    def run_yosys(script, folder):
        seen["script"] = script
        seen["files"] = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("cells*.lib")}
        (folder / "stat.json").write_text('{"design": {"area": 6, "num_cells_by_type": {}}}', encoding="utf-8")
        return ""

    monkeypatch.setattr(asic, "run_yosys", run_yosys)
    netlist = asic._netlist(MAC, "mac", library, False, False, Store(tmp_path / "store"))
    assert "abc -liberty cells_0.lib -liberty cells_1.lib -D" in seen["script"]
    assert "dfflibmap -liberty cells_0.lib -liberty cells_1.lib" in seen["script"]
    assert list(seen["files"].values()) == library.texts()
    assert not list(netlist.folder.glob("*.lib"))


# --- Vivado


@pytest.fixture
def project(tmp_path):
    """A project folder with the sample reports."""
    files = vivado.project_files("module modmul_toy; endmodule", "modmul_toy", "xc7a200tfbg676-1", 200, {"cycles": 8})
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, tmp_path / name)
    return tmp_path


def test_a_vivado_project(project):
    assert "create_clock -name clk -period 5.000 [get_ports clk]" in (project / "constraints.xdc").read_text()
    script = (project / "run.tcl").read_text()
    for step in (
        "-part xc7a200tfbg676-1",
        "read_verilog modmul_toy.v",
        "synth_design -mode out_of_context",
        "route_design",
    ):
        assert step in script
    assert f"report_utilization -file {vivado.UTILISATION}" in script


def test_reports_of_vivado(project):
    found = vivado.read_reports(project)
    assert {name: found[name] for name in ("lut", "ff", "dsp", "lutram", "bram")} == {
        "lut": 321,
        "ff": 654,
        "dsp": 7,
        "lutram": 16,
        "bram": 5,
    }
    assert (found["slack_ns"], found["fmax_mhz"]) == (-0.5, round(1e3 / 5.5, 2))
    assert found["manifest"]["cycles"] == 8 and found["tool"].startswith("Vivado v.2023.2")


def slack(value):
    """A change of the worst slack in a timing report."""
    return lambda text: re.sub(r"-0\.500", value, text)


def test_reports_of_ultrascale(project):
    path = project / vivado.UTILISATION
    text = path.read_text().replace("Slice LUTs     ", "CLB LUTs*      ").replace("Slice Registers", "CLB Registers  ")
    path.write_text(text)
    assert vivado.read_reports(project)["lut"] == 321


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (vivado.TIMING, lambda text: text.replace("WNS(ns)", "XXX(ns)"), "no worst negative slack"),
        (vivado.UTILISATION, lambda text: text.replace("| DSPs", "| XXXX"), "no row DSPs"),
        (vivado.UTILISATION, lambda text: text.replace("modmul_toy", "other"), "of design other"),
        (vivado.MANIFEST, lambda text: "{}", "was not written by"),
        (vivado.TIMING, slack("5.000"), "slack of 5 ns, which has to be below the period of 5 ns"),
        (vivado.TIMING, slack("6.250"), "slack of 6.25 ns, which has to be below the period of 5 ns"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"cycles": "x"'), "cycles is 'x', and has to be"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"cycles": -8'), "cycles is -8"),
        (vivado.MANIFEST, lambda text: text.replace('"cycles": 8', '"interval": true'), "interval is True"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", "NaN,"), "period_ns is nan"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", "-5.0,"), "period_ns is -5.0"),
        (vivado.MANIFEST, lambda text: text.replace("5.0,", '"5",'), "period_ns is '5'"),
    ],
)
def test_reports_that_cannot_be_read(project, name, change, says):
    path = project / name
    path.write_text(change(path.read_text()))
    with pytest.raises(UsageError, match=says):
        vivado.read_reports(project)


def test_reports_that_are_not_there(project):
    (project / vivado.TIMING).unlink()
    with pytest.raises(UsageError, match=r"(?s)cannot read .*run `vivado"):
        vivado.read_reports(project)


# --- third-party Verilog

PEER = """
module part #(parameter W = 4)(input ck, input [W-1:0] d, output reg [W-1:0] q);
  always @(posedge ck) q <= d + 1;
endmodule
module peer #(parameter W = 4)(input clock, input clk, input [W-1:0] d, output [W-1:0] q);
  wire [W-1:0] t;
  part #(.W(W)) first(.ck(clock), .d(d ^ {W{clk}}), .q(t));
  part #(.W(W)) second(.ck(clock), .d(t), .q(q));
endmodule
"""


@pytest.mark.parametrize("name", ["peer.v", "peer.sv", "a peer.v"])
def test_third_party_verilog_in_the_same_flow(tmp_path, store, name):
    path = tmp_path / name
    path.write_text(PEER)
    text, top = elaborate([path], "peer", "clock", {"W": "8"})
    assert str(tmp_path) not in text
    assert resources(text, top, "ecp5", store=store).ff == 16
    found = timing(text, top, store=store)
    assert isinstance(found, Timing) and found.fmax_mhz > 100


def test_includes_are_found_beside_the_file(tmp_path, store):
    (tmp_path / "width.vh").write_text("`define WIDTH 5\n")
    path = tmp_path / "a.v"
    path.write_text(
        '`include "width.vh"\nmodule a(input clk, output reg [`WIDTH-1:0] q); always @(posedge clk) q <= ~q; endmodule'
    )
    text, top = elaborate([path], "a", "clk")
    assert resources(text, top, "ecp5", store=store).ff == 5


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        ({"top": "peer", "clock": "ck"}, UsageError, "no clock input 'ck'\n  try: --clock with one of clk, clock"),
        ({"top": "peer", "clock": "d"}, UsageError, "no clock input 'd'"),
        ({"top": "none", "clock": "clk"}, UsageError, "^Yosys refuses peer.v: ERROR: Module `none' not found!$"),
        ({"top": "peer", "clock": "clock", "parameters": {"NOPE": "8"}}, UsageError, "^Yosys refuses .*NOPE`!$"),
        ({"top": "peer", "clock": "clock", "parameters": {"W": "-1"}}, UsageError, "^Yosys refuses .*value '-1'!$"),
        ({"top": "a b", "clock": "clk"}, UsageError, "not a name in Verilog"),
        ({"top": "peer", "clock": "clock", "parameters": {"W": "8; shell ls"}}, UsageError, "not a value"),
        ({"top": "peer", "clock": "clock", "files": ["nonesuch.v"]}, UsageError, "no file nonesuch.v"),
    ],
)
def test_verilog_that_cannot_be_measured(tmp_path, words, error, says):
    path = tmp_path / "peer.v"
    path.write_text(PEER)
    given = {"files": [path], "parameters": {}} | words
    with pytest.raises(error, match=says.replace("(", r"\(")):
        elaborate([Path(f) for f in given["files"]], given["top"], given["clock"], given["parameters"])


def test_an_unknown_parameter_of_systemverilog(tmp_path):
    path = tmp_path / "peer.sv"
    path.write_text(PEER)
    with pytest.raises(UsageError, match=r"^Yosys refuses peer.sv: ERROR: parameter 'NOPE' does not exist in 'peer'"):
        elaborate([path], "peer", "clock", {"W": "8", "NOPE": "8"})


def test_a_crash_of_yosys_is_not_the_users(tmp_path, monkeypatch):
    def crash(*_, **__):
        raise ToolFailedError("Yosys was killed by signal 9:\nExecuting")

    monkeypatch.setattr(foreign, "run_yosys", crash)
    (tmp_path / "peer.v").write_text(PEER)
    with pytest.raises(ToolFailedError, match="signal 9"):
        elaborate([tmp_path / "peer.v"], "peer", "clock")


# --- the command


TOY = "modmul/toy"


def test_synth_of_third_party_verilog(run, toy_only):
    (toy_only / "peer.v").write_text(PEER)
    words = ("peer.v", "--top", "peer", "--clock", "clock")
    assert run("synth-rtl", *words, "--cycles", 3, "--place", "--json") == 0
    found = run.json
    assert (found["rtl"], found["ff"], found["cycles"]) == ("peer", 8, 3)
    assert found["cycles_source"] == "stated by the user, not checked"
    assert found["latency_ns"] == round(3e3 / found["fmax_mhz"], 3)
    assert found["place_and_route"]["router"] == "router1"
    assert run("synth-rtl", *words) == 0
    assert "stated" not in run.out
    assert "--top" in run.fails(2, "synth-rtl", "peer.v")
    assert "FILE" in run.fails(2, "synth-rtl", "--top", "peer")


def test_third_party_verilog_in_cells(run, toy_only, library):
    (toy_only / "peer.v").write_text(PEER)
    words = ("synth-rtl", "peer.v", "--top", "peer", "--clock", "clock")
    assert run(*words, "-t", "asic", "--liberty", library.paths[0], "--json") == 0
    assert run.json["nand2"] > 0
    assert run.json["rules"]["nand2"].endswith(library.nand2.name)
    assert "for target asic" in run.fails(2, *words, "--liberty", library.paths[0])


def test_synth_with_a_library(run, library):
    assert run("synth", TOY, "-m", 97, "--target", "asic", "--liberty", "osu018", "--json") == 0
    assert run.json["nand2"] > 0 and run.json["fmax_mhz"] > 0
    assert run.json["rules"]["nand2"].endswith(library.nand2.name)
    assert "asic" in run.fails(2, "synth", TOY, "-m", 97, "--liberty", SMALL)
    assert "no Liberty file" in run.fails(2, "synth", TOY, "-m", 97, "--target", "asic", "--liberty", "none.lib")


def test_a_project_for_vivado_and_back(run, toy_only):
    export = ("vivado", "export", TOY, "-m", 97)
    assert run(*export, "--target", "xc7", "-o", "project", "--freq", 200) == 0
    assert "project/run.tcl" in run.out
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, toy_only / "project" / name)
    assert run("vivado", "import", "project", "--json") == 0
    assert (run.json["core"], run.json["dsp"], run.json["fmax_mhz"]) == (TOY, 7, 181.82)
    assert run.json["latency_ns"] == round(3 * 5.5, 3)
    assert run("vivado", "import", "project") == 0
    assert "imported" in run.out
    assert run("vivado", "import", "project", "--freq", 190) == 5
    assert "--target xc7" in run.fails(2, *export, "-o", "other")
    assert "cannot read" in run.fails(2, "vivado", "import", "nowhere")


OF_A_CORE = ("synth", TOY, "-m", 97)
OF_RTL = ("synth-rtl", "peer.v", "--top", "peer", "--clock", "clock")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*OF_RTL, "--liberty", "osu018"), "--liberty is for target asic"),
        ((*OF_RTL, "--channel"), "--channel"),
        ((*OF_RTL, "--field", "secp256k1"), "--field"),
        ((*OF_RTL, "--freq", 100), "add --place"),
        ((*OF_RTL, "--seeds", "1,2"), "add --place"),
        ((*OF_RTL, "--router", "router1"), "add --place"),
        ((*OF_RTL, "--timeout", "9"), "add --place"),
        ((*OF_RTL, "--place", "--router", "r9"), "unknown router 'r9'"),
        ((*OF_RTL, "--place", "--seeds", "1,1"), "different integers from 1 on, not '1,1'"),
        ((*OF_RTL, "--place", "--target", "asic"), "place and route is for"),
        ((*OF_A_CORE, "--device", "nope"), "add --place or --channel"),
        ((*OF_A_CORE, "--place", "--device", "nope"), "unknown device 'nope'"),
        ((*OF_A_CORE, "--seeds", "1,1"), "add --place or --channel"),
        ((*OF_A_CORE, "--place", "--seeds", "0"), "different integers from 1 on, not '0'"),
        ((*OF_A_CORE, "--cycles", 3), "--cycles"),
        ((*OF_A_CORE, "--part", "xc7a200t"), "--part"),
        (("vivado", "import", "project", "--target", "xc7"), "--target"),
    ],
)
def test_options_that_would_do_nothing_are_refused(run, toy_only, monkeypatch, words, says):
    def fail(*_, **__):
        raise AssertionError("nothing is made before the options are checked")

    monkeypatch.setattr(foreign, "run_yosys", fail)
    (toy_only / "peer.v").write_text(PEER)
    assert says in run.fails(2, *words)


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("synth --rtl a.v --rtl=b.v --top m --clock ck", "synth-rtl a.v b.v --top m --clock ck"),
        ("synth --top m --cycles 3 --rtl a.v --place", "synth-rtl --top m --cycles 3 a.v --place"),
        ("synth --import project --json", "vivado import project --json"),
        ("synth --import=project", "vivado import project"),
        ("synth x -t xc7 --vivado out --part p", "vivado export x -t xc7 --output out --part p"),
        ("synth x --vivado=out", "vivado export x --output=out"),
        ("synth x --place", "synth x --place"),
        ("simulate x --engine pure", "simulate x --simulator pure"),
        ("rsa --engine=pure", "rsa --simulator=pure"),
        ("compare --rtl a.json", "compare --rtl a.json"),
        ("", ""),
    ],
)
def test_command_lines_of_earlier_versions(former, today):
    assert of_today(former.split()) == today.split()


def test_earlier_forms_of_synth_still_work(run, toy_only):
    (toy_only / "peer.v").write_text(PEER)
    assert run("synth", "--rtl", "peer.v", "--top", "peer", "--clock", "clock", "--json") == 0
    assert (run.json["rtl"], run.json["ff"]) == ("peer", 8)
    assert run("synth", TOY, "-m", 97, "--target", "xc7", "--vivado", "project") == 0
    for name in (vivado.UTILISATION, vivado.TIMING):
        shutil.copyfile(DATA / "vivado" / name, toy_only / "project" / name)
    assert run("synth", "--import", "project", "--json") == 0
    assert run.json["fmax_mhz"] > 0
    assert run("synth", "--help") == 0
    assert not any(word in run.out for word in ("--rtl", "--import", "--vivado"))
    run.fails(2, "synth")
    run.fails(2, "synth", "--rtl")
    run.fails(2, "synth", TOY, "-m", 97, "--rtl", "peer.v", "--top", "peer")


def test_synth_on_gowin(run):
    assert run("synth", TOY, "-m", 97, "--target", "gowin", "--place", "--json") == 0
    assert (run.json["target"], run.json["timing"]) == ("gowin", "core")
    assert json.dumps(run.json["place_and_route"]).count("GW2A")

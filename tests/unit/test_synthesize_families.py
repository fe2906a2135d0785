# SPDX-License-Identifier: Apache-2.0
"""Families besides ECP5, gates of a cell library, Vivado's projects and reports, and third-party Verilog."""

import dataclasses
import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modwright.base.errors import ToolFailedError, ToolMissingError, UsageError
from modwright.base.store import Store
from modwright.rtl.cells import SIMULATION
from modwright.rtl.verilog import run_yosys
from modwright.synthesize import (
    DEVICES,
    NotPlaced,
    Settings,
    Timing,
    asic,
    elaborate,
    find_liberty,
    foreign,
    gates,
    nextpnr,
    read_liberty,
    resources,
    static_timing,
    timing,
)
from modwright.synthesize.liberty import Cell, truth_table
from modwright.synthesize.netlist import CELLS

from ..tools import needs
from .measured_designs import PEER, SMALL
from .measured_designs import library as library
from .small_designs import assert_capacities

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
    found = timing(MAC, "mac", Settings(seeds=(1, 2)), store=store, target="gowin")
    assert isinstance(found, Timing)
    assert (found.harness, found.device) == ("shift", "GW2A-LV18PG256C8/I7")
    assert found.utilisation["IOB"]["used"] == 4
    assert "himbaechel" in found.method
    assert 50 < found.fmax_median <= found.fmax_mhz < 500
    assert found.critical_path["from"].startswith("core.")


def test_gowin_has_no_other_way(store):
    with pytest.raises(UsageError, match="no out-of-context mode"):
        timing(MAC, "mac", Settings(harness="out-of-context"), store=store, target="gowin")
    with pytest.raises(UsageError, match="unknown device '85k' of gowin"):
        timing(MAC, "mac", Settings(device="85k"), store=store, target="gowin")
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
        timing(MAC, "mac", Settings(seeds=(9,)), store=store, target="gowin")


def test_a_killed_gowin_tool_is_an_error_of_ours(monkeypatch, tmp_path):
    monkeypatch.setitem(nextpnr.COMMANDS, "gowin", (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"))
    with pytest.raises(ToolFailedError, match="killed by signal 9"):
        timing(MAC, "mac", store=Store(tmp_path), target="gowin")
    assert not list((tmp_path / "place").iterdir()), "a crash is not kept"


def _tile(name: str, pipeline: str, output: str, enable: str) -> str:
    """A module with one ECP5 block, as `rtl.multiplier` instantiates it."""

    def pins(port: str, width: int) -> str:
        return ", ".join(f".{port}{bit}({port.lower()}[{bit}])" for bit in range(width))

    return f"""module {name}(input clk, input load, input [17:0] a, b, output [35:0] p);
      MULT18X18D #(.REG_INPUTA_CLK("CLK0"), .REG_INPUTB_CLK("CLK0"), .REG_INPUTA_CE("{enable}"),
        .REG_PIPELINE_CLK("{pipeline}"), .REG_OUTPUT_CLK("{output}"), .RESETMODE("SYNC"), .GSR("DISABLED")) x (
        {pins("A", 18)}, {pins("B", 18)}, {pins("P", 36)}, .CLK0(clk), .CE0(1'b1), .CE1(load), .SIGNEDA(1'b0),
        .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0), .RST0(1'b0));
    endmodule
    """


_COMPARE = """module bench;
  reg clk = 0, load; reg [17:0] a, b; wire [35:0] p, q; integer i, different = 0;
  ecp5 one(clk, load, a, b, p); nexus other(clk, load, a, b, q);
  initial begin
    for (i = 0; i < 2000; i = i + 1) begin
      a = $random; b = $random; load = i < 8 || $random; #1 clk = 1; #1 clk = 0;
      if (i > 8 && p !== q) different = different + 1;
    end
    $display("%0d", different);
  end
endmodule
"""


@needs("iverilog")
@pytest.mark.parametrize(
    "registers", [("NONE", "NONE", "CE0"), ("NONE", "CLK0", "CE0"), ("NONE", "CLK0", "CE1"), ("CLK0", "CLK0", "CE1")]
)
def test_blocks_of_ecp5_are_blocks_of_nexus(registers, tmp_path):
    (tmp_path / "tile.v").write_text(_tile("nexus", *registers))
    (tmp_path / "cells.v").write_text(CELLS["nexus"].read_text())
    run_yosys(
        "read_verilog tile.v\ntechmap -autoproc -map cells.v\nread_verilog -sv +/lattice/cells_sim_nexus.v\n"
        "prep -flatten -top nexus\nwrite_verilog -noattr mapped.v\n",
        folder=tmp_path,
    )
    (tmp_path / "bench.v").write_text(_tile("ecp5", *registers) + _COMPARE)
    model = next(path for path in SIMULATION if path.stem == "MULT18X18D")
    command = ["iverilog", "-g2012", "-o", "bench", "bench.v", "mapped.v", str(model)]
    subprocess.run(command, cwd=tmp_path, check=True)
    found = subprocess.run(["vvp", "bench"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "0", "cycles of 1,991 in which the products differ"


TOTAL = "module total(input clk, input [19:0] a, output reg [19:0] z); always @(posedge clk) z <= z + a; endmodule\n"
BOTH = """module both(input clk, input rst, input load, input [17:0] a, b, output [35:0] p, output [19:0] z);
  tile one(clk, load, a, b, p);
  total other(clk, {a, b[1:0]}, z);
endmodule
"""


def test_nexus_is_placed_with_its_blocks_and_carry_chains(tmp_path):
    """One placement, of which each takes ten seconds; the counts of each part alone."""
    tile, store = _tile("tile", "NONE", "CLK0", "CE0"), Store(tmp_path)
    (device,) = (device for device in DEVICES.values() if device.family == "nexus")
    found = timing(tile + TOTAL + BOTH, "both", store=store, target="nexus")
    assert isinstance(found, Timing) and 50 < found.fmax_mhz < 500
    assert (found.harness, found.device, found.speed) == ("shift", "LIFCL-40-7BG400C", "7")
    assert found.utilisation["MULT18_CORE"]["used"] == 1
    assert_capacities(device, found, store)
    counted = resources(tile, "tile", "nexus", store=store)
    assert (counted.dsp, counted.lut, counted.ff) == (1, 0, 0), "all registers are in the block"
    counted = resources(TOTAL, "total", "nexus", store=store)
    assert (counted.dsp, counted.carry, counted.lut, counted.ff) == (0, 11, 22, 20), "two bits a cell, and one to begin"


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


def test_gates_of_a_library(tmp_path, library):
    found, clock = gates(NAND, "gate", library, store=Store(tmp_path))
    area = sum(library.cells[cell].area * n for cell, n in found.cells.items())
    assert found.nand2 == round(area / 24) and library.nand2.area == 24
    assert found.ff == 3
    assert not isinstance(clock, NotPlaced) and clock.device == "osu018_stdcells"


def test_without_opensta_abc_says_so(monkeypatch, tmp_path, library):
    monkeypatch.setattr(static_timing, "STA", "no-such-tool")
    _, clock = gates(NAND, "gate", library, store=Store(tmp_path))
    assert not isinstance(clock, NotPlaced)
    assert clock.method.startswith("ABC") and "OpenSTA is not installed" in clock.method


def test_a_failing_opensta_is_an_error_of_ours(monkeypatch, tmp_path, library):
    fake = tmp_path / "sta"
    fake.write_text('#!/bin/sh\n[ "$1" = -version ] && echo 9.9 && exit 0\necho "Error: no" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr(static_timing, "STA", str(fake))
    with pytest.raises(ToolFailedError, match="OpenSTA failed:\nError: no"):
        gates(NAND, "gate", library, store=Store(tmp_path / "store"))


def test_reports_of_opensta():
    log = "Startpoint: _1_ (rising edge)\nEndpoint: _2_ (rising)\n   -1.5000   slack (VIOLATED)\n"
    assert static_timing.read_sta(log) == {
        "fmax_mhz": 86.96,
        "critical_path": {"from": "_1_", "to": "_2_", "delay_ns": 11.5},
    }
    assert static_timing.read_sta("No paths found.\n") is None


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
    netlist = asic._netlist(MAC, "mac", library, asic.Form(), Store(tmp_path / "store"))
    assert "abc -liberty cells_0.lib -liberty cells_1.lib -D" in seen["script"]
    assert "dfflibmap -liberty cells_0.lib -liberty cells_1.lib" in seen["script"]
    assert list(seen["files"].values()) == library.texts()
    assert not list(netlist.folder.glob("*.lib"))


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

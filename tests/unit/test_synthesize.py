# SPDX-License-Identifier: Apache-2.0
"""Synthesis and place and route, with the real tools on designs of a few cells."""

import json
import re

import pytest

from modwright.base.errors import ToolFailedError, UsageError
from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.rtl.verilog import emit, run_yosys
from modwright.synthesize import (
    Resources,
    Timing,
    netlist,
    resources,
    synthesise,
    timing,
)

from ..toy import TOY, ToyCore, derive, schedule
from .small_designs import CHAIN, CHOICE, NAND, blocks, placed
from .small_designs import empty as empty
from .small_designs import store as store

TILE = """
module tile(input clk, input [23:0] a, input [16:0] b, output reg [40:0] p);
  reg [23:0] ra;
  reg [16:0] rb;
  reg [40:0] m;
  always @(posedge clk) begin ra <= a; rb <= b; m <= ra * rb; p <= m; end
endmodule
"""

PRODUCT = """
module product(input clk, input [15:0] a, input [15:0] b, output reg [31:0] z);
  always @(posedge clk) z <= a * b;
endmodule
"""


@pytest.fixture(scope="module")
def toy_verilog():
    request = Request.make(TOY, modulus=251, options={"latency": 3, "interval": 1})
    p = derive(request)
    return emit(ToyCore(p, schedule(p)), "modmul_toy")


def test_ecp5_counts_follow_from_the_design(store):
    result = resources(blocks(1), "blocks", "ecp5", store=store)
    # 18 + 18 operand and 36 result bits are registers; a 36-bit sum is 18 two-bit carry cells.
    assert (result.dsp, result.ff, result.carry) == (1, 72, 18)
    assert result.lut == result.cells.get("LUT4", 0) + 2 * result.cells["CCU2C"]
    assert (result.bram, result.lutram, result.nand2) == (0, 0, None)
    assert result.rules["lut"] == "LUT4 + 2 CCU2C + 6 TRELLIS_DPR16X4"
    assert result.tool == {"pyosys": netlist.version_of("pyosys")}


def test_lut_sites_are_those_that_nextpnr_counts(toy_verilog, empty):
    counted = resources(toy_verilog, "modmul_toy", "ecp5", store=empty)
    assert counted.lutram and counted.carry and counted.cells["LUT4"], "the toy exercises all three terms"
    assert isinstance(timing(toy_verilog, "modmul_toy", store=empty), Timing)
    (log,) = (empty.root / "place").glob("*/nextpnr.log")
    total = re.search(r"Total LUT4s:\s+(\d+)/", log.read_text())
    assert total is not None and int(total[1]) == counted.lut


def test_wide_luts_are_asked_for(store):
    plain = resources(CHOICE, "choice", "ecp5", store=store)
    wide = resources(CHOICE, "choice", "ecp5", store=store, wide_lut=True)
    joined = ("PFUMX", "L6MUX21")
    assert not any(cell in plain.cells for cell in joined)
    assert all(cell in wide.cells for cell in joined)
    assert plain.lut < wide.lut
    assert (plain.wide_lut, wide.wide_lut) == (False, True)
    assert wide.method == f"{plain.method}, wide LUTs"


def test_levels_of_the_critical_path(store):
    """A LUT with its multiplexers is one level, a chain of four LUTs that are kept apart is four."""
    assert placed(CHOICE, "choice", store, wide_lut=True).critical_path["levels"] == 1
    assert placed(CHAIN, "chain", store).critical_path["levels"] == 4
    assert placed(blocks(1), "blocks", store).critical_path["levels"] == 1, "a carry chain is one level"


def test_series_7_tile_has_its_registers_in_the_block(store):
    result = resources(TILE, "tile", "xc7", store=store)
    assert (result.dsp, result.ff, result.lut) == (1, 0, 0)
    cells = json.loads(synthesise(TILE, "tile", "xc7", store=store).path.read_text())["modules"]["tile"]["cells"]
    (block,) = (c for c in cells.values() if c["type"] == "DSP48E1")
    registers = {name: int(block["parameters"][name], 2) for name in ("AREG", "BREG", "MREG", "PREG")}
    assert registers == {"AREG": 1, "BREG": 1, "MREG": 1, "PREG": 1}
    assert "no timing" in result.method


def test_gates_are_transistors_over_four(store):
    result = resources(NAND, "gate", "asic", store=store)
    # Yosys: four transistors a NAND, sixteen a flip-flop.
    assert result.cells == {"$_DFF_P_": 1, "$_NAND_": 1}
    assert (result.nand2, result.ff) == (5, 1)
    assert result.lut is None and result.dsp is None
    assert result.method.startswith("estimate")


def test_booth_changes_the_gates_and_says_so(store):
    plain = resources(PRODUCT, "product", "asic", store=store)
    booth = resources(PRODUCT, "product", "asic", store=store, booth=True)
    assert plain.nand2 != booth.nand2
    assert "Booth" in booth.method and "Booth" not in plain.method


def test_counts_and_netlist_do_not_depend_on_the_place(toy_verilog, tmp_path):
    stores = Store(tmp_path / "one"), Store(tmp_path / "two" / "deeper")
    texts = [synthesise(toy_verilog, "modmul_toy", "ecp5", store=s).path.read_bytes() for s in stores]
    assert texts[0] == texts[1]
    assert str(tmp_path).encode() not in texts[0] and b"pyosys/share" not in texts[0]


def test_a_netlist_is_made_once(monkeypatch, empty):
    first = resources(NAND, "gate", "ecp5", store=empty)

    def fail(*_, **__):
        raise AssertionError("Yosys ran again")

    monkeypatch.setattr(netlist, "run_yosys", fail)
    assert resources(NAND, "gate", "ecp5", store=empty) == first
    with pytest.raises(AssertionError, match="ran again"):
        resources(NAND + "\n", "gate", "ecp5", store=empty)


def test_resources_survive_json(store):
    result = resources(NAND, "gate", "ecp5", store=store)
    assert Resources.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_malformed_verilog_names_the_line(empty):
    with pytest.raises(ToolFailedError, match=r"top\.v:2: ERROR: syntax error"):
        resources("module gate(input a);\nassign = a;\nendmodule\n", "gate", "ecp5", store=empty)
    assert not list((empty.root / "netlist").iterdir()), "nothing half-made stays"


def test_yosys_out_of_time_is_an_error_of_ours():
    with pytest.raises(ToolFailedError, match=r"stopped after 0\.2 s"):
        run_yosys("exec -- sleep 20\n", timeout=0.2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"target": "ice40"}, "ecp5, xc7, xcup, gowin, nexus, asic"),
        ({"target": "ecp5", "booth": True}, "target asic"),
        ({"target": "xc7", "wide_lut": True}, "target ecp5"),
        ({"target": "ecp5", "top": "a b"}, "not a name"),
    ],
)
def test_wrong_synthesis_requests(arguments, says, empty):
    with pytest.raises(UsageError, match=says):
        resources(NAND, **{"top": "gate", "store": empty, **arguments})

# SPDX-License-Identifier: Apache-2.0
"""Synthesis and place and route, with the real tools on designs of a few cells."""

import dataclasses
import json
import math
import re
import subprocess
import sys
import time

import pytest

from modwright.base.errors import ToolFailedError, UsageError
from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.rtl.verilog import emit, run_yosys
from modwright.synthesize import (
    ROUTERS,
    NotPlaced,
    Resources,
    Timing,
    netlist,
    nextpnr,
    place_and_route,
    resources,
    synthesise,
    timing,
)
from modwright.synthesize.devices import DEVICES, find_device
from modwright.synthesize.harness import TOP, shift_harness
from modwright.synthesize.netlist import Port

from ..toy import TOY, ToyCore, derive, schedule


def blocks(number: int) -> str:
    """A module `blocks` with a chain of registered MULT18X18D, and a sum at its end."""
    registers = {f"REG_{r}_CLK": "CLK0" for r in ("INPUTA", "INPUTB", "OUTPUT")} | {"RESETMODE": "SYNC"}
    parameters = ", ".join(f'.{name}("{value}")' for name, value in registers.items())
    pins = [f".{x}{n}(r{x.lower()}[{n}])" for x in "AB" for n in range(18)]
    pins += [f".P{n}(p[{n}])" for n in range(36)]
    pins += [f".{pin}(1'b0)" for pin in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0")]
    pins += [".CLK0(clk)", ".CE0(1'b1)"]
    return f"""
module block(input clk, input [17:0] ra, input [17:0] rb, output [35:0] p);
  MULT18X18D #({parameters}) m ({", ".join(pins)});
endmodule
module blocks(input clk, input [17:0] a, input [17:0] b, output reg [35:0] z);
  reg [17:0] ra, rb;
  wire [{36 * number + 17}:0] p = {{products, ra}};
  wire [{36 * number - 1}:0] products;
  genvar n;
  generate for (n = 0; n < {number}; n = n + 1) begin : g
    block u(.clk(clk), .ra(p[36 * n +: 18]), .rb(rb), .p(products[36 * n +: 36]));
  end endgenerate
  always @(posedge clk) begin
    ra <= a;
    rb <= b;
    z <= products[{36 * number - 1}:{36 * number - 36}] + ra;
  end
endmodule
"""


TILE = """
module tile(input clk, input [23:0] a, input [16:0] b, output reg [40:0] p);
  reg [23:0] ra;
  reg [16:0] rb;
  reg [40:0] m;
  always @(posedge clk) begin ra <= a; rb <= b; m <= ra * rb; p <= m; end
endmodule
"""

NAND = "module gate(input clk, input a, input b, output reg z); always @(posedge clk) z <= ~(a & b); endmodule"

PAIR = (
    NAND
    + """
module pair(input clk, input a, input b, output reg z);
  wire y;
  gate g(.clk(clk), .a(a), .b(b), .z(y));
  always @(posedge clk) z <= y;
endmodule
"""
)

CHOICE = """
module choice(input clk, input [5:0] s, output reg z);
  reg [5:0] r;
  always @(posedge clk) begin r <= s; z <= ^(r & 6'h2a) ? &r : |(r[4:0] ^ 5'h15); end
endmodule
"""
"""A function of six bits: four LUT4 with multiplexers, or fewer of them one behind the other."""

CHAIN = """
module chain(input clk, input [12:0] a, output reg z);
  (* keep *) wire [3:0] t;
  reg [12:0] r;
  LUT4 #(.INIT(16'h6996)) l0(.A(r[0]), .B(r[1]), .C(r[2]), .D(r[3]), .Z(t[0]));
  LUT4 #(.INIT(16'h6996)) l1(.A(t[0]), .B(r[4]), .C(r[5]), .D(r[6]), .Z(t[1]));
  LUT4 #(.INIT(16'h6996)) l2(.A(t[1]), .B(r[7]), .C(r[8]), .D(r[9]), .Z(t[2]));
  LUT4 #(.INIT(16'h6996)) l3(.A(t[2]), .B(r[10]), .C(r[11]), .D(r[12]), .Z(t[3]));
  always @(posedge clk) begin r <= a; z <= t[3]; end
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


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for all tests that only need a result."""
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def empty(tmp_path):
    return Store(tmp_path)


def placed(verilog: str, top: str, store: Store, **options: bool) -> Timing:
    """Placed and routed with seed 1."""
    result = timing(verilog, top, store=store, **options)
    assert isinstance(result, Timing)
    return result


def fake_tool(monkeypatch, program: str) -> None:
    """Let a Python program stand for nextpnr."""
    monkeypatch.setattr(nextpnr, "COMMAND", (sys.executable, "-c", program))


# ---------------------------------------------------------------------------------------------- resources


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
    with pytest.raises(ToolFailedError, match=r"ended after 0\.2 s"):
        run_yosys("exec -- sleep 20\n", timeout=0.2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"target": "ice40"}, "ecp5, xc7, xcup, gowin, asic"),
        ({"target": "ecp5", "booth": True}, "target asic"),
        ({"target": "xc7", "wide_lut": True}, "target ecp5"),
        ({"target": "ecp5", "top": "a b"}, "not a name"),
    ],
)
def test_wrong_synthesis_requests(arguments, says, empty):
    with pytest.raises(UsageError, match=says):
        resources(NAND, **{"top": "gate", "store": empty, **arguments})


# ------------------------------------------------------------------------------------------------- timing


def test_out_of_context_timing(store):
    result = timing(blocks(1), "blocks", store=store, seeds=(1, 2))
    assert isinstance(result, Timing)
    rates = [s.fmax_mhz for s in result.per_seed]
    assert [s.seed for s in result.per_seed] == [1, 2]
    assert result.fmax_mhz == max(rates) and result.fmax_median == round(sum(rates) / 2, 2)
    path = result.critical_path
    assert math.isclose(path["delay_ns"], 1e3 / result.fmax_mhz, rel_tol=1e-3)
    assert math.isclose(path["logic_ns"] + path["routing_ns"], path["delay_ns"], abs_tol=2e-3)
    assert re.search(r"\.(P\d+|Q)$", path["from"]) and path["to"].endswith(".DI"), "register to register"
    # From the block's output register through the sum: no faster than one carry chain, no slower than 100 MHz.
    assert 100 < result.fmax_mhz < 400
    counted = resources(blocks(1), "blocks", "ecp5", store=store)
    assert result.utilisation["TRELLIS_FF"] == {"used": counted.ff, "available": 83640}
    assert result.utilisation["MULT18X18D"] == {"used": counted.dsp, "available": 156}
    assert (result.device, result.package, result.speed) == ("LFE5U-85F", "CABGA756", "6")
    assert "out of context" in result.method and "register-to-register" in result.method
    assert Timing.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_shift_harness_costs_what_it_says(store):
    bare = resources(blocks(1), "blocks", "ecp5", store=store)
    result = timing(blocks(1), "blocks", store=store, harness="shift")
    assert isinstance(result, Timing)
    # 36 input bits; 36 output bits captured, then folded to 9, 3 and 1. The core's own registers are all there.
    assert result.utilisation["TRELLIS_FF"]["used"] == bare.ff + 36 + 36 + 9 + 3 + 1
    assert result.utilisation["TRELLIS_IO"]["used"] == 4, "clk, rst, si, so"
    assert result.utilisation["DCCA"]["used"] == 1, "the clock is on a global net"
    assert result.critical_path["from"].startswith("core."), "the harness is not what limits"


def test_shift_harness_reaches_every_port():
    ports = (Port("clk", "input", 1), Port("rst", "input", 1), Port("x", "input", 3), Port("y", "input", 1))
    text = shift_harness("core", (*ports, Port("z", "output", 5)))
    assert f"module {TOP}(input clk, input rst, input si, output so);" in text
    assert ".clk(clk), .rst(rst), .x(stimulus[2:0]), .y(stimulus[3:3]), .z(response[4:0])" in text
    assert "level_1 <= {^level_0[4:4], ^level_0[3:0]};" in text


@pytest.mark.parametrize("ports", [(Port("z", "output", 1),), (Port("clk", "input", 1),)])
def test_shift_harness_refuses_what_it_cannot_wrap(ports):
    with pytest.raises(UsageError, match="needs an input clk"):
        shift_harness("core", ports)


@pytest.mark.parametrize("name", sorted(DEVICES))
def test_capacities_are_those_of_nextpnr(name, empty):
    device = find_device(name)
    placed = timing(CHOICE, "choice", store=empty, device=name, target=device.family)
    assert isinstance(placed, Timing)
    (report,) = (empty.root / "place").glob("*/report.json")
    sites = {
        "ecp5": ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_RAMW"),
        "gowin": ("LUT4", "DFF", "MULT18X18", "BSRAM", "RAM16SDP4"),
    }[device.family]
    found = json.loads(report.read_text())["utilization"]
    assert list(device.capacity.values()) == [found[s]["available"] for s in sites]
    assert (placed.device, placed.speed) == (device.part, device.speed)


def test_too_many_blocks_are_refused_before_placing(monkeypatch, empty):
    fake_tool(monkeypatch, "raise SystemExit('nextpnr must not run')")
    result = timing(blocks(160), "blocks", store=empty)
    assert isinstance(result, NotPlaced)
    assert "160 MULT18X18D of 156" in result.reason and "LFE5U-85F" in result.reason
    assert (result.needed["dsp"], result.available["dsp"]) == (160, 156)
    assert NotPlaced.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_nextpnr_refusal_is_recognised_and_kept(monkeypatch, empty):
    monkeypatch.setitem(DEVICES, "25k", dataclasses.replace(DEVICES["25k"], dsp=1000))
    result = timing(blocks(29), "blocks", store=empty, device="25k")
    assert isinstance(result, NotPlaced)
    assert "no BELs remaining to implement cell type 'MULT18X18D'" in result.reason
    fake_tool(monkeypatch, "raise SystemExit('nextpnr must not run again')")
    assert timing(blocks(29), "blocks", store=empty, device="25k") == result


def test_seeds_resume_after_an_interruption(monkeypatch, empty):
    real, ran = nextpnr.stream, []

    def interrupted(command, *rest):
        seed = command[command.index("--seed") + 1]
        ran.append(seed)
        if seed == "2" and ran.count("2") == 1:
            raise KeyboardInterrupt
        return real(command, *rest)

    monkeypatch.setattr(nextpnr, "stream", interrupted)
    with pytest.raises(KeyboardInterrupt):
        timing(PAIR, "pair", store=empty, seeds=(1, 2))
    result = timing(PAIR, "pair", store=empty, seeds=(1, 2))
    assert isinstance(result, Timing) and len(result.per_seed) == 2
    assert ran == ["1", "2", "2"], "seed 1 was kept"


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (
            "import sys; print('Info: Routing..'); print('terminate called'); sys.exit(134)",
            "exit code 134 while routing",
        ),
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9"),
        ("print('Info: Program finished normally.')", "exit code 0"),
    ],
)
def test_a_broken_nextpnr_is_an_error_of_ours(monkeypatch, empty, program, says):
    fake_tool(monkeypatch, program)
    with pytest.raises(ToolFailedError, match=says):
        timing(PAIR, "pair", store=empty)
    assert not list((empty.root / "place").iterdir()), "a crash is not kept"


def test_out_of_time_is_not_placed_and_not_kept(monkeypatch, empty):
    fake_tool(monkeypatch, "import time; print('Info: Routing..', flush=True); time.sleep(60)")
    result = timing(PAIR, "pair", store=empty, timeout=1)
    assert isinstance(result, NotPlaced)
    assert "not done after 1 s, while routing" in result.reason
    assert not list((empty.root / "place").iterdir())


def test_an_interruption_ends_the_tool(tmp_path):
    started = []

    def interrupt(line):
        started.append(int(line))
        raise KeyboardInterrupt

    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with pytest.raises(KeyboardInterrupt):
        nextpnr.stream((sys.executable, "-c", program), tmp_path, interrupt, None)
    assert subprocess.run(["ps", "-p", str(started[0])], capture_output=True, check=False).returncode == 1


def test_progress_is_one_line_a_phase_and_quiet_when_kept(monkeypatch, empty, capsys):
    clock = iter(range(0, 10**6, 10))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    timing(PAIR, "pair", store=empty)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        "modwright: synthesising pair for ecp5 with Yosys",
        "modwright: placing and routing pair, seed 1, with nextpnr",
    ]
    assert [p for p in ("packing", "placing", "routing") if f"modwright:   seed 1: {p}" in lines] == [
        "packing",
        "placing",
        "routing",
    ]
    timing(PAIR, "pair", store=empty)
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


@pytest.mark.parametrize(
    ("lut", "dsp", "router"),
    [(0, None, "router1"), (50184, 93, "router1"), (50185, 0, "router2"), (100, 94, "router2")],
)
def test_the_router_follows_from_what_the_design_fills(monkeypatch, lut, dsp, router):
    """60 % of LFE5U-85F are 50,184 of 83,640 LUTs and 93.6 of 156 blocks."""
    monkeypatch.setattr(place_and_route, "count", lambda netlist, family: {"lut": lut, "dsp": dsp})
    assert place_and_route.default_router(None, DEVICES["85k"]) == router


def test_the_longest_net_of_the_critical_path(store):
    path = placed(CHAIN, "chain", store).critical_path
    assert path["longest_net"]["name"]
    assert 0 < path["longest_net"]["delay_ns"] <= path["routing_ns"]


@pytest.mark.parametrize("router", ROUTERS)
def test_every_router_routes(router, empty):
    result = timing(PAIR, "pair", store=empty, router=router)
    assert isinstance(result, Timing)
    assert result.fmax_mhz > 0 and result.router == router


def test_a_design_without_registers_has_no_clock_rate(empty):
    with pytest.raises(UsageError, match="no path from register to register"):
        timing(NAND, "gate", store=empty)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seeds": ()}, "seeds"),
        ({"seeds": (1, 1)}, "seeds"),
        ({"frequency": 0}, "0 MHz"),
        ({"device": "13k"}, "25k"),
        ({"harness": "jtag"}, "out-of-context, shift"),
        ({"router": "router3"}, "router1, router2, router2-alt"),
    ],
)
def test_wrong_timing_requests(options, says, empty):
    with pytest.raises(UsageError, match=says):
        timing(NAND, "gate", store=empty, **options)

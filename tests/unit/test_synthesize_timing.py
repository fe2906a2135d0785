# SPDX-License-Identifier: Apache-2.0
"""Place and route with the real tools, on designs of a few cells."""

import dataclasses
import json
import math
import re
import subprocess
import sys
import time

import pytest

from modwright.base.errors import ToolFailedError, UsageError
from modwright.report.evidence import conditions
from modwright.synthesize import (
    ROUTERS,
    NotPlaced,
    Settings,
    Timing,
    nextpnr,
    place_and_route,
    resources,
    timing,
)
from modwright.synthesize.devices import DEVICES, find_device
from modwright.synthesize.harness import TOP, shift_harness
from modwright.synthesize.netlist import Port
from modwright.synthesize.place_and_route import seed_digest

from .small_designs import CHAIN, CHOICE, NAND, assert_capacities, blocks, placed
from .small_designs import empty as empty
from .small_designs import store as store

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


def fake_tool(monkeypatch, program: str) -> None:
    """Let a Python program stand for nextpnr."""
    monkeypatch.setitem(nextpnr.COMMANDS, "ecp5", (sys.executable, "-c", program))


def test_out_of_context_timing(store):
    result = timing(blocks(1), "blocks", Settings(seeds=(1, 2)), store=store)
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
    assert "floorplan" not in result.to_json(), "records name a floorplan only where there is one"


def test_the_target_clock_changes_nothing(store):
    """The protocol of measured records rests on this: rows of several targets stand next to each other."""
    usual = timing(blocks(1), "blocks", Settings(seeds=(1, 2)), store=store)
    other = timing(blocks(1), "blocks", Settings(seeds=(1, 2), frequency=40.0), store=store)
    assert isinstance(usual, Timing) and isinstance(other, Timing)
    assert usual.frequency_mhz != other.frequency_mhz == 40
    assert dataclasses.replace(other, frequency_mhz=usual.frequency_mhz) == usual


def test_the_weight_of_timing_is_part_of_a_placement_and_of_its_record(store):
    usual, heavy = Settings(device="25k"), Settings(device="25k", timing_weight=1000)
    assert len({seed_digest(PAIR, "pair", settings, store=store) for settings in (usual, heavy)}) == 2
    result = timing(PAIR, "pair", heavy, store=store)
    assert isinstance(result, Timing) and result.timing_weight == 1000
    assert "timing weight 1000" in conditions(result.to_json())
    assert Timing.from_json(json.loads(json.dumps(result.to_json()))) == result
    assert "timing_weight" not in timing(PAIR, "pair", usual, store=store).to_json(), "named only where it is given"


def test_shift_harness_costs_what_it_says(store):
    bare = resources(blocks(1), "blocks", "ecp5", store=store)
    result = timing(blocks(1), "blocks", Settings(harness="shift"), store=store)
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


@pytest.mark.parametrize("name", sorted(name for name, device in DEVICES.items() if device.family != "nexus"))
def test_capacities_are_those_of_nextpnr(name, own_store):
    """Those of Nexus are in `test_synthesize_families`, with the one placement of that family."""
    device = find_device(name)
    placed = timing(CHOICE, "choice", Settings(device=name), store=own_store, target=device.family)
    assert isinstance(placed, Timing)
    assert_capacities(device, placed, own_store)


def test_too_many_blocks_are_refused_before_placing(monkeypatch, own_store):
    fake_tool(monkeypatch, "raise SystemExit('nextpnr must not run')")
    result = timing(blocks(160), "blocks", store=own_store)
    assert isinstance(result, NotPlaced)
    assert "160 MULT18X18D of 156" in result.reason and "LFE5U-85F" in result.reason
    assert (result.needed["dsp"], result.available["dsp"]) == (160, 156)
    assert NotPlaced.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_nextpnr_refusal_is_recognised_and_kept(monkeypatch, own_store):
    monkeypatch.setitem(DEVICES, "25k", dataclasses.replace(DEVICES["25k"], dsp=1000))
    result = timing(blocks(29), "blocks", Settings(device="25k"), store=own_store)
    assert isinstance(result, NotPlaced)
    assert "no BELs remaining to implement cell type 'MULT18X18D'" in result.reason
    fake_tool(monkeypatch, "raise SystemExit('nextpnr must not run again')")
    assert timing(blocks(29), "blocks", Settings(device="25k"), store=own_store) == result


def test_seeds_resume_after_an_interruption(monkeypatch, own_store):
    real, ran = nextpnr.stream, []

    def interrupted(command, *rest):
        seed = command[command.index("--seed") + 1]
        ran.append(seed)
        if seed == "2" and ran.count("2") == 1:
            raise KeyboardInterrupt
        return real(command, *rest)

    monkeypatch.setattr(nextpnr, "stream", interrupted)
    with pytest.raises(KeyboardInterrupt):
        timing(PAIR, "pair", Settings(seeds=(1, 2), device="25k"), store=own_store)
    result = timing(PAIR, "pair", Settings(seeds=(1, 2), device="25k"), store=own_store)
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
def test_a_broken_nextpnr_is_an_error_of_ours(monkeypatch, own_store, program, says):
    fake_tool(monkeypatch, program)
    with pytest.raises(ToolFailedError, match=says):
        timing(PAIR, "pair", store=own_store)
    assert not list((own_store.root / "place").iterdir()), "a crash is not kept"


def test_out_of_time_is_not_placed_and_not_kept(monkeypatch, own_store):
    fake_tool(monkeypatch, "import time; print('Info: Routing..', flush=True); time.sleep(60)")
    result = timing(PAIR, "pair", Settings(timeout=1), store=own_store)
    assert isinstance(result, NotPlaced)
    assert "not done after 1 s, while routing" in result.reason
    assert not list((own_store.root / "place").iterdir())


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
def test_the_router_follows_from_what_the_design_fills(lut, dsp, router):
    """60 % of LFE5U-85F are 50,184 of 83,640 LUTs and 93.6 of 156 blocks."""
    assert place_and_route.router_by_rule({"lut": lut, "dsp": dsp}, DEVICES["85k"], None) == router
    assert place_and_route.router_by_rule({"lut": lut, "dsp": dsp}, DEVICES["85k"], "fold") == "router1"


def test_nexus_has_the_only_router_that_routes_its_clock(store):
    device = DEVICES["lifcl-40"]
    assert place_and_route.router_by_rule({"lut": 0, "dsp": device.capacity["dsp"]}, device, None) == "router1"
    with pytest.raises(UsageError, match="router2 of nextpnr-nexus routes no clock"):
        timing(CHAIN, "chain", Settings(router="router2"), store=store, target="nexus")


def test_the_longest_net_of_the_critical_path(store):
    path = placed(CHAIN, "chain", store).critical_path
    assert path["longest_net"]["name"]
    assert 0 < path["longest_net"]["delay_ns"] <= path["routing_ns"]


@pytest.mark.parametrize("router", ROUTERS)
def test_every_router_routes(router, own_store):
    result = timing(PAIR, "pair", Settings(router=router, device="25k"), store=own_store)
    assert isinstance(result, Timing)
    assert result.fmax_mhz > 0 and result.router == router


def test_a_design_without_registers_has_no_clock_rate(own_store):
    with pytest.raises(UsageError, match="no path from register to register"):
        timing(NAND, "gate", store=own_store)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seeds": ()}, "seeds"),
        ({"seeds": (1, 1)}, "seeds"),
        ({"frequency": 0}, "0 MHz"),
        ({"device": "13k"}, "25k"),
        ({"harness": "jtag"}, "out-of-context, shift"),
        ({"router": "router3"}, "router1, router2, router2-alt"),
        ({"timing_weight": 1001}, "from 0 to 1000, not 1001"),
        ({"floorplan": "ring"}, "fold"),
        ({"floorplan": "fold"}, "no row of multiplier blocks"),
    ],
)
def test_wrong_timing_requests(options, says, own_store):
    with pytest.raises(UsageError, match=says):
        timing(NAND, "gate", Settings(**options), store=own_store)

# SPDX-License-Identifier: Apache-2.0
"""Clock gates in place of the multiplexers by which registers keep their words."""

import json
from pathlib import Path

import pytest

from modwright.base.errors import ToolFailedError, UsageError
from modwright.base.store import Store
from modwright.measurement.rows import Row
from modwright.synthesize import gates, read_liberty
from modwright.synthesize.forms import GATED, Form
from modwright.synthesize.pins import ClockGate
from modwright.tables.commands import commands

from .gated_designs import GATE, REGISTER, TEST, count, prove_equal, with_gate
from .measured_designs import SMALL
from .measured_designs import library as library

RESULTS = Path(__file__).parents[2] / "bench" / "results"
DESIGN = """
module top(input clk, input rst, input en, input go, input [{last}:0] d, output reg [{last}:0] a, b, c, e, f);
  always @(posedge clk) begin
    if (rst) a <= 0; else if (en) a <= d;
    if (rst) b <= {{ {bits}{{1'b1}} }}; else if (go) b <= d;
    if (en & go) c <= d ^ c;
    if (!rst) e <= {{ {bits}{{1'b1}} }}; else if (!go) e <= d;
    f <= d;
  end
endmodule
"""
"""Registers with an enable, with a reset to 0, to 1 and without one, of either level, and a register that takes a word
in each cycle."""
STARTED = """
module started(input clk, input en, input [7:0] d, output reg s = 0, output reg go = 0, output reg [7:0] q = 8'h5a);
  always @(posedge clk) begin
    s <= 1;
    if (en) go <= 1;
    if (en) q <= d;
  end
endmodule
"""
"""Registers with initial values, two of which take one word only."""
CYCLES = 6


@pytest.mark.parametrize(("kind", "test"), [("latch_posedge_precontrol", TEST), ("latch_posedge", "")])
def test_a_clock_gate_is_read_with_its_pins(tmp_path, kind, test):
    found = read_liberty(with_gate(tmp_path, SMALL, kind, test))
    assert found.clock_gate.name == "GATE"
    assert found.clock_gate.gate == ClockGate("EN", "CK", "OUT", ("SE",) if test else ())
    assert found.clock_gate.stores and not any(cell.gate for cell in read_liberty(SMALL).cells.values())


@pytest.mark.parametrize("kind", ["latch_negedge", "none_posedge", "latch_posedge_obs"])
def test_other_clock_gates_are_not_taken(tmp_path, kind):
    with pytest.raises(UsageError, match="no clock gate for the rising edge"):
        _ = read_liberty(with_gate(tmp_path, SMALL, kind)).clock_gate


def proved(folder: Path, bits: int, gate: str = GATE) -> str:
    """Prove a design with gated clocks and the same one without; the cells of the first."""
    design, library = DESIGN.format(last=bits - 1, bits=bits), with_gate(folder, SMALL)
    return prove_equal(folder, design, library, Form(clock_gates=True), gate + REGISTER, CYCLES)


@pytest.mark.parametrize(("bits", "found"), [(GATED, 4), (GATED - 1, 0)])
def test_a_gated_design_does_the_same(tmp_path, bits, found):
    assert count(proved(tmp_path, bits), "GATE") == found, "one for each enable"


@pytest.mark.parametrize(
    "wrong",
    [GATE.replace("EN | SE", "1'b1"), GATE.replace("EN | SE", "1'b0"), GATE.replace("if (!CK)", "if (CK)")],
    ids=["always open", "never open", "of the other level"],
)
def test_a_wrong_gate_is_seen(tmp_path, wrong):
    with pytest.raises(ToolFailedError, match="proof did fail"):
        proved(tmp_path, GATED, wrong)


def test_gates_are_counted_apart_from_registers(tmp_path, library):
    """In the cells of a real library, with a clock gate in addition."""
    gated = read_liberty(with_gate(tmp_path, library.paths[0]))
    bits, store = 32, Store(tmp_path / "store")
    verilog = DESIGN.format(last=bits - 1, bits=bits)
    usual, _ = gates(verilog, "top", gated, store=store)
    smaller, _ = gates(verilog, "top", gated, store=store, clock_gates=True)
    assert usual.ff == smaller.ff == 5 * bits
    assert smaller.cells["GATE"] == 4 and "GATE" not in usual.cells
    assert smaller.nand2 is not None and usual.nand2 is not None and smaller.nand2 < usual.nand2
    assert smaller.rules["ff"] == "cells with a state but clock gates, of which there are 4"
    assert smaller.method.endswith("no wires, clock gates") and smaller.rules["form"] == "clock gates"
    assert "form" not in usual.rules


def test_what_takes_one_word_only_stays_a_register(tmp_path, library):
    gated = read_liberty(with_gate(tmp_path, library.paths[0]))
    found = [gates(STARTED, "started", gated, store=Store(tmp_path), clock_gates=given)[0] for given in (False, True)]
    assert [one.ff for one in found] == [10, 10] and [one.cells.get("GATE", 0) for one in found] == [0, 1]


def test_a_library_without_a_clock_gate_is_refused(tmp_path):
    verilog = DESIGN.format(last=7, bits=8)
    with pytest.raises(UsageError, match=r"small .*has no clock gate"):
        gates(verilog, "top", read_liberty(SMALL), store=Store(tmp_path), clock_gates=True)


def test_a_record_names_its_form_and_is_made_again_with_it():
    record = json.loads((RESULTS / "p256-ecpm-ladder.json").read_text(encoding="utf-8"))
    rules = {"form": "Booth multipliers, clock gates"}
    made = record | {"liberty": "sky130", "resources": record["resources"] | {"target": "asic", "rules": rules}}
    assert Row.of(made).name.endswith("`, Booth multipliers, clock gates, sky130")
    (line,) = commands({"made.json": made})
    assert line.endswith("--target asic --liberty sky130 --booth --clock-gates -o bench/results/made.json")

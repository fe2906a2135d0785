# SPDX-License-Identifier: Apache-2.0
"""Latches as the words of memories in gates."""

from pathlib import Path

import pytest

from modwright.base.errors import ToolFailedError, UsageError
from modwright.base.store import Store
from modwright.synthesize import gates, read_liberty
from modwright.synthesize.forms import Form
from modwright.synthesize.pins import Latch
from modwright.synthesize.static_timing import GateTiming

from ..tools import require
from .gated_designs import GATE, REGISTER, count, prove_equal, with_gate
from .measured_designs import SMALL
from .measured_designs import library as library

DESIGN = """
module top(input clk, input en, input two, input [1:0] part, input [1:0] to, input [1:0] from, input [{last}:0] d,
    output [{last}:0] a, output reg [{last}:0] b, output [{last}:0] c, output [{last}:0] e);
  reg [{last}:0] words [0:2], parts [0:1], pairs [0:1];
  wire [1:0] place = to > 2 ? 2'd2 : to, from_place = from > 2 ? 2'd0 : from;
  assign a = words[from_place];
  always @(posedge clk) begin
    if (en) words[place] <= d;
    if (two) b <= words[place];
    if (part[0]) parts[to[0]][0] <= d[0];
    if (part[1]) parts[to[0]][{last}:1] <= d[{last}:1];
    if (en) pairs[to[0]] <= d;
    if (two) pairs[from[0]] <= ~d;
  end
  assign c = parts[from[1]];
  assign e = pairs[from[1]];
endmodule
"""
"""Three words with a port that reads at once and one that reads at the edge; a memory with enables for parts of a word,
and one with two ports to write, which keep their flip-flops."""
CYCLES = 4
LATCH = """
module HOLD(input CK, D, output reg Q);
  always @* if (CK) Q = D;
endmodule
"""
CELL = """
  cell ({name}) {{ area : {area}; {more}
    latch ("IQ","IQN") {{ data_in : "D"; enable : {enable}; {reset} }}
    pin (CK) {{ direction : input; capacitance : 0.01; clock : {clock}; }}
    pin (D) {{ direction : input; capacitance : 0.01; timing () {{ related_pin : "CK"; timing_type : setup_falling;
      rise_constraint (scalar) {{ values ("0.1"); }} fall_constraint (scalar) {{ values ("0.1"); }} }} }}
    pin (Q) {{ direction : output; function : {function};
      timing () {{ related_pin : "CK"; timing_type : rising_edge; {quick} }}
      timing () {{ related_pin : "D"; timing_sense : positive_unate; {slow} }} }} }}
}}
"""
DELAYS = """cell_rise (scalar) {{ values ("{ns}"); }} cell_fall (scalar) {{ values ("{ns}"); }}
      rise_transition (scalar) {{ values ("0.1"); }} fall_transition (scalar) {{ values ("0.1"); }}"""
ENABLED, THROUGH = 0.1, 3
"""Delays of the latch in ns: from its enable, and from its data."""


def with_latch(
    folder: Path, library: Path, *, name="HOLD", area=4, more="", enable='"CK"', reset="", clock="true", function='"IQ"'
) -> Path:
    """A library with a latch as its last cell."""
    text = library.read_text(encoding="utf-8").rstrip()
    assert text.endswith("}")
    delays = {"quick": DELAYS.format(ns=ENABLED), "slow": DELAYS.format(ns=THROUGH)}
    pins = {"enable": enable, "reset": reset, "clock": clock, "function": function}
    cell = CELL.format(name=name, area=area, more=more, **pins, **delays)
    path = folder / f"latched-{name}.lib"
    path.write_text(text[:-1] + cell, encoding="utf-8")
    return path


def test_a_latch_is_read_with_its_pins(tmp_path):
    found = read_liberty(with_latch(tmp_path, with_latch(tmp_path, SMALL, name="LARGE", area=5)))
    assert found.latch.name == "HOLD" and found.latch.latch == Latch("CK", "D", "Q")


@pytest.mark.parametrize(
    "other",
    [
        {"enable": '"!CK"'},
        {"reset": 'clear : "D";'},
        {"clock": "false"},
        {"function": '"IQN"'},
        {"area": 0},
        {"more": 'is_isolation_cell : "true";'},
    ],
    ids=["open at 0", "with a reset", "of no clock", "inverted", "without an area", "of isolation"],
)
def test_other_latches_are_not_taken(tmp_path, other):
    with pytest.raises(UsageError, match="no latch with an area that is open at 1"):
        _ = read_liberty(with_latch(tmp_path, SMALL, **other)).latch


def proved(folder: Path, bits: int = 2, *, latch: str = LATCH, gate: str = GATE, clock_gates: bool = False) -> str:
    """Prove a design whose words are latches and the same one of flip-flops; the cells of the first."""
    library, form = with_latch(folder, with_gate(folder, SMALL)), Form(latches=True, clock_gates=clock_gates)
    return prove_equal(folder, DESIGN.format(last=bits - 1), library, form, latch + gate + REGISTER, CYCLES)


@pytest.mark.parametrize("clock_gates", [False, True])
def test_a_design_with_latches_does_the_same(tmp_path, clock_gates):
    cells = proved(tmp_path, clock_gates=clock_gates)
    assert count(cells, "HOLD") == 3 * 2 and count(cells, "GATE") == 3, "of the words with one enable, none other"


@pytest.mark.parametrize(
    "wrong",
    [
        {"latch": LATCH.replace("if (CK)", "if (!CK)")},
        {"latch": LATCH.replace("if (CK)", "")},
        {"gate": GATE.replace("EN | SE", "1'b1")},
        {"gate": GATE.replace("if (!CK)", "if (CK)")},
    ],
    ids=["latch of the other level", "latch always open", "gate always open", "gate of the other level"],
)
def test_a_wrong_cell_is_seen(tmp_path, wrong):
    with pytest.raises(ToolFailedError, match="proof did fail"):
        proved(tmp_path, **wrong)


def test_latches_are_counted_apart(tmp_path, library):
    """In the cells of a real library, with a clock gate and a latch in addition."""
    known = read_liberty(with_latch(tmp_path, with_gate(tmp_path, library.paths[0])))
    bits, verilog, store = 32, DESIGN.format(last=31), Store(tmp_path / "store")
    usual, _ = gates(verilog, "top", known, store=store)
    smaller, _ = gates(verilog, "top", known, store=store, latches=True)
    assert (usual.ff, smaller.ff) == (bits * (3 + 1 + 2 + 2), bits * (1 + 1 + 2 + 2))
    assert smaller.cells["HOLD"] == 3 * bits and smaller.cells["GATE"] == 3
    counted = f"clock gates, of which there are 3, and latches, of which there are {3 * bits}"
    assert smaller.rules["ff"] == f"cells with a state but {counted}"
    assert smaller.method.endswith("no wires, words in latches") and smaller.rules["form"] == "words in latches"
    assert smaller.nand2 is not None and usual.nand2 is not None and smaller.nand2 < usual.nand2


def test_a_library_without_a_latch_is_refused(tmp_path):
    gated = read_liberty(with_gate(tmp_path, SMALL))
    with pytest.raises(UsageError, match=r"small .*has no latch"):
        gates(DESIGN.format(last=7), "top", gated, store=Store(tmp_path), latches=True)


@pytest.mark.parametrize("clock_gates", [False, True])
def test_a_path_goes_through_an_open_latch(tmp_path, library, clock_gates):
    """From the register before it by its data, which take long here, and not only from its enable."""
    require("sta")
    gated = with_gate(tmp_path, library.paths[0])
    clocked = f'timing () {{ related_pin : "CK"; timing_sense : positive_unate; {DELAYS.format(ns=0)} }}'
    passes = f"clock_gate_out_pin : true; {clocked}"
    gated.write_text(gated.read_text(encoding="utf-8").replace("clock_gate_out_pin : true;", passes), encoding="utf-8")
    known = read_liberty(with_latch(tmp_path, gated))
    found = gates(
        DESIGN.format(last=7), "top", known, store=Store(tmp_path / "store"), latches=True, clock_gates=clock_gates
    )
    assert isinstance(found[1], GateTiming) and 1e3 / found[1].fmax_mhz > THROUGH


KEPT = """
module top(input clk, input en, input [1:0] to, input [1:0] from, input [1:0] d, output [1:0] a);
  reg [1:0] {memory};
  {initial}
  assign a = words[{read}];
  always @(posedge clk) if (en) words[{write}] <= d;
endmodule
"""


@pytest.mark.parametrize(
    "memory",
    [
        {"memory": "words [0:0]", "read": "from[0]", "write": "to[0]", "initial": ""},
        {"memory": "words [1:3]", "read": "from", "write": "to", "initial": ""},
        {
            "memory": "words [0:3]",
            "read": "from",
            "write": "{1'b1, to[0]}",
            "initial": "integer i; initial for (i = 0; i < 4; i = i + 1) words[i] = 3 - i;",
        },
    ],
    ids=["of one word", "that begins at 1", "with words that are never written"],
)
def test_other_memories_keep_their_registers(tmp_path, library, memory):
    known = read_liberty(with_latch(tmp_path, with_gate(tmp_path, library.paths[0])))
    found, _ = gates(KEPT.format(**memory), "top", known, store=Store(tmp_path / "store"), latches=True)
    assert "HOLD" not in found.cells and "GATE" not in found.cells and found.ff


def test_other_ways_to_map_are_named_and_leave_the_registers(tmp_path, library):
    store, verilog = Store(tmp_path), DESIGN.format(last=31)
    usual, choices, area = (
        gates(verilog, "top", library, store=store, **given)[0] for given in ({}, {"choices": True}, {"area": True})
    )
    assert usual.ff == choices.ff == area.ff and usual.cells != choices.cells != area.cells != usual.cells
    assert (choices.rules["form"], area.rules["form"]) == ("mapped with choices", "mapped for area")
    with pytest.raises(UsageError, match="with choices or for area, not both"):
        gates(verilog, "top", library, store=store, choices=True, area=True)

# SPDX-License-Identifier: Apache-2.0
"""Cells that keep words, and proofs that gates with them do what a design says."""

import re
import shutil
from pathlib import Path

from modwright.rtl.verilog import run_yosys
from modwright.synthesize import read_liberty
from modwright.synthesize.asic import gate_flow
from modwright.synthesize.forms import Form, maps

GATE = """
module GATE(input EN, CK, SE, output OUT);
  reg open;
  always @* if (!CK) open = EN | SE;
  assign OUT = CK & open;
endmodule
"""
CELL = """
  cell (GATE) {{ area : {area}; clock_gating_integrated_cell : "{kind}";
    pin (EN) {{ direction : input; capacitance : 0.01; clock_gate_enable_pin : true; }}
    pin (CK) {{ direction : input; capacitance : 0.01; clock_gate_clock_pin : "true"; }}
    {test}
    pin (OUT) {{ direction : output; clock_gate_out_pin : true; state_function : "CK * open"; }}
    statetable ("CK EN", "open") {{ table : "L L : - : L, L H : - : H, H - : - : N"; }} }}
}}
"""
TEST = "pin (SE) { direction : input; capacitance : 0.01; clock_gate_test_pin : true; }"


def with_gate(folder: Path, library: Path, kind: str = "latch_posedge_precontrol", test: str = TEST) -> Path:
    """A library with a clock gate as its last cell."""
    text = library.read_text(encoding="utf-8").rstrip()
    assert text.endswith("}")
    path = folder / "gated.lib"
    path.write_text(text[:-1] + CELL.format(area=9, kind=kind, test=test), encoding="utf-8")
    return path


REGISTER = """
module FF(input C, D, output reg Q);
  always @(posedge C) Q <= D;
endmodule
"""
"""The register of `measured_designs.SMALL`."""


def prove_equal(folder: Path, design: str, library: Path, form: Form, cells: str, cycles: int) -> str:
    """Prove a design `top` in the cells of a library and the design itself to do the same, from states that are 0 and a
    clock that is 0, over some cycles of any operands; `cells` models what keeps words. Returns the cells by number."""
    known = read_liberty(library)
    for name, text in (maps(known, form) | {"models.v": cells, "top.v": design}).items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copyfile(library, folder / "cells.lib")
    run_yosys(
        f"""read_verilog top.v
{gate_flow("top", known, form)}
opt_clean -purge
tee -o stat.txt stat
delete =A:blackbox
read_verilog models.v
hierarchy -top top
proc
flatten
rename top mapped
design -stash mapped
read_verilog top.v
prep -flatten -top top
memory_map
design -stash plain
design -copy-from plain top
design -copy-from mapped mapped
miter -equiv -flatten -ignore_gold_x top mapped miter
clk2fflogic miter
sat -verify -prove trigger 0 -seq {2 * cycles + 1} -set-init-zero -set-at 1 in_clk 0 miter
""",
        folder=folder,
    )
    return (folder / "stat.txt").read_text(encoding="utf-8")


def count(cells: str, name: str) -> int:
    """Cells of a kind in Yosys' statistics."""
    return sum(map(int, re.findall(rf"(\d+)\s+{name}$", cells, re.MULTILINE)))

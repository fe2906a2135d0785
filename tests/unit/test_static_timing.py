# SPDX-License-Identifier: Apache-2.0
"""Static timing of mapped gates: without wires, with a wire load, at other corners."""

import re

import pytest

from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.synthesize import read_liberty, read_library
from modwright.synthesize.liberty import WireLoads
from modwright.synthesize.netlist import Netlist
from modwright.synthesize.static_timing import GATES, GateTiming, gate_timing

from ..tools import needs
from .measured_designs import SMALL

MADE = SMALL.with_name("wires.lib")
WIRES = re.compile(r"^ +(default_)?wire_load.*\n", re.MULTILINE)
MAPPED = """module gate(clk, a, z); input clk, a; output z; wire q, n;
  FF r (.C(clk), .D(a), .Q(q)); NAND g (.A(q), .B(q), .Y(n)); FF s (.C(clk), .D(n), .Q(z)); endmodule
"""
"""A path of 0.5 ns of clock to output, 0.2 of a gate and 0.3 of setup, which is 1000 MHz; its area is 27."""


def made(folder, name="made", wires=None, delay="0.2"):
    """The made-up library under a name, with other wire loads and another delay of its gate."""
    text = (
        MADE.read_text(encoding="utf-8").replace("library (made)", f"library ({name})").replace("0.2, ", f"{delay}, ")
    )
    text = text.replace(', 0.2"', f', {delay}"')
    if wires is not None:
        text = WIRES.sub("", text).replace("  lu_table", f"{wires}\n  lu_table", 1)
    path = folder / f"{name}.lib"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def mapped(tmp_path):
    """Two flip-flops and a gate of the library."""
    folder = tmp_path / "mapped"
    folder.mkdir()
    (folder / GATES).write_text(MAPPED, encoding="utf-8")
    (folder / "stat.json").write_text('{"design": {"area": 27, "num_cells_by_type": {}}}', encoding="utf-8")
    return Netlist("gate", folder, "digest")


def test_tables_of_wire_loads(tmp_path):
    found = read_liberty(MADE)
    assert [found.wire_load(area) for area in (1, 10, 10.5, 100, 1e9)] == ["1k", "1k", "5k", "5k", "5k"]
    only = read_liberty(made(tmp_path, wires='  default_wire_load : "1k" ;'))
    assert only.wire_loads == WireLoads((), "1k") and only.wire_load(7) == "1k"
    assert read_liberty(SMALL).wire_load(7) == ""


def test_text_without_wires_names_no_default():
    text, bare = read_liberty(MADE).texts()[0], read_liberty(MADE).texts(wires=False)[0]
    assert text.count("default_wire_load") == 2 and "default_wire_load" not in bare
    kept = [line for line in text.splitlines() if "default_wire_load" not in line]
    assert kept == [line for line in bare.splitlines() if line.strip()]


@needs("sta")
def test_no_wires_means_none(tmp_path, mapped):
    """The default of a library, which OpenSTA would take unasked, is no part of the clock rate without wires."""
    store = Store(tmp_path / "store")
    bare = gate_timing(mapped, read_liberty(made(tmp_path, "bare", wires="")), (), store)
    loaded = gate_timing(mapped, read_liberty(MADE), (), store)
    assert isinstance(bare, GateTiming) and isinstance(loaded, GateTiming)
    assert bare.fmax_mhz == loaded.fmax_mhz == 1000 and bare.conditions == ()
    (rate,) = loaded.conditions
    assert (rate.library, rate.wire_load) == ("made", "5k")
    assert rate.fmax_mhz < 1000


GATED = """module gate(clk, a, z); input clk, a; output z; wire q, n, g;
  FF r (.C(clk), .D(a), .Q(q)); NAND g0 (.A(q), .B(q), .Y(n)); NAND g1 (.A(n), .B(n), .Y(m));
  CG c (.CK(clk), .EN(m), .GCK(g)); FF s (.C(g), .D(n), .Q(z)); endmodule
"""
"""From the first flip-flop one gate leads to the second one, and two to the enable of its clock."""
CLOCK_GATE = """
  cell (CG) { area : 5; clock_gating_integrated_cell : "latch_posedge";
    statetable ("CK EN", "open") { table : "L L : - : L, L H : - : H, H - : - : N"; }
    pin (open) { direction : internal; internal_node : "open"; }
    pin (CK) { direction : input; clock : true; capacitance : 0.01; clock_gate_clock_pin : true; }
    pin (EN) { direction : input; capacitance : 0.01; clock_gate_enable_pin : true;
      timing () { related_pin : "CK"; timing_type : setup_rising;
        rise_constraint (setup) { values ("0.3, 0.3", "0.3, 0.3"); }
        fall_constraint (setup) { values ("0.3, 0.3", "0.3, 0.3"); } } }
    pin (GCK) { direction : output; clock_gate_out_pin : true; state_function : "CK * open";
      timing () { related_pin : "CK"; timing_sense : positive_unate;
        cell_rise (grid) { values ("0.2, 0.2", "0.2, 0.2"); } cell_fall (grid) { values ("0.2, 0.2", "0.2, 0.2"); }
        rise_transition (grid) { values ("0.1, 0.1", "0.1, 0.1"); }
        fall_transition (grid) { values ("0.1, 0.1", "0.1, 0.1"); } } } }
}
"""


@needs("sta")
def test_the_enable_of_a_clock_gate_ends_a_path(tmp_path):
    """0.5 ns of clock to output, 0.2 of each gate and 0.3 of setup: 1.2 ns to the enable, and 1.0 to the data."""
    text = made(tmp_path, wires="").read_text(encoding="utf-8").rstrip()
    (tmp_path / "gated.lib").write_text(text[:-1] + CLOCK_GATE, encoding="utf-8")
    (tmp_path / GATES).write_text(GATED, encoding="utf-8")
    statistics = '{"design": {"area": 35, "num_cells_by_type": {"FF": 2, "NAND": 2, "CG": 1}}}'
    (tmp_path / "stat.json").write_text(statistics, encoding="utf-8")
    netlist = Netlist("gate", tmp_path, "gated")
    found = gate_timing(netlist, read_liberty(tmp_path / "gated.lib"), (), Store(tmp_path / "store"))
    assert isinstance(found, GateTiming) and found.fmax_mhz == 833.33 and found.critical_path["to"] == "c"


@needs("sta")
def test_other_corners_of_a_preset(tmp_path, mapped, monkeypatch):
    """Gates of one corner are timed at the others that are on the machine."""
    monkeypatch.setenv("MODWRIGHT_LIBERTY", str(tmp_path))
    monkeypatch.setenv("PDK_ROOT", str(tmp_path))
    made(tmp_path, "sg13g2_typ_1p20V_25C")
    assert read_library("ihp-sg13g2")[1] == ()
    made(tmp_path, "sg13g2_slow_1p08V_125C", delay="0.5")
    library, corners = read_library("ihp-sg13g2")
    clock = gate_timing(mapped, library, corners, Store(tmp_path / "store"))
    assert isinstance(clock, GateTiming)
    assert (clock.device, clock.fmax_mhz) == ("sg13g2_typ_1p20V_25C", 1000)
    found = [(rate.library[7:11], rate.wire_load) for rate in clock.conditions]
    assert found == [("typ_", "5k"), ("slow", ""), ("slow", "5k")]
    assert clock.conditions[1].fmax_mhz == 769.23


def test_numbers_that_are_none(tmp_path):
    text = SMALL.read_text(encoding="utf-8")
    strange = re.sub(r"\barea\s*:\s*[0-9.]+", "area : 1.2.3", text, count=1)
    assert strange != text
    (tmp_path / "strange.lib").write_text(strange, encoding="utf-8")
    with pytest.raises(UsageError, match=r"'1\.2\.3' in the place of a number"):
        read_liberty(tmp_path / "strange.lib")

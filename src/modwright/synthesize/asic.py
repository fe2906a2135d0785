# SPDX-License-Identifier: Apache-2.0
"""Gates of a cell library: area in NAND2 equivalents, and clock rates by static timing.

The netlist is that of Yosys and ABC for any Liberty file. Its clock rates (`static_timing`) are without wires and,
where the library has a table for the area, with a wire load. No placement, no clock tree: such a figure compares
architectures and predicts no silicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.store import Store, digest_of, version_of
from ..rtl.verilog import run_yosys
from .counts import Resources
from .liberty import Liberty
from .netlist import Netlist
from .place_and_route import NotPlaced
from .progress import announce
from .static_timing import DELAY, GATES, GateTiming, gate_timing

_LOAD = 0.05
"""Load of every output, in the library's unit of capacitance; with a driving cell it turns ABC's buffering on."""
_ABC_PS = 10_000
"""Target delay of ABC, which sizes cells for it; it has almost no effect on the result."""

# The short ABC script: the default ones take minutes on a multiplier with Kogge-Stone adders. Buffers count no wires:
# with the tables of SG13G2 for wires (-c), two in five cells of a multiplier of 256 bits were buffers, and slowed it.
_ABC = "+strash;dc2;map,-B,0.9,-D,5000;topo;buffer;upsize,{D};dnsize,{D};stime,-p"

# The reader of OpenSTA takes no concatenation in an assignment, so vectors are split into bits first.
_FLOW = """read_verilog top.v
synth -flatten -noabc -top {top}{booth}{adders}
{clock_gates}dfflibmap {libraries}
opt
abc {libraries} -D {delay} -constr abc.txt -script {abc}
opt_clean -purge
delete t:$scopeinfo
tee -q -o stat.json stat -json {libraries}
splitnets -ports -format __
opt_clean -purge
write_verilog -noattr -noexpr {gates}
"""

GATED = 8
"""Fewest registers of one enable that get a clock gate. It has the area of about two of the multiplexers that they
have instead, and is a leaf of the clock tree."""

# An enable has to be the only thing that keeps a register: a reset is made one of its words. Initial values, which no
# gate has, would keep registers from being gated; what optimises registers runs before they are taken away.
_CLOCK_GATES = """techmap -map {map}
simplemap
opt_expr
opt_merge
opt_clean
setattr -unset init
clockgate -pos {cell} {enable}:{clock}:{output} {tests}-min_net_size {fewest}
"""
ENABLES = Path(__file__).parent / "maps" / "enables.v"
"""Verilog that makes an enable the only thing that keeps a register."""


def gates(
    verilog: str,
    top: str,
    library: Liberty,
    corners: Sequence[Liberty] = (),
    *,
    store: Store,
    booth: bool = False,
    kogge_stone: bool = False,
    clock_gates: bool = False,
) -> tuple[Resources, GateTiming | NotPlaced]:
    """Map a core to the cells of a library, and time it.

    Parameters
    ----------
    verilog, top : str
        The design, with a clock `clk`.
    library : Liberty
        Library of the cells.
    corners : sequence of Liberty, optional
        The same cells at other corners, at which the gates are timed as well.
    store : Store
        Store of netlist, counts and timing.
    booth : bool
        Booth-recode the multipliers: fewer gates, slower.
    kogge_stone : bool
        Kogge-Stone adders in place of Brent-Kung ones: the faster form.
    clock_gates : bool
        Registers that share an enable keep their words by a clock gate, from `GATED` on, and not by a multiplexer each.

    Returns
    -------
    tuple
        Area, and the clock rate or the reason for its absence.

    Raises
    ------
    UsageError
        For `clock_gates` and a library that has none.
    ToolFailedError
        When Yosys or OpenSTA refuses or is killed.
    """
    form = Form(booth, kogge_stone, clock_gates)
    netlist = _netlist(verilog, top, library, form, store)
    return _resources(netlist, library, form), gate_timing(netlist, library, corners, store)


FORMS = {"booth": "Booth multipliers", "kogge_stone": "Kogge-Stone adders", "clock_gates": "clock gates"}
"""Choices of `gates`, and their words in records and tables."""


@dataclass(frozen=True)
class Form:
    """Choices of `gates`, by the names of `FORMS`."""

    booth: bool = False
    kogge_stone: bool = False
    clock_gates: bool = False

    def __str__(self) -> str:
        return "".join(f", {words}" for name, words in FORMS.items() if getattr(self, name))


def gating(library: Liberty) -> str:
    """The part of the flow that puts in clock gates, with the file `ENABLES` as ``enables.v``."""
    cell = library.clock_gate
    pins = cell.gate
    assert pins is not None
    tests = "".join(f"-tie_lo {pin} " for pin in pins.tests)
    names = {"enable": pins.enable, "clock": pins.clock, "output": pins.output, "tests": tests}
    return _CLOCK_GATES.format(map="enables.v", cell=cell.name, fewest=GATED, **names)


def _netlist(verilog: str, top: str, library: Liberty, form: Form, store: Store) -> Netlist:
    texts = library.texts()
    enables = ENABLES.read_text(encoding="utf-8") if form.clock_gates else ""
    script = _FLOW.format(
        top=top,
        libraries=" ".join(f"-liberty {name}" for name in library.names()),
        booth=" -booth" if form.booth else "",
        adders=" -extra-map +/choices/kogge-stone.v" if form.kogge_stone else "",
        clock_gates=gating(library) if form.clock_gates else "",
        delay=_ABC_PS,
        abc=_ABC,
        gates=GATES,
    )
    constraints = f"set_driving_cell {library.inverter.name}\nset_load {_LOAD} [all_outputs]\n"
    digest = digest_of(verilog, script, constraints, *texts, version_of("pyosys"), *([enables] if enables else []))

    def make(folder: Path) -> None:
        announce(f"synthesising {top} with the cells of {library.name}")
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        for name, text in zip(library.names(), texts, strict=True):
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "abc.txt").write_text(constraints, encoding="utf-8")
        (folder / "enables.v").write_text(enables, encoding="utf-8")
        log = run_yosys(script, folder=folder)
        (folder / DELAY).write_text(_stime(log), encoding="utf-8")
        for name in library.names():
            (folder / name).unlink()

    return Netlist(top, store.folder("gates", digest, make), digest)


def _stime(log: str) -> str:
    """ABC's delay in ps; empty when ABC printed none, as for a design without logic."""
    found = re.findall(r"ABC:.*\bDelay\s*=\s*([\d.]+) ps", log)
    return found[-1] if found else ""


def _resources(netlist: Netlist, library: Liberty, form: Form) -> Resources:
    area = float(str(netlist.statistics["area"]))
    unit = library.nand2
    known = {cell: library.cells[cell] for cell in netlist.cells if cell in library.cells}
    ff = sum(netlist.cells[name] for name, cell in known.items() if cell.stores and not cell.gate)
    rules = {"ff": "cells with a state", "nand2": f"area / {unit.area:g}, the area of {unit.name}"}
    if str(form):
        rules["form"] = str(form).removeprefix(", ")
    if form.clock_gates:
        rules["ff"] += f" but clock gates, of which there are {sum(netlist.cells[c] for c in known if known[c].gate)}"
    return Resources(
        target="asic",
        lut=None,
        ff=ff,
        dsp=None,
        bram=None,
        carry=None,
        lutram=None,
        nand2=round(area / unit.area),
        cells=netlist.cells,
        rules=rules,
        method=f"Yosys and ABC with the cells of {library.name}; area in {unit.name}, no wires{form}",
        tool={"pyosys": version_of("pyosys")},
    )

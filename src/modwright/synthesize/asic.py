# SPDX-License-Identifier: Apache-2.0
"""Gates of a cell library: area in NAND2 equivalents, and clock rates by static timing.

The netlist is that of Yosys and ABC for any Liberty file. Its clock rates (`static_timing`) are without wires and,
where the library has a table for the area, with a wire load. No placement, no clock tree: such a figure compares
architectures and predicts no silicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
dfflibmap {libraries}
opt
abc {libraries} -D {delay} -constr abc.txt -script {abc}
opt_clean -purge
delete t:$scopeinfo
tee -q -o stat.json stat -json {libraries}
splitnets -ports -format __
opt_clean -purge
write_verilog -noattr -noexpr {gates}
"""


def gates(
    verilog: str,
    top: str,
    library: Liberty,
    corners: Sequence[Liberty] = (),
    *,
    store: Store,
    booth: bool = False,
    kogge_stone: bool = False,
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

    Returns
    -------
    tuple
        Area, and the clock rate or the reason for its absence.

    Raises
    ------
    ToolFailedError
        When Yosys or OpenSTA refuses or is killed.
    """
    netlist = _netlist(verilog, top, library, booth, kogge_stone, store)
    return _resources(netlist, library, booth, kogge_stone), gate_timing(netlist, library, corners, store)


def _netlist(verilog: str, top: str, library: Liberty, booth: bool, kogge_stone: bool, store: Store) -> Netlist:
    texts = library.texts()
    script = _FLOW.format(
        top=top,
        libraries=" ".join(f"-liberty {name}" for name in library.names()),
        booth=" -booth" if booth else "",
        adders=" -extra-map +/choices/kogge-stone.v" if kogge_stone else "",
        delay=_ABC_PS,
        abc=_ABC,
        gates=GATES,
    )
    constraints = f"set_driving_cell {library.inverter.name}\nset_load {_LOAD} [all_outputs]\n"
    digest = digest_of(verilog, script, constraints, *texts, version_of("pyosys"))

    def make(folder: Path) -> None:
        announce(f"synthesising {top} with the cells of {library.name}")
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        for name, text in zip(library.names(), texts, strict=True):
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "abc.txt").write_text(constraints, encoding="utf-8")
        log = run_yosys(script, folder=folder)
        (folder / DELAY).write_text(_stime(log), encoding="utf-8")
        for name in library.names():
            (folder / name).unlink()

    return Netlist(top, store.folder("gates", digest, make), digest)


def _stime(log: str) -> str:
    """ABC's delay in ps; empty when ABC printed none, as for a design without logic."""
    found = re.findall(r"ABC:.*\bDelay\s*=\s*([\d.]+) ps", log)
    return found[-1] if found else ""


def _resources(netlist: Netlist, library: Liberty, booth: bool, kogge_stone: bool) -> Resources:
    area = float(str(netlist.statistics["area"]))
    unit = library.nand2
    ff = sum(n for cell, n in netlist.cells.items() if cell in library.cells and library.cells[cell].stores)
    form = (", Booth multipliers" if booth else "") + (", Kogge-Stone adders" if kogge_stone else "")
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
        rules={"ff": "cells with a state", "nand2": f"area / {unit.area:g}, the area of {unit.name}"},
        method=f"Yosys and ABC with the cells of {library.name}; area in {unit.name}, no wires{form}",
        tool={"pyosys": version_of("pyosys")},
    )

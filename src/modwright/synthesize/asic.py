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
from .forms import Form, abc_script, gating, latching, maps
from .liberty import Cell, Liberty
from .netlist import Netlist
from .place_and_route import NotPlaced
from .progress import announce
from .static_timing import DELAY, GATES, GateTiming, gate_timing

_LOAD = 0.05
"""Load of every output, in the library's unit of capacitance; with a driving cell it turns ABC's buffering on."""
_ABC_PS = 10_000
"""Target delay of ABC, which sizes cells for it; it has almost no effect on the result."""

# The reader of OpenSTA takes no concatenation in an assignment, so vectors are split into bits first.
_FLOW = """read_verilog top.v
{cells}
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
    clock_gates: bool = False,
    latches: bool = False,
    choices: bool = False,
    area: bool = False,
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
    latches : bool
        Memories with one port to write have latches as words, each behind a clock gate.
    choices : bool
        Map with structural choices: mostly fewer gates, and faster.
    area : bool
        Map for few gates, which are slower.

    Returns
    -------
    tuple
        Area, and the clock rate or the reason for its absence.

    Raises
    ------
    UsageError
        For `clock_gates` or `latches` and a library without such cells, and for `choices` with `area`.
    ToolFailedError
        When Yosys or OpenSTA refuses or is killed.
    """
    form = Form(booth, kogge_stone, clock_gates, latches, choices, area)
    netlist = _netlist(verilog, top, library, form, store)
    return _resources(netlist, library, form), gate_timing(netlist, library, corners, store)


def _netlist(verilog: str, top: str, library: Liberty, form: Form, store: Store) -> Netlist:
    texts, extra = library.texts(), maps(library, form)
    script = _script(top, library, form)
    constraints = f"set_driving_cell {library.inverter.name}\nset_load {_LOAD} [all_outputs]\n"
    digest = digest_of(verilog, script, constraints, *texts, version_of("pyosys"), *extra.values())

    def make(folder: Path) -> None:
        announce(f"synthesising {top} with the cells of {library.name}")
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        for name, text in zip(library.names(), texts, strict=True):
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "abc.txt").write_text(constraints, encoding="utf-8")
        for name, text in extra.items():
            (folder / name).write_text(text, encoding="utf-8")
        log = run_yosys(script, folder=folder)
        (folder / DELAY).write_text(_stime(log), encoding="utf-8")
        for name in library.names():
            (folder / name).unlink()

    return Netlist(top, store.folder("gates", digest, make), digest)


def _script(top: str, library: Liberty, form: Form) -> str:
    libraries = " ".join(f"-liberty {name}" for name in library.names())
    return _FLOW.format(
        cells=gate_flow(top, library, form), libraries=libraries, delay=_ABC_PS, abc=abc_script(form), gates=GATES
    )


def gate_flow(top: str, library: Liberty, form: Form) -> str:
    """The part of the flow that ends with a library's cells for everything that stores, of files by `Liberty.names`."""
    libraries = " ".join(f"-liberty {name}" for name in library.names())
    synth = f"synth -flatten -noabc -top {top}"
    synth += " -booth" if form.booth else ""
    synth += " -extra-map +/choices/kogge-stone.v" if form.kogge_stone else ""
    synth += latching(synth, library.names()) if form.latches else ""
    gated = gating(library) if form.clock_gates else ""
    return f"{synth}\n{gated}dfflibmap {libraries}"


def _stime(log: str) -> str:
    """ABC's delay in ps; empty when ABC printed none, as for a design without logic."""
    found = re.findall(r"ABC:.*\bDelay\s*=\s*([\d.]+) ps", log)
    return found[-1] if found else ""


def _resources(netlist: Netlist, library: Liberty, form: Form) -> Resources:
    area = float(str(netlist.statistics["area"]))
    unit = library.nand2
    known = [(library.cells[cell], count) for cell, count in netlist.cells.items() if cell in library.cells]
    ff = sum(count for cell, count in known if cell.stores and not cell.gate and not cell.latch)
    rules = {
        "ff": f"cells with a state{_apart(known)}",
        "nand2": f"area / {unit.area:g}, the area of {unit.name}",
    }
    if str(form):
        rules["form"] = str(form).removeprefix(", ")
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


def _apart(cells: Sequence[tuple[Cell, int]]) -> str:
    """Words on the cells with a state that are counted apart from flip-flops."""
    found = {
        "clock gates": sum(count for cell, count in cells if cell.gate),
        "latches": sum(count for cell, count in cells if cell.latch),
    }
    texts = [f"{name}, of which there are {count}" for name, count in found.items() if count]
    return f" but {', and '.join(texts)}" if texts else ""

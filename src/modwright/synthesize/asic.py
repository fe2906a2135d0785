# SPDX-License-Identifier: Apache-2.0
"""Gates of a cell library: area in NAND2 equivalents, and a clock rate without wires.

The netlist is that of Yosys and ABC for any Liberty file. Its clock rate is OpenSTA's over register-to-register
paths, clock-to-output and setup included, where `sta` is on the path; else ABC's own delay of the slowest
combinational path, which has neither and counts the paths from and to ports. A result names its source.
No placement, no wire load, no clock tree: such a figure compares architectures and predicts no silicon.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..base.disk import failed, scratch
from ..base.json import JsonObject
from ..base.store import Store, digest_of, version_of
from ..rtl.verilog import run_yosys
from .counts import Resources
from .liberty import Liberty
from .netlist import Netlist
from .place_and_route import NotPlaced
from .progress import announce

STA = "sta"
"""OpenSTA's command."""

_LOAD = 0.05
"""Load of every output, in the library's unit of capacitance; with a driving cell it turns ABC's buffering on."""
_PERIOD_NS = 10
"""Clock period of the static timing; the clock rate follows from the slack for any period."""
_ABC_PS = 10_000
"""Target delay of ABC, which sizes cells for it; it has almost no effect on the result."""

# The short ABC script: the default ones take minutes on a multiplier with Kogge-Stone adders.
_ABC = "+strash;dc2;map,-B,0.9,-D,5000;topo;buffer,-c;upsize,{D};dnsize,{D};stime,-p"

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
write_verilog -noattr -noexpr gates.v
"""

# The reader of OpenSTA takes no concatenation in an assignment, so vectors are split into bits first. The first
# library sets the units of commands and reports, picoseconds in ASAP7's, so that they are set after it.
_STA = """{libraries}
set_cmd_units -time ns
read_verilog gates.v
link_design {top}
create_clock -period {period} [get_ports clk]
report_checks -from [all_registers -clock_pins] -to [all_registers -data_pins] -digits 4
"""


@dataclass(frozen=True)
class GateTiming:
    """A clock rate of gates by static timing, without wires.

    Parameters
    ----------
    fmax_mhz : float
        1 / (the longest path).
    device : str
        The cell library.
    method : str
        Tool and paths of the figure.
    critical_path : dict
        `delay_ns`; from OpenSTA also `from` and `to`.
    tool : dict
        Versions of the tools.
    """

    fmax_mhz: float
    device: str
    method: str
    critical_path: JsonObject
    tool: dict[str, str]

    @property
    def fmax_median(self) -> float:
        """Median clock rate in MHz, equal to the only one: static timing has no seeds."""
        return self.fmax_mhz

    def to_json(self) -> JsonObject:
        """Plain values, with the same `status` as a placement."""
        return {"status": "measured", **asdict(self), "fmax_median": self.fmax_mhz}


def gates(
    verilog: str, top: str, library: Liberty, *, store: Store, booth: bool = False, kogge_stone: bool = False
) -> tuple[Resources, GateTiming | NotPlaced]:
    """Map a core to the cells of a library, and time it.

    Parameters
    ----------
    verilog, top : str
        The design, with a clock `clk`.
    library : Liberty
        Library of the cells.
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
    return _resources(netlist, library, booth, kogge_stone), _timing(netlist, library, store)


def _netlist(verilog: str, top: str, library: Liberty, booth: bool, kogge_stone: bool, store: Store) -> Netlist:
    texts = library.texts()
    script = _FLOW.format(
        top=top,
        libraries=" ".join(f"-liberty {name}" for name in _names(library)),
        booth=" -booth" if booth else "",
        adders=" -extra-map +/choices/kogge-stone.v" if kogge_stone else "",
        delay=_ABC_PS,
        abc=_ABC,
    )
    constraints = f"set_driving_cell {library.inverter.name}\nset_load {_LOAD} [all_outputs]\n"
    digest = digest_of(verilog, script, constraints, *texts, version_of("pyosys"))

    def make(folder: Path) -> None:
        announce(f"synthesising {top} with the cells of {library.name}")
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        _write(library, texts, folder)
        (folder / "abc.txt").write_text(constraints, encoding="utf-8")
        log = run_yosys(script, folder=folder)
        (folder / "stime.txt").write_text(_stime(log), encoding="utf-8")
        for name in _names(library):
            (folder / name).unlink()

    return Netlist(top, store.folder("gates", digest, make), digest)


def _names(library: Liberty) -> list[str]:
    """Names of the files of a library in a working folder."""
    return ["cells.lib"] if len(library.paths) == 1 else [f"cells_{n}.lib" for n in range(len(library.paths))]


def _write(library: Liberty, texts: Sequence[str], folder: Path) -> None:
    for name, text in zip(_names(library), texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")


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


def _timing(netlist: Netlist, library: Liberty, store: Store) -> GateTiming | NotPlaced:
    if shutil.which(STA) is None:
        return _by_abc(netlist, library)
    version = _run([STA, "-version"], netlist.folder).strip()

    def make() -> JsonObject:
        return _by_sta(netlist, library)

    record = store.json("gate-timing", digest_of(netlist.digest, _STA, version), make)
    tool = {"OpenSTA": version, "pyosys": version_of("pyosys")}
    if "reason" in record:
        return NotPlaced(record["reason"], library.name, tool=tool)
    method = f"OpenSTA {version}, register-to-register paths of mapped gates; no wires, no clock tree"
    return GateTiming(record["fmax_mhz"], library.name, method, record["critical_path"], tool)


def _by_sta(netlist: Netlist, library: Liberty) -> JsonObject:
    reads = "\n".join(f"read_liberty {name}" for name in _names(library))
    with scratch() as folder:
        _write(library, library.texts(), folder)
        shutil.copyfile(netlist.folder / "gates.v", folder / "gates.v")
        (folder / "sta.tcl").write_text(
            _STA.format(top=netlist.top, period=_PERIOD_NS, libraries=reads), encoding="utf-8"
        )
        return read_sta(_run([STA, "-no_splash", "-exit", "sta.tcl"], folder), netlist.top)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    log = done.stdout + done.stderr
    if done.returncode or "Error:" in log:
        what = f"was killed by signal {-done.returncode}" if done.returncode < 0 else "failed"
        raise failed(f"OpenSTA {what}", log, 8, folder)
    return log


def read_sta(log: str, top: str) -> JsonObject:
    """The slowest path of a report of OpenSTA's `report_checks`, at the period of `_PERIOD_NS`.

    Returns
    -------
    dict
        `fmax_mhz` and `critical_path`, or `reason` when no path runs from register to register.
    """
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack \((?:MET|VIOLATED)\)", log, flags=re.MULTILINE)
    if slack is None:
        return {"reason": f"{top} has no path from register to register, so it has no clock rate"}
    longest = _PERIOD_NS - float(slack[1])
    ends = [re.search(rf"^{word}: (\S+)", log, flags=re.MULTILINE) for word in ("Startpoint", "Endpoint")]
    path = {name: end[1] for name, end in zip(("from", "to"), ends, strict=True) if end}
    return {"fmax_mhz": round(1e3 / longest, 2), "critical_path": {**path, "delay_ns": round(longest, 3)}}


def _by_abc(netlist: Netlist, library: Liberty) -> GateTiming | NotPlaced:
    text = (netlist.folder / "stime.txt").read_text(encoding="utf-8")
    tool = {"pyosys": version_of("pyosys")}
    if not text or float(text) == 0:
        return NotPlaced(f"{netlist.top} has no logic, so ABC gives no clock rate", library.name, tool=tool)
    delay = float(text) / 1e3
    method = (
        "ABC (stime): the slowest combinational path, those from and to ports with it, without clock-to-output and "
        "setup; no wires. OpenSTA is not installed"
    )
    return GateTiming(round(1e3 / delay, 2), library.name, method, {"delay_ns": round(delay, 3)}, tool)

# SPDX-License-Identifier: Apache-2.0
"""Static timing of mapped gates: register-to-register paths, without wires, with a wire load, and at other corners.

OpenSTA times where `sta` is on the path; else ABC's own delay of the slowest combinational path stands, which has
neither clock-to-output nor setup and counts the paths from and to ports. A result names its source.

A library may have tables of wire loads, and name one of them as the default. OpenSTA 2.0 applies that default unasked,
for whatever area; so the statements that name it are left out of what it reads, and the table for the area of the
design is named. A wire load is a guess from fan-out and area, before any placement.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

from ..base.disk import failed, scratch
from ..base.json import JsonObject
from ..base.store import Store, digest_of, version_of
from .liberty import Liberty
from .netlist import Netlist
from .place_and_route import NotPlaced

STA = "sta"
"""OpenSTA's command."""

GATES = "gates.v"
"""Mapped netlist in the folder of a `Netlist`."""
DELAY = "stime.txt"
"""ABC's delay there, in ps; empty where it printed none."""

NO_TABLE = ""
"""Name of no table of wire loads."""

_PERIOD_NS = 10
"""Clock period of the static timing; the clock rate follows from the slack for any period."""

# The first library sets the units of commands and reports, picoseconds in ASAP7's, so that they are set after it.
_HEAD = """{libraries}
set_cmd_units -time ns
read_verilog {gates}
link_design {top}
create_clock -period {period} [get_ports clk]
"""
_REPORT = "report_checks -from {starts} -to {ends} -digits 4\n"
_CLOCKED = ("[all_registers -clock_pins]", "[all_registers -data_pins]")
"""Starts and ends of paths."""
_LATCHED = ("[get_clocks clk]", "[all_registers -edge_triggered -data_pins]")
"""The same with latches: from clock pins of registers, OpenSTA drops what goes through an open latch."""
_WITH_WIRES = 'set_wire_load_model -name "{table}"\nputs "{mark}"\n'
_MARK = "-- with a wire load --"


class Rate(TypedDict):
    """A clock rate in MHz and its slowest path."""

    fmax_mhz: float
    critical_path: dict[str, str | float]


@dataclass(frozen=True)
class Condition:
    """A clock rate in MHz of the same gates, with another library or table of wire loads (`NO_TABLE` for none)."""

    library: str
    wire_load: str
    fmax_mhz: float


@dataclass(frozen=True)
class GateTiming:
    """A clock rate of gates by static timing.

    Parameters
    ----------
    fmax_mhz : float
        1 / (the longest path), without wires, at the corner of the library that the gates are of.
    device : str
        The cell library.
    method : str
        Tool and paths of the figure.
    critical_path : dict
        `delay_ns`; from OpenSTA also `from` and `to`.
    tool : dict
        Versions of the tools.
    conditions : tuple of Condition, optional
        Clock rates under other conditions.
    """

    fmax_mhz: float
    device: str
    method: str
    critical_path: dict[str, str | float]
    tool: dict[str, str]
    conditions: tuple[Condition, ...] = ()

    @property
    def fmax_median(self) -> float:
        """Median clock rate in MHz, equal to the only one: static timing has no seeds."""
        return self.fmax_mhz

    def to_json(self) -> JsonObject:
        """Plain values, with the same `status` as a placement."""
        return {"status": "measured", **asdict(self), "fmax_median": self.fmax_mhz}


def gate_timing(netlist: Netlist, library: Liberty, corners: Sequence[Liberty], store: Store) -> GateTiming | NotPlaced:
    """Clock rates of mapped gates.

    Parameters
    ----------
    netlist : Netlist
        Gates of `library`, with a clock `clk`.
    library : Liberty
    corners : sequence of Liberty
        The same cells at other corners; only OpenSTA times them.
    store : Store

    Raises
    ------
    ToolFailedError
        When OpenSTA refuses or is killed.
    """
    if shutil.which(STA) is None:
        return _by_abc(netlist, library)
    version = _run([STA, "-version"], netlist.folder).strip()
    area = float(str(netlist.statistics["area"]))
    tool = {"OpenSTA": version, "pyosys": version_of("pyosys")}
    rates = {
        (cells.name, table): rate
        for cells in (library, *corners)
        for table, rate in _stored(netlist, cells, cells.wire_load(area), version, store).items()
    }
    if not rates:
        reason = f"{netlist.top} has no path from register to register, so it has no clock rate"
        return NotPlaced(reason, library.name, tool=tool)
    main = rates.pop((library.name, NO_TABLE))
    conditions = tuple(Condition(*of, rate["fmax_mhz"]) for of, rate in rates.items())
    return GateTiming(main["fmax_mhz"], library.name, of_opensta(version), main["critical_path"], tool, conditions)


def of_opensta(version: str) -> str:
    """Method of a clock rate by OpenSTA."""
    return f"OpenSTA {version}, register-to-register paths of mapped gates; no wires, no clock tree"


def _stored(netlist: Netlist, cells: Liberty, table: str, version: str, store: Store) -> dict[str, Rate]:
    """Rates in the cells of one corner, by wire load: without wires, and with a table where it has one for the area."""
    starts, ends = _paths(netlist, cells)
    report = _REPORT.format(starts=starts, ends=ends)
    digest = digest_of(netlist.digest, _HEAD, report, _WITH_WIRES, table, *cells.texts(), version)
    return store.json("gate-timing", digest, lambda: {"rates": _by_sta(netlist, cells, table, report)})["rates"]


def _paths(netlist: Netlist, cells: Liberty) -> tuple[str, str]:
    """Starts and ends of paths; ends are data of registers, and enables of clock gates, which OpenSTA leaves out.

    A path goes through a latch that is open when it arrives, and ends at a register behind it.
    """
    known = [cells.cells[name] for name in netlist.cells if name in cells.cells]
    starts, data = _LATCHED if any(cell.latch for cell in known) else _CLOCKED
    enables = sorted({cell.gate.enable for cell in known if cell.gate})
    return starts, f"[concat {data} {' '.join(f'[get_pins */{pin}]' for pin in enables)}]" if enables else data


def _by_sta(netlist: Netlist, cells: Liberty, table: str, report: str) -> dict[str, Rate]:
    names = cells.names()
    reads = "\n".join(f"read_liberty {name}" for name in names)
    script = _HEAD.format(libraries=reads, gates=GATES, top=netlist.top, period=_PERIOD_NS) + report
    if table:
        script += _WITH_WIRES.format(table=table, mark=_MARK) + report
    with scratch() as folder:
        for name, text in zip(names, cells.texts(wires=False), strict=True):
            (folder / name).write_text(text, encoding="utf-8")
        shutil.copyfile(netlist.folder / GATES, folder / GATES)
        (folder / "sta.tcl").write_text(script, encoding="utf-8")
        reports = _run([STA, "-no_splash", "-exit", "sta.tcl"], folder).split(_MARK)
    rates = zip((NO_TABLE, table), map(read_sta, reports), strict=False)
    return {wires: rate for wires, rate in rates if rate is not None}


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    log = done.stdout + done.stderr
    if done.returncode or "Error:" in log:
        what = f"was killed by signal {-done.returncode}" if done.returncode < 0 else "failed"
        raise failed(f"OpenSTA {what}", log, 8, folder)
    return log


def read_sta(log: str) -> Rate | None:
    """The slowest path of a report of OpenSTA's `report_checks`, at the period of `_PERIOD_NS`; None when no path runs
    from register to register."""
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack \((?:MET|VIOLATED)\)", log, flags=re.MULTILINE)
    if slack is None:
        return None
    longest = _PERIOD_NS - float(slack[1])
    ends = [re.search(rf"^{word}: (\S+)", log, flags=re.MULTILINE) for word in ("Startpoint", "Endpoint")]
    path: dict[str, str | float] = {name: end[1] for name, end in zip(("from", "to"), ends, strict=True) if end}
    return {"fmax_mhz": round(1e3 / longest, 2), "critical_path": {**path, "delay_ns": round(longest, 3)}}


def _by_abc(netlist: Netlist, library: Liberty) -> GateTiming | NotPlaced:
    text = (netlist.folder / DELAY).read_text(encoding="utf-8")
    tool = {"pyosys": version_of("pyosys")}
    if not text or float(text) == 0:
        return NotPlaced(f"{netlist.top} has no logic, so ABC gives no clock rate", library.name, tool=tool)
    delay = float(text) / 1e3
    method = (
        "ABC (stime): the slowest combinational path, those from and to ports with it, without clock-to-output and "
        "setup; no wires. OpenSTA is not installed"
    )
    return GateTiming(round(1e3 / delay, 2), library.name, method, {"delay_ns": round(delay, 3)}, tool)

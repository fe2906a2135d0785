# SPDX-License-Identifier: Apache-2.0
"""A Vivado project that a user runs, and the figures of its reports.

Vivado is not free software and is not run here. `project_files` writes what it needs: the Verilog, one clock
constraint, and a script that synthesises, places and routes the core out of context. `read_reports` reads the two
reports that the script leaves, in the layout that Vivado documents (UG906, "Report Utilization" and "Report Timing
Summary").
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from ..base.disk import read_text_bounded
from ..base.errors import UsageError, quoted
from ..base.json import JsonMapping, JsonObject
from ..base.parsing import load_json
from ..schedule.pace import FIXED, MEAN, MOST

PARTS = {"xc7": "xc7a200tfbg676-1", "xcup": "xcku5p-ffvb676-1-e"}
"""The part of a family when none is named: the largest Artix-7 and a Kintex UltraScale+ that the free edition of
Vivado serves, in the slowest speed grade."""
NAMES = {"xc7": re.compile("x[acq]7", re.IGNORECASE), "xcup": re.compile("x[acq][a-z]", re.IGNORECASE)}
"""The beginning of the names of a family's parts: commercial, automotive and military ones."""

UTILISATION, TIMING, MANIFEST = "utilization.rpt", "timing.rpt", "modwright.json"

_LONGEST_NS = 1e3
"""The period at 1 MHz, the least that `vivado export --freq` takes."""

_SHORTEST_NS = 1e-3
"""A period is written in picoseconds."""

_MOST_REPORT = 1 << 26
"""Bytes of a report; those of a full device have some hundred kilobytes."""

_MOST_CYCLES = 2**53
"""Largest count that a double holds exactly."""

_CONSTRAINTS = "create_clock -name clk -period {period:.3f} [get_ports clk]\n"

_SCRIPT = """# SPDX-License-Identifier: Apache-2.0
# vivado -mode batch -source run.tcl
# Out of context: no pads; paths from and to ports are not timed.
create_project -in_memory -part {part}
read_verilog {top}.v
read_xdc -mode out_of_context constraints.xdc
synth_design -mode out_of_context -flatten_hierarchy full -top {top}
opt_design
place_design
phys_opt_design
route_design
report_utilization -file {utilisation}
report_timing_summary -file {timing}
"""

_COUNTS = {
    "lut": ("Slice LUTs", "CLB LUTs"),
    "ff": ("Slice Registers", "CLB Registers"),
    "dsp": ("DSPs",),
    "lutram": ("LUT as Memory",),
}
"""Rows of the utilisation report, by the name of the count; the second name is that of UltraScale+."""

_RAM = {"RAMB36/FIFO": 2, "RAMB18": 1}
"""Blocks of 18 Kbit in a row's block."""


_PART = re.compile(r"[A-Za-z0-9._-]{1,60}")


def project_files(verilog: str, top: str, part: str, frequency_mhz: float, facts: JsonMapping) -> dict[str, str]:
    """The files of a project by name.

    Parameters
    ----------
    verilog, top : str
        The design and its top module, with a clock `clk`.
    part : str
        Xilinx part.
    frequency_mhz : float
        Target clock in MHz.
    facts : mapping
        Facts that `read_reports` needs later: core, request, digest, cycles.
    """
    if not _PART.fullmatch(part):
        raise UsageError(f"{quoted(part)} is not a name of a part", f"such as {PARTS['xc7']}")
    if not 1e3 / _LONGEST_NS <= frequency_mhz <= 1e3 / _SHORTEST_NS:
        raise UsageError(f"a clock of {frequency_mhz:g} MHz is not possible")
    period = 1e3 / frequency_mhz
    manifest = {"format": "modwright-vivado/1", "top": top, "part": part, "period_ns": round(period, 3), **facts}
    return {
        f"{top}.v": verilog,
        "constraints.xdc": _CONSTRAINTS.format(period=period),
        "run.tcl": _SCRIPT.format(part=part, top=top, utilisation=UTILISATION, timing=TIMING),
        MANIFEST: json.dumps(manifest, indent=1, sort_keys=True) + "\n",
    }


def read_reports(folder: Path) -> JsonObject:
    """Figures of Vivado's reports, with the facts of the project.

    Returns
    -------
    dict
        `manifest`; `lut`, `ff`, `dsp`, `bram`, `lutram`; `fmax_mhz` = 1 / (period - worst slack); `period_ns`,
        `slack_ns`; `part`, `tool` and `date` as the reports name them.

    Raises
    ------
    UsageError
        When a file is missing, is of another design, or lacks a required row; when the period or the
        cycles of the project are not positive numbers, or the slack is not below the period.
    """
    manifest = _manifest(folder / MANIFEST)
    top, period = manifest["top"], manifest["period_ns"]
    utilisation, timing = _read(folder / UTILISATION), _read(folder / TIMING)
    for name, text in ((UTILISATION, utilisation), (TIMING, timing)):
        design = _head(text, "Design")
        if design != top:
            raise UsageError(f"{folder / name} is of design {design or 'without a name'}, and the project's is {top}")
    slack = _worst_slack(timing, folder / TIMING)
    if slack >= period:
        raise UsageError(
            f"{folder / TIMING} has a worst slack of {slack:g} ns, which has to be below the period of {period:g} ns"
        )
    return {
        "manifest": manifest,
        **{count: _row(utilisation, names, folder / UTILISATION) for count, names in _COUNTS.items()},
        "bram": sum(weight * _row(utilisation, (name,), folder / UTILISATION) for name, weight in _RAM.items()),
        "fmax_mhz": round(1e3 / (period - slack), 2),
        "period_ns": period,
        "slack_ns": slack,
        "part": _head(utilisation, "Device"),
        "tool": _head(utilisation, "Tool Version"),
        "date": _head(utilisation, "Date"),
    }


def _manifest(path: Path) -> JsonObject:
    """The facts of a project; the period is above 0 ns, and cycles are integers above 0 or None."""
    strange = f"{path} was not written by `modwright vivado export`"
    if not path.is_file():
        raise UsageError(f"{path.parent} holds no {path.name}", "a folder that `modwright vivado export` made")
    try:
        manifest = load_json(path)
        top, period = manifest["top"], manifest["period_ns"]
    except UsageError as error:
        raise UsageError(f"{strange}: {error.message}") from error
    except (KeyError, TypeError) as error:
        raise UsageError(strange) from error
    if not isinstance(top, str):
        raise UsageError(strange)
    if type(period) not in (int, float) or not 0 < period <= _LONGEST_NS:
        rule = f"has to be a number above 0, at most {_LONGEST_NS:g}"
        raise UsageError(f"{path}: period_ns is {quoted(period)}, and {rule}")
    for name in ("cycles", "interval"):
        value = manifest.get(name)
        if value is not None and (type(value) is not int or not 0 < value <= _MOST_CYCLES):
            raise UsageError(f"{path}: {name} is {value!r:.40}, and has to be an integer from 1 to 2^53")
    if manifest.get("interval_kind", FIXED) not in (FIXED, MEAN, MOST):
        raise UsageError(f"{path}: interval_kind is none of {FIXED}, {MEAN}, {MOST}")
    return manifest


def _read(path: Path) -> str:
    try:
        return read_text_bounded(path, _MOST_REPORT)
    except UsageError as error:
        raise UsageError(error.message, "run `vivado -mode batch -source run.tcl`") from error


def _head(text: str, name: str) -> str:
    """A line of the frame at the top of a report."""
    match = re.search(rf"^\|\s*{name}\s*:\s*(.+?)\s*\|?$", text, flags=re.MULTILINE)
    return match[1] if match else ""


def _row(text: str, names: tuple[str, ...], path: Path) -> int:
    """The column Used of a row of the utilisation tables; a footnote's star after its name is not part of it."""
    for name in names:
        match = re.search(rf"^\|\s*{re.escape(name)}\*?\s*\|\s*(\d+)\s*\|", text, flags=re.MULTILINE)
        if match:
            return int(match[1])
    raise UsageError(f"{path} has no row {' or '.join(names)}")


def _worst_slack(text: str, path: Path) -> float:
    """WNS of the design timing summary, in ns."""
    match = re.search(r"^\s*WNS\(ns\)[^\n]*\n[\s-]*\n\s*(-?\d+\.\d+)\s", text, flags=re.MULTILINE)
    if not match:
        raise UsageError(f"{path} has no worst negative slack (WNS) of the setup paths")
    return float(match[1])

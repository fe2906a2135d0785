# SPDX-License-Identifier: Apache-2.0
"""A core as a Vivado project, and the figures of the reports that Vivado left in it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, cast

from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from ..prepared import Prepared
from ..schedule.pace import FIXED, MOST
from ..synthesize import FREQUENCY_MHZ
from ..synthesize.vivado import NAMES, PARTS, TIMING, UTILISATION, project_files, read_reports
from .figures import CORE, COUNTS, latency_ns

CONTRIBUTED_FORMAT = "modwright-contributed/1"


class Contributed(TypedDict):
    """Contributed record, as tables read it: figures of `imported_figures`, and where they are from."""

    request: Mapping[str, object]
    target: str
    date: str
    reports: Mapping[str, str]
    verilog: str
    cycles: int | None
    lut: int
    ff: int
    dsp: int
    bram: int
    fmax_mhz: float
    latency_ns: float | None
    place_and_route: Mapping[str, object]
    tool: Mapping[str, str]


def export_project(
    prepared: Prepared,
    folder: Path,
    *,
    target: str | None = None,
    part: str | None = None,
    frequency: float = FREQUENCY_MHZ,
    force: bool = False,
) -> list[Path]:
    """Write a core as a Vivado project; nothing is measured.

    Parameters
    ----------
    prepared : Prepared
        The core; its request's target is that of its multiplier blocks.
    folder : Path
        The folder to make; see `deliver.filled_folder`.
    target : str, optional
        One of `synthesize.vivado.PARTS`; the request's when not given.
    part : str, optional
        Xilinx part; that of `PARTS` when not given.
    frequency : float
        Target clock in MHz.
    force : bool
        Write into a folder that holds foreign files.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    UsageError
        For a target without Vivado, a part or a clock that is none, or a folder that cannot be written.
    """
    from ..deliver import check_folder, filled_folder

    target = target or prepared.request.target
    if target not in PARTS:
        raise UsageError(f"Vivado is for {' and '.join(PARTS)}, and the target is {target}", "--target xc7")
    part = PARTS[target] if part is None else part
    check_folder(folder, force=force)
    facts = {
        "core": prepared.core.name,
        "target": target,
        "request": prepared.request.to_mapping(),
        "digest": prepared.digest,
        "cycles": prepared.schedule.latency,
        "interval": prepared.schedule.longest_interval,
        "interval_kind": FIXED if prepared.schedule.constant_time else MOST,
    }
    files = project_files(prepared.verilog(), prepared.top, part, frequency, facts)
    if not NAMES[target].match(part):
        raise UsageError(f"{quoted(part)} is not a part of target {target}", f"such as {PARTS[target]}")
    with filled_folder(folder, prepared.digest, force=force) as work:
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def imported_figures(folder: Path) -> JsonObject:
    """Read what Vivado reported of a project.

    Returns
    -------
    dict
        Figures of `core_figures`, without the pace and the limit of the clock, which the reports lack.

    Raises
    ------
    UsageError
        See `synthesize.vivado.read_reports`.
    """
    found = read_reports(folder)
    facts = found["manifest"]
    return {
        "core": facts.get("core"),
        "target": facts.get("target"),
        **{name: found.get(name) for name in COUNTS},
        "fmax_mhz": found["fmax_mhz"],
        "cycles": facts.get("cycles"),
        "interval": facts.get("interval"),
        "interval_kind": facts.get("interval_kind", FIXED),
        "latency_ns": latency_ns(facts.get("cycles"), found["fmax_mhz"]),
        "timing": CORE,
        "limit": "",
        "place_and_route": {
            "status": "measured",
            "fmax_mhz": found["fmax_mhz"],
            "fmax_median": found["fmax_mhz"],
            "device": found["part"],
            "method": f"imported: {found['tool']}, out of context; period {found['period_ns']:g} ns less the worst "
            f"slack {found['slack_ns']:g} ns",
        },
        "wide_lut": False,
        "method": f"imported from the reports of {found['tool']}, after place and route",
        "tool": {"vivado": found["tool"]},
        "digest": facts.get("digest"),
    }


def contribution(folder: Path) -> Contributed:
    """Figures of `imported_figures` as a record for bench/contributed/: with the request, and the date and the SHA-256
    of the reports and of the Verilog.

    Raises
    ------
    UsageError
        When the project does not name its request or lacks its Verilog; else as `imported_figures`.
    """
    found = read_reports(folder)
    request, verilog = found["manifest"].get("request"), folder / f"{found['manifest']['top']}.v"
    if not isinstance(request, dict) or not verilog.is_file():
        raise UsageError(f"{folder} lacks its request or {verilog.name}", "a folder of `modwright vivado export`")
    record = {
        "format": CONTRIBUTED_FORMAT,
        "request": request,
        "date": found["date"],
        "reports": {name: _sha256(folder / name) for name in (UTILISATION, TIMING)},
        "verilog": _sha256(verilog),
        **imported_figures(folder),
    }
    return cast("Contributed", record)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

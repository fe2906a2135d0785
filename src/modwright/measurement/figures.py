# SPDX-License-Identifier: Apache-2.0
"""Area, clock rate and times of one design in one flat mapping: of a core, or of third-party Verilog.

The command `synth` prints these, and `compare --rtl` reads those of foreign designs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import synthesize
from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject
from ..base.store import Store, default_store
from ..prepared import Prepared
from ..report.evidence import NOT_RUN, Placed, clock_rate
from ..report.limits import limit_in_words
from .places import keep, mean_latency
from .record import Settings, measure

COUNTS = ("lut", "ff", "dsp", "bram", "carry", "lutram", "nand2")
"""Names of the counts of resources."""
STATED = "stated by the user, not checked"
"""Source of the cycles of foreign Verilog."""
CORE, CHANNEL = "core", "channel"
"""Scope of a clock rate: the whole design, or one channel of it."""
FOREIGN_FORMAT = "modwright-rtl/1"


def core_figures(
    prepared: Prepared,
    settings: Settings,
    *,
    target: str | None = None,
    place: bool = False,
    channel: bool = False,
    liberty: str | None = None,
) -> JsonObject:
    """Measure a core; the figures of a whole core are stored for `compare`.

    Parameters
    ----------
    prepared, settings, target, place, channel, liberty
        Arguments of `measure`; not both `place` and `channel`.

    Returns
    -------
    dict
        `core`, `target`, the `COUNTS`, `fmax_mhz`, `cycles`, `latency_ns`, `timing` (`CORE`, `CHANNEL` or "not run"),
        `place_and_route` (which names the router), `limit` (see `report.limits`), the interval and its
        kind, and the method of each figure.

    Raises
    ------
    UsageError
        When `channel` is requested of a core that has none; else as `measure`.
    """
    if channel:
        prepared.require_channel()
    record = measure(prepared, settings, target=target, place=place, channel=channel, liberty=liberty)
    if not channel:
        keep(prepared.store, record)
    timing = record["channel_timing" if channel else "timing"]
    return {
        "core": prepared.core.name,
        **_flat(record["resources"], timing, prepared.schedule.latency, None, channel=channel),
        **_pace(prepared),
        "digest": prepared.digest,
    }


@dataclass(frozen=True)
class Design:
    """Third-party Verilog.

    Parameters
    ----------
    files : sequence of Path
        Sources; see `synthesize.elaborate`.
    top, clock : str
        The top module and its clock.
    parameters : mapping
        Parameters of the top module.
    cycles, interval : int or None
        Cycles of an operation, and between two of them, as its author states.
    """

    files: Sequence[Path]
    top: str
    clock: str = "clk"
    parameters: Mapping[str, str] = field(default_factory=dict)
    cycles: int | None = None
    interval: int | None = None


def design_figures(
    design: Design,
    settings: Settings,
    *,
    target: str = "ecp5",
    place: bool = False,
    liberty: str | None = None,
    store: Store | None = None,
) -> JsonObject:
    """Measure third-party Verilog by the flow that cores go through.

    Parameters
    ----------
    design : Design
    settings : Settings
        Settings of synthesis, and of place and route.
    target : str
        One of `synthesize.RTL_OF`.
    place : bool
        Whether to place and route.
    liberty : str, optional
        Liberty file or preset, for target asic: area and static timing in its cells.
    store : Store, optional
        Store of the results; the user's when not given.

    Raises
    ------
    UsageError, ToolMissingError, ToolFailedError
        See `synthesize`.
    """
    if target not in synthesize.RTL_OF:
        raise UsageError(f"unknown target {target!r}", f"one of {', '.join(synthesize.RTL_OF)}")
    store = store or default_store()
    timed = place or liberty is not None
    verilog, top = synthesize.elaborate(design.files, design.top, design.clock, design.parameters, timed=timed)
    timing = None
    if liberty is not None:
        library, corners = synthesize.read_library(liberty)
        resources, timing = synthesize.gates(verilog, top, library, corners, store=store, **settings.form)
    else:
        resources = synthesize.resources(verilog, top, target, store=store, wide_lut=settings.wide_lut)
    if place:
        timing = synthesize.timing_of_foreign(verilog, top, store, settings, target=target)
    placed = NOT_RUN if timing is None else timing.to_json()
    return {
        "format": FOREIGN_FORMAT,
        "rtl": design.top,
        "files": [path.name for path in design.files],
        "parameters": dict(design.parameters),
        "sha256": hashlib.sha256(verilog.encode()).hexdigest(),
        **_flat(asdict(resources), placed, design.cycles, design.interval),
        "cycles_source": NOT_RUN if design.cycles is None else STATED,
    }


def _pace(prepared: Prepared) -> JsonObject:
    """Cycles between two operations (of a burst, for one of them), from which rates are computed, and their kind."""
    mean, _ = mean_latency(prepared)
    pace = prepared.schedule.pace_at(mean)
    return {
        "interval": pace.cycles,
        "mean_cycles": mean,
        "interval_most": float(pace.most),
        "interval_kind": pace.kind,
    }


def _flat(
    resources: JsonMapping, timing: Any, cycles: int | None, interval: int | None, *, channel: bool = False
) -> JsonObject:
    """Counts, clock rate and times; a channel's clock never gives a latency."""
    run = timing != NOT_RUN
    placed = None if channel else _placed(timing)
    return {
        "target": resources["target"],
        **{name: resources[name] for name in COUNTS},
        "fmax_mhz": None if placed is None else placed["fmax_mhz"],
        "cycles": cycles,
        "interval": interval,
        "latency_ns": latency_ns(cycles, None if placed is None else clock_rate(placed)),
        "timing": (CHANNEL if channel else CORE) if run else NOT_RUN,
        "limit": limit_in_words(timing.get("critical_path", {})) if run else "",
        "place_and_route": timing,
        "wide_lut": resources["wide_lut"],
        "method": resources["method"],
        "rules": resources["rules"],
        "tool": resources["tool"],
    }


def _placed(timing: Placed | str) -> Placed | None:
    """The clock rates of a placement; None where it was not run or not placed."""
    return None if isinstance(timing, str) or "fmax_mhz" not in timing else timing


def latency_ns(cycles: int | None, mhz: float | None) -> float | None:
    """Time of an operation in ns; None where cycles or clock rate are not known."""
    return None if mhz is None or cycles is None else round(cycles / mhz * 1000, 3)

# SPDX-License-Identifier: Apache-2.0
"""One measured record: the request, the figures of the schedule, the measured ones, and those derived from both.

A record holds no date and no host: the same request, source and tools give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.json import JsonObject, plain
from ..base.store import version_of
from ..prepared import Prepared
from ..report.evidence import NOT_KNOWN, NOT_PLACED, NOT_RUN
from ..synthesize import PACKAGES, PLACED, Resources, Settings
from .kept import channel_timing_in, timing_in, with_earlier
from .rows import Row

FORMAT = "modwright-measurement/1"

SHOWN_BITS = 64
"""Parameters of more bits are summed up by their length; `modwright params` prints them in full."""

SHOWN_ENTRIES = 16
"""Longer tables are summed up by their number of entries."""


def measure(
    prepared: Prepared,
    settings: Settings,
    *,
    target: str | None = None,
    place: bool = False,
    channel: bool = False,
    liberty: str | None = None,
    earlier: Row | None = None,
) -> JsonObject:
    """Measure one core.

    Parameters
    ----------
    prepared : Prepared
        The core; its request's target is that of its multiplier units.
    settings : Settings
        Settings of place and route.
    target : str, optional
        One of `synthesize.RTL_OF`; the request's when not given.
    place, channel : bool
        Place and route the whole core, or one channel of it, whose resources are counted as well; on a family without
        place and route, only counted.
    liberty : str, optional
        A Liberty file or preset, for target asic: real cells and static timing in place of the estimate.
    earlier : Row, optional
        A record whose seeds are not placed again, where it is of the same design (`kept`).

    Raises
    ------
    UsageError, ToolMissingError, ToolFailedError
        See `synthesize`.
    """
    # `modwright params` reads records and measures nothing: the tools of a build would double its time
    from ..pipeline import channel_resources_of, channel_timing_of, gates_of, resources_of, timing_of

    target = target or prepared.request.target
    timing = placed_channel = of_channel = None
    if liberty is not None:
        resources, timing = gates_of(prepared, liberty, **settings.form)
    else:
        resources = resources_of(prepared, target, wide_lut=settings.wide_lut)
    counted = document(prepared, resources, None) if earlier else {}
    if place:
        of_earlier = earlier and timing_in(earlier, Row.of(counted))
        timing = with_earlier(lambda chosen: timing_of(prepared, chosen, target=target), settings, of_earlier, target)
    if channel:
        of_channel = channel_resources_of(prepared, target, wide_lut=settings.wide_lut)
    if of_channel is not None and target in PLACED:
        of_earlier = earlier and channel_timing_in(earlier, Row.of(counted | {"channel_resources": plain(of_channel)}))
        placed_channel = with_earlier(
            lambda chosen: channel_timing_of(prepared, chosen, target=target), settings, of_earlier, target
        )
    found = document(prepared, resources, timing, placed_channel, liberty)
    return found if of_channel is None else {**found, "channel_resources": plain(of_channel)}


def document(
    prepared: Prepared, resources: Resources, timing: Any, channel: Any = None, liberty: str | None = None
) -> JsonObject:
    """The record of measurements; a measurement that is None was not run."""
    return {
        "format": FORMAT,
        **({} if liberty is None else {"liberty": library_name(liberty)}),
        "request": plain(prepared.request.to_mapping()),
        "parameters": summary(prepared.parameters.describe()),
        "schedule": scheduled(prepared),
        "verilog": {"top": prepared.top, "sha256": verilog_digest(prepared)},
        "resources": plain(resources),
        "timing": NOT_RUN if timing is None else plain(timing),
        "channel_timing": NOT_RUN if channel is None else plain(channel),
        "derived": derived(prepared, resources.dsp, timing),
        "tools": _tools(resources.target, timing),
    }


def library_name(liberty: str) -> str:
    """A cell library without the folders of its files."""
    return os.pathsep.join(Path(word).name for word in liberty.split(os.pathsep))


def scheduled(prepared: Prepared) -> JsonObject:
    """Cycles of the schedule, and whether they depend on operands.

    `interval_cycles` is the least distance of two operations or bursts. It is a rate only where the latency is
    constant; else the mean, where it is known, or the most is. Records older than those two fields are read as well:
    `rows` computes both.
    """
    pace, burst = prepared.pace, prepared.schedule.burst
    return {
        "source": "counted on the schedule, which simulation checks cycle by cycle; not measured here",
        "latency_cycles": prepared.schedule.latency,
        "mean_latency_cycles": mean_latency(prepared),
        "interval_cycles": prepared.schedule.interval,
        "mean_interval_cycles": NOT_KNOWN if pace.mean is None else round(float(pace.mean * burst), 3),
        "most_interval_cycles": prepared.schedule.longest_interval,
        "burst": burst,
        "formula": prepared.schedule.formula,
        "constant_time": prepared.schedule.constant_time,
    }


def _tools(target: str, timing: Any) -> dict[str, str]:
    """Versions of the tools that the figures depend on; those of another family's place and route are left out."""
    package = PACKAGES[target if target in PLACED else "ecp5"]
    found = {name: version_of(name) for name in ("amaranth", "pyosys", package)}
    return found | (timing.tool if hasattr(timing, "tool") else {})


def verilog_digest(prepared: Prepared) -> str:
    """SHA-256 of the Verilog of a core, in hex."""
    return hashlib.sha256(prepared.verilog().encode()).hexdigest()


def mean_latency(prepared: Prepared) -> float | str:
    """Cycles of an operation in the mean, from the exact distribution of the quantity that they vary with."""
    mean = prepared.mean_latency
    return NOT_KNOWN if mean is None else round(float(mean), 3)


def derived(prepared: Prepared, dsp: int | None, timing: Any) -> dict[str, float] | str:
    """Times that follow from the schedule's cycles and the measured clock rate of the whole core.

    `latency_ns` and `interval_ns` are cycles over the median clock rate of the seeds, the latter for one operation of a
    burst. Where cycles vary, the latency is the most, and the interval the mean, or the most where no mean is known.
    `dsp_ns` is multiplier blocks times latency, the area-time product. A channel's clock rate never enters.
    """
    if timing is None:
        return NOT_RUN
    if not hasattr(timing, "fmax_median"):
        return NOT_PLACED
    period = 1e3 / timing.fmax_median
    latency = prepared.schedule.latency * period
    interval = prepared.pace.cycles * period
    result = {"latency_ns": round(latency, 3), "interval_ns": round(interval, 3)}
    return result if dsp is None else {**result, "dsp_ns": round(dsp * latency, 1)}


def summary(value: object) -> Any:
    """Parameters without their long constants and tables."""
    if isinstance(value, Mapping):
        return {str(key): summary(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [summary(v) for v in value] if len(value) <= SHOWN_ENTRIES else f"{len(value)} entries"
    if isinstance(value, int) and value.bit_length() > SHOWN_BITS:
        return f"{value.bit_length()} bits"
    return plain(value)

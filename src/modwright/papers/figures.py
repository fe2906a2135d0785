# SPDX-License-Identifier: Apache-2.0
"""Figures of a measured row under the names that the papers' documents ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..base.json import JsonMapping
from ..measurement import Row
from ..report.evidence import NOT_RUN, clock_rate

PAPER_NM = 90
"""Technology to which Xie et al. scale an area-time product, in nm."""

Figure = Callable[[Row, JsonMapping], "float | None"]


def _resource(name: str, scale: float = 1) -> Figure:
    def figure(row: Row, _: JsonMapping) -> float | None:
        value = row.resources.get(name)
        return None if value is None else value * scale

    return figure


def _time(cycles: str, scale: float) -> Figure:
    """Cycles at the median clock rate, in units of 1/scale ns."""

    def figure(row: Row, _: JsonMapping) -> float | None:
        time = row.time(_cycles(row, cycles))
        return None if time is None else time * scale

    return figure


def _cycles(row: Row, which: str) -> float | None:
    return row.schedule["latency_cycles"] if which == "most" else row.mean_cycles


def _rate(which: str, scale: float) -> Figure:
    """Bits of the modulus over a time, in units of `scale` bit/s: of the interval, which for a burst is that of one
    operation, or of the mean latency, in which all operations of a burst are done."""

    def figure(row: Row, _: JsonMapping) -> float | None:
        if which == "interval":
            time, bits = row.interval_ns, row.bits
        else:
            time, bits = row.time(row.mean_cycles), row.bits * row.burst
        return None if time is None else bits / time * 1e9 / scale

    return figure


def _fmax(row: Row) -> float | None:
    return row.clock_rate


def _slices(row: Row, resources: JsonMapping) -> int | None:
    """The fewest slices of series 7 that hold the LUTs (four a slice) and registers (eight) of a core or bare unit."""
    if row.target != "xc7" or not resources:
        return None
    return max(-(-resources["lut"] // 4), -(-resources["ff"] // 8))


def mod3_slices(rows: Iterable[Row]) -> tuple[int, int] | None:
    """Slices of the unit modulo 3, from the least to the most over the widths that were measured."""
    units = [row for row in rows if row.request["core"] == "unit/mod3"]
    found = [n for row in units if (n := _slices(row, row.channel_resources)) is not None]
    return (min(found), max(found)) if found else None


def _path(row: Row, part: str) -> float | None:
    """Part of the critical path of the bare unit, in ns."""
    return None if row.channel == NOT_RUN else (row.channel.get("critical_path") or {}).get(part)


def _channel_fmax(row: Row) -> float | None:
    return None if row.channel == NOT_RUN else clock_rate(row.channel) if "fmax_mhz" in row.channel else None


def _channel_cycles(row: Row) -> int:
    """Cycles of the bare unit, without the queue of the core behind it."""
    return row.schedule["latency_cycles"] - 1


def _channel_ns(row: Row) -> float | None:
    fmax = _channel_fmax(row)
    return None if fmax is None else _channel_cycles(row) * 1e3 / fmax


def _area_time(row: Row, document: JsonMapping) -> float | None:
    """k gates × ms × 90 nm / technology; None for a library whose technology the document does not name."""
    gates, time = row.resources.get("nand2"), row.latency_ns
    technology = document["technologies"].get(row.liberty)
    if gates is None or time is None or technology is None:
        return None
    return gates * 1e-3 * time * 1e-6 * PAPER_NM / technology


FIGURES: dict[str, Figure] = {
    "lut": _resource("lut"),
    "klut": _resource("lut", 1e-3),
    "ff": _resource("ff"),
    "dsp": _resource("dsp"),
    "bram": _resource("bram"),
    "kgates": _resource("nand2", 1e-3),
    "cycles": lambda row, _: row.schedule["latency_cycles"],
    "kcycles": lambda row, _: row.schedule["latency_cycles"] * 1e-3,
    "mean_cycles": lambda row, _: row.mean_cycles,
    "fmax": lambda row, _: _fmax(row),
    "channel_fmax": lambda row, _: _channel_fmax(row),
    "period": lambda row, _: row.time(1),
    "slices": lambda row, _: _slices(row, row.channel_resources),
    "core_slices": lambda row, _: _slices(row, row.resources),
    "channel_dsp": lambda row, _: row.channel_resources.get("dsp"),
    "channel_ns": lambda row, _: _channel_ns(row),
    "channel_cycles": lambda row, _: _channel_cycles(row),
    "logic_ns": lambda row, _: _path(row, "logic_ns"),
    "routing_ns": lambda row, _: _path(row, "routing_ns"),
    "ns": _time("most", 1),
    "ms": _time("most", 1e-6),
    "mean_us": _time("mean", 1e-3),
    "mean_ms": _time("mean", 1e-6),
    "mbits": _rate("interval", 1e6),
    "mean_mbits": _rate("mean", 1e6),
    "mean_kbits": _rate("mean", 1e3),
    "at": _area_time,
}
"""By name: a figure of a row and the document; None where it was not measured."""

SCHEDULED = ("cycles", "kcycles", "mean_cycles", "channel_cycles")
"""Figures that the schedule gives, so that they need no record."""

OF_CHANNEL = ("channel_fmax", "channel_dsp", "channel_ns", "logic_ns", "routing_ns", "slices")
"""Figures of one channel or a bare unit, which is measured by itself."""

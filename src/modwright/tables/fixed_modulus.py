# SPDX-License-Identifier: Apache-2.0
"""Multipliers with a fixed modulus by target, the fastest record of each multiplier, and the best of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..base.table import Table
from ..functions.modmul import FUNCTION
from ..measurement import protocol
from ..measurement.rows import Row
from ..pages.datasheet import count, cycles, figure
from ..report.evidence import NOT_RUN
from ..schedule.pace import FIXED, MOST
from ..synthesize.devices import DEVICES
from .cells import Column, fmax, measured, place_and_route

README_BITS, README_DEVICE = 256, DEVICES["85k"].part
"""Size and device of the tables of the fastest records."""


def _products(row: Row, time: float | None) -> str:
    """DSP blocks times nanoseconds, or why there are none."""
    return count(row.resources["dsp"] * time) if time is not None else _without(row)


def _without(row: Row) -> str:
    return NOT_RUN if row.timing == NOT_RUN else "–"


_CORE: tuple[Column, ...] = (
    ("core", lambda r: r.name),
    ("operands", lambda r: r.operands),
)
_CYCLES: tuple[Column, ...] = (
    ("cycles", lambda r: count(r.schedule["latency_cycles"])),
    ("interval", lambda r: at_full_rate(r, float, cycles)),
)
_AREA: tuple[Column, ...] = (
    ("LUT", lambda r: count(r.resources["lut"])),
    ("FF", lambda r: count(r.resources["ff"])),
    ("DSP", lambda r: count(r.resources["dsp"])),
)
_BLOCKS = tuple(column for column in _AREA if column[0] != "FF")
"""Areas that bound a core on most devices, for a table that fits a narrow page."""
_CLOCK: tuple[Column, ...] = (("Fmax, MHz", lambda r: fmax(r.timing)),)
_SHORT_CLOCK: tuple[Column, ...] = (("Fmax, MHz", lambda r: fmax(r.timing).replace(" to ", "–")),)
_TIMES: tuple[Column, ...] = (
    ("ns", lambda r: figure(r.latency_ns) if r.placed else _without(r)),
    ("DSP × ns", lambda r: _products(r, r.latency_ns)),
    ("DSP × ns at full rate", lambda r: at_full_rate(r, r.time, lambda time: _products(r, time))),
)
_SHORT: tuple[Column, ...] = (
    ("ns", lambda r: figure(r.latency_ns)),
    ("ns at full rate", lambda r: at_full_rate(r, r.time, figure)),
)
_CONSTANT: tuple[Column, ...] = (("constant latency", lambda r: "yes" if r.schedule["constant_time"] else "NO"),)
_MODULUS: tuple[Column, ...] = (("modulus", lambda r: r.modulus if len(r.modulus) < 20 else f"{r.modulus[:12]}…"),)
_CHANNEL: tuple[Column, ...] = (("Fmax of one channel", lambda r: fmax(r.channel)),)
_HOW: tuple[Column, ...] = (("place and route", lambda r: place_and_route(r.timing)),)
_BLOCK_CYCLES: tuple[Column, ...] = (
    ("DSP × cycles", lambda r: count(r.resources["dsp"] * r.schedule["latency_cycles"])),
    ("DSP × interval", lambda r: at_full_rate(r, lambda interval: r.resources["dsp"] * interval, count)),
)


def at_full_rate(row: Row, of: Callable[[float], float | None], show: Callable[[float | None], str]) -> str:
    """Figure that follows from the interval: where that varies, from its mean, and in brackets from the most of it.

    Without a mean it is the most, marked as such. The least is not a rate, and is not shown.
    """
    pace = row.pace
    text = show(of(pace.cycles))
    if pace.kind == FIXED or of(pace.cycles) is None:
        return text
    return f"{text} (most)" if pace.kind == MOST else f"{text} (most {show(of(float(pace.most)))})"


def fastest(rows: Sequence[Row]) -> list[Row]:
    """Fastest record, by the time of a product, of every multiplier of `README_BITS` that was placed.

    Records by the protocol come first, and one that departs from it stands for a core only where there is no other.
    """
    ours = (FUNCTION.name, README_BITS, README_DEVICE)
    placed = [row for row in rows if (row.function, row.bits, row.device) == ours and row.latency_ns is not None]
    best: dict[str, Row] = {}
    for row in sorted(placed, key=_by_protocol_and_time):
        best.setdefault(row.core, row)
    return list(best.values())


def _by_protocol_and_time(row: Row) -> tuple[bool, float]:
    return protocol.departs(row), row.latency_ns or 0


GOALS: Mapping[str, Callable[[Row], float | None]] = {
    "fastest": lambda r: r.latency_ns,
    "most products a second": lambda r: r.interval_ns,
    "fastest on residues": lambda r: r.latency_ns if r.operands == "RNS" else None,
    "fewest LUT": lambda r: r.resources["lut"],
    "least DSP × ns": lambda r: (r.resources["dsp"] * (r.latency_ns or 0)) or None,
    "fastest without DSP": lambda r: None if r.resources["dsp"] else r.latency_ns,
}
"""Goals that a core can be best at, with the figure of which it has the least; None where it does not count."""


def best(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Names of cores with what each is best at: those with a fixed modulus among all, those with a runtime one among
    themselves.

    A record that departs from the protocol is the best only where no other one counts.
    """
    found: dict[str, list[str]] = {}
    every = fastest(rows)
    for runtime in (False, True):
        among = [row for row in every if row.runtime_modulus] if runtime else every
        for goal, cost in GOALS.items():
            counted = [(protocol.departs(row), figure, row) for row in among if (figure := cost(row)) is not None]
            winner = min(counted, key=lambda each: (each[0], each[1], each[2].name), default=None)
            if winner is not None and winner[2].runtime_modulus == runtime:
                found.setdefault(winner[2].name, []).append(goal)
    return found


def readme(rows: Sequence[Row]) -> Table | str:
    """The multipliers that are best at something, of `fastest`."""
    goals = best(rows)
    goal: Column = ("best at", lambda r: ", ".join(goals[r.name]))
    shown = sorted((r for r in fastest(rows) if r.name in goals), key=lambda r: r.runtime_modulus)
    return measured(shown, (*_MODULUS, *_CORE, goal, *_CONSTANT, *_SHORT, *_BLOCKS, *_SHORT_CLOCK))


def each(rows: Sequence[Row]) -> Table | str:
    """The fastest record of each multiplier."""
    return measured(fastest(rows), _MODULUS + _CORE + _CONSTANT + _SHORT + _CYCLES + _BLOCKS + _SHORT_CLOCK)


def ecp5(rows: Sequence[Row]) -> Table | str:
    """Multipliers with a fixed modulus on ECP5, with times."""
    columns = _MODULUS + _CORE + _CYCLES + _AREA + _CLOCK + _TIMES + _CONSTANT + _CHANNEL + _HOW
    return measured(_with_fixed_modulus(rows, "ecp5"), columns)


OTHERS = ("nexus", "gowin")
"""Targets that are placed besides ECP5."""


def others(rows: Sequence[Row]) -> Table | str:
    """Multipliers of `README_BITS` that were placed on other families than ECP5."""
    placed = [row for row in rows if row.function == FUNCTION.name and row.target in OTHERS and row.placed]
    device: Column = ("device", lambda r: r.device)
    shown = sorted(
        (row for row in placed if row.bits == README_BITS), key=lambda row: (row.target, *_by_protocol_and_time(row))
    )
    return measured(shown, (device, *_MODULUS, *_CORE, *_CYCLES, *_AREA, *_CLOCK, *_SHORT, *_CONSTANT))


def xc7(rows: Sequence[Row]) -> Table | str:
    """Multipliers with a fixed modulus on series 7: areas and cycles, since nothing is placed there."""
    return measured(_with_fixed_modulus(rows, "xc7"), _MODULUS + _CORE + _CYCLES + _AREA + _BLOCK_CYCLES + _CONSTANT)


def _with_fixed_modulus(rows: Sequence[Row], target: str) -> list[Row]:
    return [r for r in rows if r.function == FUNCTION.name and not r.runtime_modulus and r.target == target]

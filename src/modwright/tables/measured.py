# SPDX-License-Identifier: Apache-2.0
"""The table of the measured cores of a function, as its `functions.MeasuredTable` says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..base.table import Table
from ..functions import Function, MeasuredTable
from ..measurement import protocol
from ..measurement.rows import Row
from ..pages.datasheet import count, cycles, figure
from ..report.evidence import NOT_KNOWN, NOT_RUN
from .cells import WORDS, constant_latency, fmax, placement_settings, versions

UNITS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds in a unit."""


@dataclass(frozen=True)
class Entry:
    """A row, and the row of the baseline for the same modulus and target, if there is one; see `MeasuredTable`."""

    row: Row
    baseline: Row | None
    spec: MeasuredTable

    def time(self, unit: str, cycles_of: float | None) -> float | None:
        """Time of that number of cycles at the clock rate; None without one."""
        nanoseconds = self.row.time(cycles_of)
        return None if nanoseconds is None else nanoseconds / UNITS[unit]

    @property
    def most(self) -> int:
        """Cycles of the longest operation."""
        return self.row.schedule["latency_cycles"]

    @property
    def name(self) -> str:
        """The core, or the one of another function that stands next to those of this one."""
        return f"{self.row.name}, {self.spec.reference_does}" if self.is_reference else self.row.name

    @property
    def is_reference(self) -> bool:
        """Whether the row is of the core of another function."""
        return self.row.request["core"] == self.spec.reference


def built_for(row: Row) -> str:
    """The field, curve or modulus of a core; where the modulus is an operand its width, and the curve that the width is
    of."""
    if not row.runtime_modulus or "curve" not in row.request:
        return row.modulus
    return f"any of {row.bits} bits, as {row.modulus}"


def times_area(of: int | None, time: float | None) -> float | None:
    """Their product; None without one of the two."""
    return None if of is None or time is None else of * time


def _rate(e: Entry) -> str:
    """Clock rate over the seeds; only rows of ECP5 are placed."""
    return fmax(e.row.timing) if e.row.target == "ecp5" else ""


def _resource(name: str) -> Callable[[Entry], str]:
    return lambda e: "" if e.row.resources.get(name) is None else count(e.row.resources[name])


def _better_by(e: Entry) -> str:
    """LUT × time of the baseline over the row's."""
    own = times_area(e.row.resources["lut"], e.row.latency_ns)
    other = None if e.baseline is None else times_area(e.baseline.resources["lut"], e.baseline.latency_ns)
    return f"{other / own:.2f}" if own and other else ""


def _over_baseline(e: Entry) -> str:
    return "" if e.baseline is None else f"{e.row.resources['lut'] / e.baseline.resources['lut']:.2f}"


def _mean(e: Entry) -> str:
    return NOT_KNOWN if e.row.mean_cycles is None else count(e.row.mean_cycles)


CELLS: Mapping[str, Callable[[Entry], str]] = {
    "bits": lambda e: str(e.row.bits),
    "modulus": lambda e: built_for(e.row),
    "core": lambda e: e.name,
    "target": lambda e: e.row.target,
    "cycles": lambda e: count(e.most),
    "cycles, mean": _mean,
    "at most": lambda e: count(e.most),
    "interval": lambda e: cycles(e.row.interval),
    "Fmax, MHz": _rate,
    "ns": lambda e: figure(e.time("ns", e.most)),
    "ms": lambda e: figure(e.time("ms", e.most), 3),
    "µs, mean": lambda e: figure(e.time("µs", e.row.mean_cycles), 2),
    "ms, mean": lambda e: figure(e.time("ms", e.row.mean_cycles), 3),
    "ms, at most": lambda e: figure(e.time("ms", e.most), 3),
    "LUT": _resource("lut"),
    "FF": _resource("ff"),
    "DSP": _resource("dsp"),
    "BRAM": _resource("bram"),
    "LUTRAM": _resource("lutram"),
    "LUT × ms": lambda e: count(times_area(e.row.resources["lut"], e.time("ms", e.most))),
    "LUT × µs": lambda e: figure(times_area(e.row.resources["lut"], e.time("µs", e.row.mean_cycles))),
    "LUT × s, at most": lambda e: figure(times_area(e.row.resources["lut"], e.time("s", e.most))),
    "DSP × µs": lambda e: figure(times_area(e.row.resources["dsp"], e.time("µs", e.row.mean_cycles))),
    "DSP × ms": lambda e: figure(times_area(e.row.resources["dsp"], e.time("ms", e.most))),
    "better by": _better_by,
    "LUT over baseline": _over_baseline,
    "constant latency": lambda e: constant_latency(e.row),
}
"""Cell of each column that a function can name."""


def measured_table(function: Function, rows: Iterable[Row]) -> Table | str:
    """Every measured core of a function on the targets that it names; `NOT_RUN` when there is none."""
    spec = function.table
    own = [r for r in rows if r.target in spec.targets and _is_shown(function, r)]
    moduli = {r.modulus for r in own if r.function == function.name}
    found = sorted((r for r in own if r.modulus in moduli), key=lambda r: _place(spec, r))
    if not found:
        return NOT_RUN
    entries = [Entry(row, _baseline(spec, found, row), spec) for row in found]
    cells = ([CELLS[name](entry) for name in spec.columns] for entry in entries)
    headings = (spec.headings.get(name, name) for name in spec.columns)
    return Table.of(headings, cells, WORDS, below=[_made(found)])


def _is_shown(function: Function, row: Row) -> bool:
    spec = function.table
    if row.function == function.name:
        return row.placed or not spec.placed
    options = row.request["options"]
    return row.request["core"] == spec.reference and spec.reference_options.items() <= options.items()


def _place(spec: MeasuredTable, row: Row) -> tuple[object, ...]:
    keys = {
        "bits": row.bits,
        "modulus": row.modulus,
        "target": spec.targets.index(row.target),
        "function": row.function,
        "cycles": row.schedule["latency_cycles"],
        "core": row.name,
    }
    return tuple(keys[name] for name in spec.order)


def _baseline(spec: MeasuredTable, rows: Iterable[Row], row: Row) -> Row | None:
    """The row of the baseline for the same modulus and target."""
    return next(
        (r for r in rows if (r.core, r.modulus, r.target) == (spec.baseline, row.modulus, row.target)),
        None,
    )


def _made(rows: list[Row]) -> str:
    """How rows were placed, and the versions of the tools."""
    return f"{placement_settings(rows)}{protocol.counts(rows)}{versions(rows)}"

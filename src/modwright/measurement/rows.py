# SPDX-License-Identifier: Apache-2.0
"""Measured records as rows: the figures that every table and comparison reads of a record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject, plain
from ..catalog import resolve_modulus
from ..contract import CYCLES, in_residues
from ..contract.request import Request
from ..prepared import Prepared, prepare
from ..prepared.registry import find, name_of_today
from ..report.evidence import NOT_PLACED, NOT_RUN, clock_rate
from ..schedule import Pace


@dataclass(frozen=True)
class Row:
    """Measurements of one request and one Verilog: one record, or several that complete each other.

    Parameters
    ----------
    request, schedule, resources : mapping
        Entries of the record.
    sha256 : str
        Digest of the Verilog.
    timing, channel : mapping or str
        Place and route of the whole core and of one channel; "not run" where there is none.
    tools : mapping
        Versions of the tools.
    channel_resources : mapping
        Resources of one channel; empty where it was not measured alone.
    liberty : str
        Cell library, of target asic: a preset or the name of its file; empty where the gates are of none.
    """

    request: JsonMapping
    schedule: JsonMapping
    resources: JsonMapping
    sha256: str
    timing: Any
    channel: Any
    tools: Mapping[str, str]
    channel_resources: Mapping[str, int] = field(default_factory=dict[str, int])
    liberty: str = ""

    @classmethod
    def of(cls, record: JsonMapping) -> Row:
        """The row of one record, whose core may have a former name."""
        return cls(
            request={**record["request"], "core": name_of_today(record["request"]["core"])},
            schedule=record["schedule"],
            resources=record["resources"],
            sha256=record["verilog"]["sha256"],
            timing=record["timing"],
            channel=record["channel_timing"],
            tools=record["tools"],
            channel_resources=record.get("channel_resources", {}),
            liberty=record.get("liberty", ""),
        )

    @property
    def function(self) -> str:
        """Function of the core: the part of its name before the slash."""
        return self.request["core"].partition("/")[0]

    @property
    def core(self) -> str:
        """The core's name without its function."""
        return self.request["core"].partition("/")[2]

    @property
    def name(self) -> str:
        """Core, options, flow and cell library, in Markdown."""
        words = " ".join(f"`{word}`" for word in (self.core, *options_of(self.request)))
        return words + self._flow

    @property
    def label(self) -> str:
        """Core, options, flow and cell library, in plain text."""
        words = " ".join((self.core, *options_of(self.request)))
        return words + self._flow

    @property
    def _flow(self) -> str:
        """Departures from the usual flow, and the cell library, each behind a comma."""
        words = ("wide LUTs" if self.wide_lut else "", *self.form, self.liberty)
        return "".join(f", {word}" for word in words if word)

    @property
    def form(self) -> tuple[str, ...]:
        """Forms of gates, in words (`forms.Form`)."""
        words = self.resources.get("rules", {}).get("form", "")
        return tuple(words.split(", ")) if words else ()

    @property
    def operands(self) -> str:
        """See `operands_of`."""
        return operands_of(self.request)

    @property
    def modulus(self) -> str:
        """The name of the field or curve, the modulus in hex, or the width of any."""
        return self._named or f"any of {self.bits} bits"

    @property
    def _named(self) -> str | None:
        """Modulus of the request, in words."""
        return next((self.request[key] for key in ("field", "curve", "modulus") if key in self.request), None)

    @property
    def bits(self) -> int:
        """Width of the modulus."""
        width = find(self.request["core"]).sizing("modulus")
        if width is not None and (own := self.request["options"].get(width.name)):
            return own
        named = self._named
        return resolve_modulus(named).value.bit_length() if named else 0

    @property
    def runtime_modulus(self) -> bool:
        """Whether the modulus is an operand."""
        return find(self.request["core"]).runtime_modulus

    @property
    def target(self) -> str:
        """The family it was synthesised for; the request's is that of the multiplier units (`synthesize.RTL_OF`)."""
        return self.resources["target"]

    @property
    def wide_lut(self) -> bool:
        """Whether LUT4 were joined to wider LUTs. A record without the entry is older than the option, and joined
        them."""
        return self.resources.get("wide_lut", self.target == "ecp5")

    @property
    def device(self) -> str:
        """The part that the whole core was placed on, or was to be."""
        return NOT_RUN if self.timing == NOT_RUN else self.timing["device"]

    @property
    def placed(self) -> bool:
        """Whether the whole core was placed and routed."""
        return self.timing != NOT_RUN and self.timing["status"] != NOT_PLACED

    @property
    def mean_cycles(self) -> float | None:
        """Latency in cycles over random operands; None where it is not known."""
        if self.schedule["constant_time"]:
            return self.schedule["latency_cycles"]
        mean = self.schedule.get("mean_latency_cycles")
        return mean if isinstance(mean, int | float) else None

    @property
    def burst(self) -> int:
        """Operations that share the core in one interval."""
        return self.schedule.get("burst", 1)

    @property
    def pace(self) -> Pace:
        """Cycles between two operations at full rate; a record holds the least interval and the most cycles."""
        schedule = self.schedule
        return Pace.of(
            schedule["interval_cycles"],
            schedule["latency_cycles"],
            self.burst,
            schedule["constant_time"],
            self.mean_cycles,
        )

    @property
    def interval(self) -> float:
        """Cycles between two operations at full rate, as `Pace.cycles` says: the mean or the most, never the least."""
        return self.pace.cycles

    @property
    def clock_rate(self) -> float | None:
        """Clock rate in MHz of the whole core, see `evidence.clock_rate`; None where it was not placed."""
        return clock_rate(self.timing) if self.placed else None

    def time(self, cycles: float | None) -> float | None:
        """Nanoseconds of that number of cycles at the clock rate of the whole core; None without one."""
        return None if self.clock_rate is None or cycles is None else cycles * 1e3 / self.clock_rate

    @property
    def latency_ns(self) -> float | None:
        """Nanoseconds of the latency, the longest where it varies."""
        return self.time(self.schedule["latency_cycles"])

    @property
    def interval_ns(self) -> float | None:
        """Nanoseconds between two operations at full rate, of `interval`."""
        return self.time(self.interval)


def with_sampled_means(rows: Iterable[Row], statistics: Iterable[JsonMapping]) -> list[Row]:
    """The rows; those whose mean cycles no theory gives have the mean of sampled ones, where there are any.

    A campaign counts cycles themselves, or a quantity on which they depend, such as passes: then its cycles
    are the schedule's for the mean of the count.
    """
    rows = list(rows)
    cores = {row.request["core"] for row in rows}
    sampled = {_key(s["request"]): s for s in statistics if s["request"]["core"] in cores}

    def filled(row: Row) -> Row:
        found = sampled.get(_key(row.request))
        mean = None if row.mean_cycles is not None or found is None else _mean_cycles(row, found)
        return row if mean is None else replace(row, schedule={**row.schedule, "mean_latency_cycles": mean})

    return [filled(row) for row in rows]


def _mean_cycles(row: Row, sampled: JsonMapping) -> float | None:
    core = find(row.request["core"])
    return _sampled(sampled, lambda: prepare(core, Request.from_mapping(core, row.request)))


def _sampled(sampled: JsonMapping, make: Callable[[], Prepared]) -> float | None:
    """Mean cycles from a sampled count; the core is derived only where its schedule is needed."""
    mean = sampled["measured"]["mean"]
    if sampled["statistic"] == CYCLES:
        return mean
    cycles = make().latency_at(Fraction(mean))
    return None if cycles is None else round(float(cycles), 2)


def sampled_latency(prepared: Prepared, statistics: Iterable[JsonMapping]) -> tuple[float, int] | None:
    """Mean cycles of an operation, and of how many samples; None where the core was not sampled."""
    own = plain(prepared.request.to_mapping())
    of_core = (statistic for statistic in statistics if statistic["request"]["core"] == own["core"])
    found = next((record for record in of_core if _key(record["request"]) == _key(own)), None)
    mean = None if found is None else _sampled(found, lambda: prepared)
    return None if found is None or mean is None else (mean, found["samples"])


def _key(request: JsonMapping) -> str:
    """Parts of a request that decide its cycles: all but its target; of the options those that are not the default."""
    parts = {key: value for key, value in request.items() if key not in ("target", "options")}
    return json.dumps(parts | {"options": changed(request)}, sort_keys=True)


def load(folder: Path, pattern: str = "*.json") -> dict[str, JsonObject]:
    """Every record of a folder by its path in it, in order; UsageError when one cannot be read."""
    records = {}
    for path in sorted(folder.glob(pattern)):
        try:
            records[path.relative_to(folder).as_posix()] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {path}: {error}") from error
    return records


def rows_of(records: Iterable[JsonMapping]) -> list[Row]:
    """Rows in order of modulus, core and options; records of one request and one Verilog are joined.

    Two measurements of the same thing, say with different routers, stay two rows.
    """
    rows: list[Row] = []
    for row in map(Row.of, records):
        joined = next((n for n, other in enumerate(rows) if _complete(other, row)), None)
        if joined is None:
            rows.append(row)
        else:
            rows[joined] = _join(rows[joined], row)
    return sorted(rows, key=lambda r: (r.modulus, r.core, options_of(r.request), str(r.timing)))


def _complete(one: Row, other: Row) -> bool:
    """Whether two rows are of the same Verilog and flow, and no kind of place and route is in both."""
    same = all(
        getattr(one, name) == getattr(other, name)
        for name in ("request", "sha256", "tools", "wide_lut", "form", "liberty")
    )
    return same and all(NOT_RUN in pair for pair in ((one.timing, other.timing), (one.channel, other.channel)))


def _join(one: Row, other: Row) -> Row:
    timing = other.timing if one.timing == NOT_RUN else one.timing
    channel = other.channel if one.channel == NOT_RUN else one.channel
    return replace(
        one, timing=timing, channel=channel, channel_resources=one.channel_resources or other.channel_resources
    )


_RESIDUES, _BINARY = "rns", "binary"
"""Values of the option `io`."""


def operands_of(request: JsonMapping) -> str:
    """Representation of operands and results: residues or binary."""
    options = request["options"]
    io = options.get("io", _RESIDUES if _in_residues(request["core"]) else _BINARY)
    result = ", exact" if options.get("output") == "exact" and io == _RESIDUES else ""
    return {_RESIDUES: "RNS", _BINARY: "binary"}[io] + result


@cache
def _in_residues(name: str) -> bool:
    return in_residues(find(name).smallest().i)


def options_of(request: JsonMapping) -> list[str]:
    """`name=value` of the options that differ from the core's defaults; those with columns of their own excepted."""
    return [word for word in changed(request) if word.partition("=")[0] not in ("io", "output", "bits")]


def changed(request: JsonMapping) -> list[str]:
    """`name=value` of every option that differs from the core's default."""
    defaults = {option.name: option.default for option in find(request["core"]).options}
    given = request["options"].items()
    return [f"{name}={_word(value)}" for name, value in given if value != defaults[name]]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

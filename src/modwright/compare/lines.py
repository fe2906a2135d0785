# SPDX-License-Identifier: Apache-2.0
"""Lines of a comparison: measured cores, cores that were not run, and third-party Verilog, under the same names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn

from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject
from ..measurement import Row, mean_latency
from ..measurement.rows import operands_of, options_of
from ..prepared import Prepared
from ..report.evidence import NOT_PLACED, NOT_RUN, Placed, conditions, seed_rates
from ..schedule.pace import FIXED, Pace

MEASURED, COUNTED, STATED, FAILED = "measured", "area only", "cycles stated", "failed"

NO_WIRES = "no wires"
"""Condition of a clock rate of gates."""

FRONTS = {"latency": "ns", "throughput": "interval_ns"}
"""Times that a front may have: that of one operation alone, or that between two at full rate; never the least."""


@dataclass(frozen=True)
class Line:
    """One architecture in a comparison. Unknown entries are None, with the reason in `source`.

    Parameters
    ----------
    label : str
        Architecture, and what differs from its defaults.
    core : str
        `function/architecture`; empty for third-party Verilog.
    source : str
        `MEASURED`: placed and routed; `COUNTED`: synthesised, so that only its area is measured; `STATED`: area and
        clock rate measured, cycles as their author states; "not run"; "not placed"; or `FAILED`.
    note : str
        Reason for which it was not placed or failed.
    operands : str
        "RNS" or "binary", with the form of the result.
    clocks, mean_clocks : float or None
        Latency (the most where it varies), and its mean over random operands.
    interval, interval_most : float or None
        Cycles between two operations at full rate, of a burst those of one of them: what rates are computed from, and
        the most.
    interval_kind : str
        Kind of `interval`: "fixed"; "mean", exact or sampled; "most", where no mean is known; empty without one.
    lut, ff, dsp, bram, nand2 : int or None
        Area of the bare core.
    fmax_mhz, fmax_median, fmax_least : float or None
        Clock rates of the whole core: best, median and least over the seeds that were placed.
    conditions : str
        Number of seeds, and router and harness where they are not the usual ones; see `evidence.conditions`. Of gates
        that there are no wires.
    constant_latency : bool or None
        Computed from the schedule; None where it is not stated.
    device : str
        Part or cell library of the clock rate.
    front : bool
        Whether no other line is better, see `marked`.
    id : str
        Digest of the Verilog.
    request : mapping or None
        Request of a core.
    """

    label: str
    core: str
    source: str
    note: str = ""
    operands: str = ""
    clocks: float | None = None
    mean_clocks: float | None = None
    interval: float | None = None
    interval_most: float | None = None
    interval_kind: str = ""
    lut: int | None = None
    ff: int | None = None
    dsp: int | None = None
    bram: int | None = None
    nand2: int | None = None
    fmax_mhz: float | None = None
    fmax_median: float | None = None
    fmax_least: float | None = None
    conditions: str = ""
    constant_latency: bool | None = None
    device: str = ""
    front: bool = False
    id: str = ""
    request: JsonMapping | None = None

    @property
    def clock_rate(self) -> float | None:
        """Clock rate in MHz that times are computed from: the median over the seeds, or the only one."""
        return self.fmax_median or self.fmax_mhz

    @property
    def ns(self) -> float | None:
        """Nanoseconds of one operation: cycles over the clock rate."""
        return self._time(self.clocks)

    @property
    def interval_ns(self) -> float | None:
        """Nanoseconds between two operations at full rate."""
        return self._time(self.interval)

    @property
    def per_second(self) -> float | None:
        """Operations in a second at full rate."""
        return None if self.interval_ns is None else 1e9 / self.interval_ns

    @property
    def dsp_ns(self) -> float | None:
        """Multiplier blocks times latency."""
        return None if self.ns is None or self.dsp is None else self.dsp * self.ns

    @property
    def lut_ns(self) -> float | None:
        """LUTs times latency."""
        return None if self.ns is None or self.lut is None else self.lut * self.ns

    def _time(self, clocks: float | None) -> float | None:
        return None if clocks is None or self.clock_rate is None else clocks * 1e3 / self.clock_rate

    def to_json(self) -> JsonObject:
        """Every figure, those that follow with them; `constant_time` is an older name of `constant_latency`."""
        derived = ("ns", "interval_ns", "per_second", "dsp_ns", "lut_ns")
        figures = {name: getattr(self, name) for name in derived}
        return {**asdict(self), **figures, "constant_time": self.constant_latency}


def of_row(row: Row) -> Line:
    """The line of a measured record."""
    source, note = (MEASURED, "") if row.placed else (COUNTED, "")
    if row.timing != NOT_RUN and not row.placed:
        source, note = NOT_PLACED, row.timing["reason"]
    timing: Any = row.timing
    placed = timing if row.placed else {}
    return Line(
        label=row.label,
        core=row.request["core"],
        source=source,
        note=note,
        operands=row.operands,
        clocks=row.schedule["latency_cycles"],
        mean_clocks=row.mean_cycles,
        **_paced(row.pace),
        lut=row.resources.get("lut"),
        ff=row.resources.get("ff"),
        dsp=row.resources.get("dsp"),
        bram=row.resources.get("bram"),
        nand2=row.resources.get("nand2"),
        fmax_mhz=placed.get("fmax_mhz"),
        fmax_median=placed.get("fmax_median"),
        **asdict(_Seeds.of(timing) if row.placed else _Seeds()),
        constant_latency=row.schedule["constant_time"],
        device="" if row.timing == NOT_RUN else row.timing["device"],
        id=row.sha256,
        request=row.request,
    )


@dataclass(frozen=True)
class _Seeds:
    """The fields of a line that say how its clock rate came about."""

    fmax_least: float | None = None
    conditions: str = ""

    @classmethod
    def of(cls, timing: Placed) -> _Seeds:
        words = ", ".join(conditions(timing)) if "per_seed" in timing else NO_WIRES
        return cls(min(seed_rates(timing), default=None), words)


def _paced(pace: Pace) -> JsonObject:
    """The fields of a line that say how operations follow each other."""
    return {"interval": pace.cycles, "interval_most": float(pace.most), "interval_kind": pace.kind}


def of_prepared(prepared: Prepared) -> Line:
    """The line of a core of which nothing was measured: its cycles are the schedule's, their mean the exact or the
    sampled one."""
    mean, schedule = mean_latency(prepared)[0], prepared.schedule
    request = prepared.request.to_mapping()
    return Line(
        label=" ".join((prepared.core.name.partition("/")[2], *options_of(request))),
        core=prepared.core.name,
        source=NOT_RUN,
        operands=operands_of(request),
        clocks=schedule.latency,
        mean_clocks=mean,
        **_paced(schedule.pace_at(mean)),
        constant_latency=schedule.constant_time,
        request=request,
    )


RECORD = "modwright-rtl/1"

_ANEW = "what `modwright synth-rtl .. --json` prints"

_MOST = 2**53
"""Largest count that a double holds exactly; figures are computed in doubles."""


def of_foreign(record: JsonMapping, target: str, name: str = "") -> Line:
    """The line of what `modwright synth-rtl` measured.

    Raises
    ------
    UsageError
        When it is not such a record, or one of another family, or a field is missing or has an impossible value.
    """
    if record.get("format") != RECORD:
        raise UsageError(f"a row of third-party Verilog is {_ANEW}")
    read = _Fields(record, name)
    rtl = read.text("rtl")
    if read.text("target") != target:
        raise UsageError(f"{rtl} was measured on {record['target']}, and the comparison is on {target}")
    placed = _Fields(_placement(read), name)
    note, cycles, interval = placed.text("reason", ""), read.count("cycles", least=1), read.count("interval", least=1)
    source = NOT_PLACED if note else STATED if cycles is not None else MEASURED
    return Line(
        label=name or rtl,
        core="",
        source=source if placed.record else COUNTED,
        note=note,
        clocks=cycles,
        mean_clocks=cycles,
        interval=interval,
        interval_most=interval,
        interval_kind="" if interval is None else FIXED,
        lut=read.count("lut", None),
        ff=read.count("ff", None),
        dsp=read.count("dsp", None),
        bram=read.count("bram", None),
        nand2=read.count("nand2", None),
        fmax_mhz=read.rate("fmax_mhz"),
        fmax_median=placed.rate("fmax_median", None) or read.rate("fmax_mhz"),
        device=placed.text("device", ""),
        id=read.text("sha256"),
    )


def of_peer(record: JsonMapping) -> Line:
    """The line of an open core of others whose record comes with Modwright: what it is in the label and the note."""
    peer = record["peer"]
    line = of_foreign(record, record["target"], f"{peer['title']} (third party)")
    cycles = f"cycles: {record['cycles_source']}"
    seeds = _Seeds() if line.fmax_mhz is None else _Seeds.of(record["place_and_route"])
    return replace(line, note="; ".join(text for text in (line.note, peer["note"], cycles) if text), **asdict(seeds))


def _placement(read: _Fields) -> JsonMapping:
    """Part that was placed, or the reason why none was; empty where nothing was tried."""
    placed = read.value("place_and_route")
    if isinstance(placed, dict):
        return placed
    if placed != NOT_RUN:
        read.refuse("place_and_route", placed, f"a mapping or {NOT_RUN!r}")
    return {}


class _Fields:
    """The fields of a record that anybody may have written; a UsageError names the record, the field and its rule."""

    _NEEDED = object()

    def __init__(self, record: JsonMapping, name: str) -> None:
        self.record = record
        self._name = name or str(record.get("rtl") or "without a name")

    def refuse(self, field: str, value: object, rule: str) -> NoReturn:
        shown = json.dumps(value, default=str)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}.."
        raise UsageError(f"record {self._name}: {field} is {shown}, and has to be {rule}", _ANEW)

    def value(self, field: str, missing: object = _NEEDED) -> Any:
        """A field, or what stands for it where it is missing; without one it has to be there."""
        if field not in self.record and missing is self._NEEDED:
            raise UsageError(f"record {self._name} has no field {field}", _ANEW)
        return self.record.get(field, missing)

    def text(self, field: str, missing: object = _NEEDED) -> str:
        """A text."""
        value = self.value(field, missing)
        if not isinstance(value, str):
            self.refuse(field, value, "a text")
        return value

    def count(self, field: str, missing: object = _NEEDED, least: int = 0) -> int | None:
        """An integer, least .. `_MOST`, or None; True and False are none."""
        value = self.value(field, missing)
        if value is not None and (type(value) is not int or not least <= value <= _MOST):
            self.refuse(field, value, f"null or an integer from {least} to 2^53")
        return value

    def rate(self, field: str, missing: object = _NEEDED) -> float | None:
        """A finite number above 0, or None."""
        value = self.value(field, missing)
        if value is not None and (type(value) not in (int, float) or not 0 < value <= _MOST):
            self.refuse(field, value, "null or a number above 0, at most 2^53")
        return value


def marked(lines: Iterable[Line], front: str = "latency") -> list[Line]:
    """The lines with those marked that no other one beats.

    A line is beaten by one that has no more of each cost and less of one. The costs are the time (see `FRONTS`), and
    LUTs and blocks, or gates where there are such, which only those of the same library beat. Lines without one of them
    are on no front.
    """
    given = [(line, _cells(line), _costs(line, FRONTS[front])) for line in lines]
    return [
        replace(
            line,
            front=own is not None and not any(other and cells == of and _beats(other, own) for _, of, other in given),
        )
        for line, cells, own in given
    ]


def _cells(line: Line) -> str:
    """Cell library of gates."""
    return "" if line.nand2 is None else line.device


def _costs(line: Line, time: str) -> tuple[float, ...] | None:
    area = (line.nand2,) if line.nand2 is not None else (line.lut, line.dsp)
    costs = tuple(cost for cost in (getattr(line, time), *area) if cost is not None)
    return costs if len(costs) == 1 + len(area) else None


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return (
        len(one) == len(other) and all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)
    )


def ordered(lines: Iterable[Line], key: str) -> list[Line]:
    """Lines by a figure, least first (of a rate, most first); those without it last, by name."""
    sign = -1 if key in ("per_second", "fmax_mhz", "fmax_median", "fmax_least") else 1

    def place(line: Line) -> tuple[bool, Any, str]:
        value = getattr(line, key)
        if isinstance(value, str):
            return False, value, line.label
        return value is None, 0 if value is None else sign * value, line.label

    return sorted(lines, key=place)

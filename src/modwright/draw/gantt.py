# SPDX-License-Identifier: Apache-2.0
"""The schedule as a Gantt chart: resources down, cycles across, and the next operation as a ghost.

Two operations that start an initiation interval apart never want one resource in one cycle, so the ghosts of
the next operation fall into the gaps between the bars of this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from ..base.json import JsonObject
from .svg import add, fit, picture, render, width_of

_PLOT = 960.0  # width of the plot when the cycles fill it
_WIDEST = 2400.0  # of the plot, however many cycles there are
_CYCLE = (9.0, 44.0)  # least and greatest width of a cycle, while the plot is not at its widest
_SMALL = 10.0  # size of small text
_BAR = 20.0  # height of a bar
_LANE = 5.0  # distance of the lines that show when results can be read
_LANES = 10  # of these, below a row; further ones start again at the first
_PAD = 7.0  # above and below a row
_TOP = 58.0  # marks and axis
_LEAST = 3.0  # width below which neighbouring steps are drawn as one
_MARGIN = 14.0
_NARROWEST = 600.0  # of the picture: the legend needs as much


@dataclass(frozen=True)
class _Bar:
    """One step, or several that are too narrow to be drawn apart."""

    names: tuple[str, ...]
    start: int
    stop: int
    """First cycle after the last busy one."""
    read: int
    """First cycle in which the last result can be read."""
    data: bool
    """One of the steps depends on operand values."""

    @property
    def name(self) -> str:
        if len(self.names) == 1:
            return self.names[0]
        return f"{len(self.names)} steps: {self.names[0]} … {self.names[-1]}"

    @property
    def tooltip(self) -> str:
        busy = f"cycle {self.start}" if self.stop == self.start + 1 else f"cycles {self.start}–{self.stop - 1}"
        note = ", depends on operand values" if self.data else ""
        return f"{self.name}: busy in {busy}, result readable in cycle {self.read}{note}"


@dataclass(frozen=True)
class _Row:
    """One resource."""

    resource: str
    bars: tuple[_Bar, ...]
    top: float

    @cached_property
    def lanes(self) -> tuple[int, ...]:
        """Lane of each bar's line to its result, so that lines in one lane do not overlap."""
        ends: list[int] = []
        result = []
        for bar in self.bars:
            if bar.read <= bar.stop:
                result.append(-1)
                continue
            lane = next((n for n, end in enumerate(ends) if end < bar.start), len(ends))
            ends[lane : lane + 1] = [bar.read]
            result.append(lane % _LANES)
        return tuple(result)

    @property
    def height(self) -> float:
        lanes = 1 + max(self.lanes)
        return 2 * _PAD + _BAR + (lanes * _LANE + 1 if lanes else 0)

    @property
    def busy(self) -> int:
        """Cycles for which one operation keeps the resource busy, when no steps were joined."""
        return sum(bar.stop - bar.start for bar in self.bars)


class _Chart:
    """Positions in the picture: x by cycle, y by row."""

    def __init__(self, report: JsonObject) -> None:
        self.schedule = report["schedule"]
        self.latency, self.interval = self.schedule["latency"], self.schedule["interval"]
        self.constant = self.schedule["constant_latency"]
        steps = self.schedule["steps"]
        last = max(s["start"] + max(s["busy"], s["latency"]) for s in steps)
        self.cycles = 1 + max(self.latency, self.interval, last)
        width = min(max(_PLOT / self.cycles, _CYCLE[0]), _CYCLE[1])
        self.cycle = min(width, _WIDEST / self.cycles)
        self.rows = self._rows(steps, set(report["contract"]["data_dependent"]))
        self.used = {name: sum(s["busy"] for s in steps if s["resource"] == name) for name in self._names(steps)}
        shown = max(max(width_of(name), width_of(self.load(name), _SMALL)) for name in self.used)
        self.left = _MARGIN + min(shown, 190.0) + 12
        self.right = self.x(self.cycles)
        self.width = max(self.right + _MARGIN, _NARROWEST)
        self.bottom = self.rows[-1].top + self.rows[-1].height

    @staticmethod
    def _names(steps: Iterable[JsonObject]) -> list[str]:
        """Resources in order of first use."""
        return list(dict.fromkeys(s["resource"] for s in sorted(steps, key=lambda s: s["start"])))

    def _rows(self, steps: Sequence[JsonObject], data: set[str]) -> list[_Row]:
        rows, top = [], _TOP
        for name in self._names(steps):
            own = sorted((s for s in steps if s["resource"] == name), key=lambda s: s["start"])
            row = _Row(name, tuple(_join(own, _LEAST / self.cycle, data)), top)
            rows.append(row)
            top += row.height
        return rows

    def x(self, cycle: float) -> float:
        """Left edge of a cycle."""
        return self.left + cycle * self.cycle

    def load(self, resource: str) -> str:
        """Cycles of the least initiation interval in which the resource works."""
        return f"busy {self.used[resource]} of {self.interval}"


def _join(steps: Iterable[JsonObject], least: float, data: set[str]) -> Iterable[_Bar]:
    """Bars of one row; steps that start less than `least` cycles after the one before are drawn with it."""
    held: list[JsonObject] = []
    for step in steps:
        if held and step["start"] - held[-1]["start"] >= least:
            yield _bar(held, data)
            held = []
        held.append(step)
    yield _bar(held, data)


def _bar(steps: Sequence[JsonObject], data: set[str]) -> _Bar:
    return _Bar(
        tuple(s["name"] for s in steps),
        steps[0]["start"],
        max(s["start"] + s["busy"] for s in steps),
        max(s["start"] + s["latency"] for s in steps),
        any(s["name"] in data for s in steps),
    )


def gantt(report: JsonObject) -> str:
    """Draw the schedule of a report as SVG.

    Parameters
    ----------
    report : dict
        Report of `build_report`; its schedule and contract are read.

    Returns
    -------
    str
        A self-contained SVG. A bar spans the cycles in which the step keeps its resource busy; the line below
        it ends where the result can be read; dashed bars are the next operation's.
    """
    chart = _Chart(report)
    height = chart.bottom + 34
    root = picture("gantt", chart.width, height, f"Schedule of {report['core']}", _description(chart))
    for row in chart.rows:
        _draw_band(root, chart, row)
    _draw_axis(root, chart)
    _draw_marks(root, chart)
    for row in chart.rows:
        _draw_ghosts(root, chart, row)
        _draw_bars(root, chart, row)
    _draw_legend(root, chart, height - 12, any(bar.data for row in chart.rows for bar in row.bars))
    return render(root)


def axis(report: JsonObject) -> tuple[float, float, float]:
    """Left edge of cycle 0, width of a cycle and lower end of the rows, in the units of the picture of a report."""
    chart = _Chart(report)
    return chart.left, chart.cycle, chart.bottom


def _description(chart: _Chart) -> str:
    count = len(chart.schedule["steps"])
    return (
        f"{count} step{'s' * (count != 1)} on {len(chart.rows)} resource{'s' * (len(chart.rows) != 1)}. "
        f"The result is valid {'' if chart.constant else 'at most '}{chart.latency} cycles after the input transfer; "
        f"the next operation can start {'' if chart.constant else 'at the earliest '}after {chart.interval}."
    )


def _draw_band(root: Element, chart: _Chart, row: _Row) -> None:
    """The background of every other row, and the label."""
    if chart.rows.index(row) % 2 == 0:
        add(root, "rect", kind="band", x=0, y=row.top, width=chart.width, height=row.height)
    room = chart.left - _MARGIN - 10
    middle = row.top + _PAD + _BAR / 2
    add(
        root,
        "text",
        fit(row.resource, room),
        kind="ink strong",
        x=_MARGIN,
        y=middle - 2,
    )
    add(root, "text", fit(chart.load(row.resource), room, _SMALL), kind="soft small", x=_MARGIN, y=middle + 10)


def _draw_axis(root: Element, chart: _Chart) -> None:
    """Cycle numbers, as dense as they stay legible, each above the middle of its cycle."""
    widest = width_of(str(chart.cycles), _SMALL) + 10
    step = next(s for s in _round_steps() if s * chart.cycle >= widest)
    for cycle in range(0, chart.cycles, step):
        x = chart.x(cycle)
        add(root, "path", kind="grid", d=_line(x, _TOP - 4, x, chart.bottom))
        add(root, "text", str(cycle), kind="soft small middle", x=x + chart.cycle / 2, y=_TOP - 8)
    add(root, "path", kind="grid", d=_line(chart.left, chart.bottom, chart.right, chart.bottom))


def _round_steps() -> Iterable[int]:
    """Round distances: 1, 2, 5, 10, 20, 50, ..."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _draw_ghosts(root: Element, chart: _Chart, row: _Row) -> None:
    """The busy cycles of the next operation, as far as the axis goes."""
    for bar in row.bars:
        start, stop = bar.start + chart.interval, min(bar.stop + chart.interval, chart.cycles)
        if start < stop:
            add(
                root,
                "rect",
                kind="ghost",
                x=chart.x(start) + 1,
                y=row.top + _PAD + 1,
                width=(stop - start) * chart.cycle - 2 if chart.cycle > _LEAST else (stop - start) * chart.cycle,
                height=_BAR - 2,
                rx=2,
            )


def _draw_bars(root: Element, chart: _Chart, row: _Row) -> None:
    """Busy cycles, the lines to the results, and names where they fit."""
    top = row.top + _PAD
    obstacles = [bar.start + chart.interval for bar in row.bars] + [chart.interval, chart.latency]
    limits = [chart.x(bar.start) for bar in row.bars[1:]] + [chart.right]
    for bar, lane, limit in zip(row.bars, row.lanes, limits, strict=True):
        suffix = "data" if bar.data else "busy"
        group = add(root, "g", kind="step", title=bar.tooltip)
        x, width = chart.x(bar.start), (bar.stop - bar.start) * chart.cycle
        if lane >= 0:
            y = top + _BAR + 1 + (lane + 0.5) * _LANE
            read = chart.x(bar.read)
            add(group, "path", kind="wait-data" if bar.data else "wait", d=_line(x + 1, y, read - 2, y))
            add(group, "circle", kind="read-data" if bar.data else "read", cx=read - 2, cy=y, r=2)
        add(group, "rect", kind=suffix, x=x, y=top, width=width, height=_BAR, rx=3)
        limit = min([limit] + [chart.x(cycle) for cycle in obstacles if cycle >= bar.stop])
        _draw_name(group, bar.name, x, width, limit, top + _BAR / 2 + 4)


def _draw_name(group: Element, name: str, x: float, width: float, limit: float, y: float) -> None:
    """The name in its bar when it fits, else next to it where there is more room; else in the tooltip alone."""
    if width_of(name) <= width - 6:
        add(group, "text", name, kind="on-busy middle", x=x + width / 2, y=y)
    elif (room := limit - x - width - 8) > width and (short := fit(name, room)):
        add(group, "text", short, kind="ink", x=x + width + 4, y=y)
    elif short := fit(name, width - 4):
        add(group, "text", short, kind="on-busy middle", x=x + width / 2, y=y)


def _draw_marks(root: Element, chart: _Chart) -> None:
    """Marks where the result becomes valid and where the next operation starts, each in its own line of text."""
    latest, earliest = ("", "") if chart.constant else ("at the latest ", "at the earliest ")
    marks = (
        (chart.latency, f"result valid: {latest}cycle {chart.latency}", "mark", 14.0),
        (chart.interval, f"next operation: {earliest}cycle {chart.interval}", "mark-next", 30.0),
    )
    for cycle, text, kind, y in marks:
        x = chart.x(cycle)
        add(root, "path", kind=kind, d=_line(x, y - 9, x, chart.bottom))
        if x + 6 + width_of(text) <= chart.width:
            add(root, "text", text, kind="ink", x=x + 6, y=y)
        else:
            add(root, "text", text, kind="ink end", x=x - 6, y=y)


def _draw_legend(root: Element, chart: _Chart, y: float, data: bool) -> None:
    """Legend of bars, lines and dashes."""
    x = _MARGIN
    entries = [("busy", "busy"), ("wait", "until the result can be read"), ("ghost", "next operation")]
    if data:
        entries.insert(1, ("data", "depends on operand values"))
    for kind, text in entries:
        if kind == "wait":
            add(root, "path", kind=kind, d=_line(x, y - 4, x + 16, y - 4))
            add(root, "circle", kind="read", cx=x + 16, cy=y - 4, r=2)
        else:
            add(root, "rect", kind=kind, x=x, y=y - 9, width=18, height=10, rx=2)
        add(root, "text", text, kind="soft small", x=x + 24, y=y)
        x += 24 + width_of(text, _SMALL) + 10


def _line(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"

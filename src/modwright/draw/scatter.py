# SPDX-License-Identifier: Apache-2.0
"""Points over two logarithmic axes, with the front of each group drawn through those that no other point beats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ..base.words import counted
from .svg import add, fit, picture, render, width_of, wrap

_WIDTH, _HEIGHT = 720.0, 400.0  # of the plot
_LEFT, _RIGHT, _TOP, _BOTTOM = 72.0, 24.0, 56.0, 52.0
_RADIUS = 5.0
_ROOM = 1.25  # factor between an extreme point and the edge of the plot
_LABEL = 10.0  # font size of the names
_KEY = 190.0  # width of the key


_Place = tuple[float, float, float, float]
"""Left, right, top and bottom of something that a name may not cover."""


@dataclass(frozen=True)
class Point:
    """One point: its name, its key on the page, its two figures (positive), whether it is on the front, a text for its
    tooltip, and a word that it shares with those that it is compared with."""

    name: str
    key: str
    x: float
    y: float
    front: bool
    detail: str = ""
    group: str = ""


def scatter(points: Sequence[Point], title: str, x_axis: str, y_axis: str, name: str = "scatter") -> str:
    """SVG of points; a sentence in the plot where there are none.

    Parameters
    ----------
    points : sequence of Point
        Points with a figure on both axes.
    title, x_axis, y_axis : str
        Title of the picture, and the quantities along the axes.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    front = sum(point.front for point in points)
    root = picture(
        name,
        _LEFT + _WIDTH + _RIGHT,
        _TOP + _HEIGHT + _BOTTOM,
        title,
        f"{y_axis} over {x_axis} of {counted(len(points), 'design')}, {front} of them on the front; "
        "both axes are logarithmic.",
    )
    lines = wrap(title, _WIDTH, 2)
    for n, line in enumerate(lines):
        add(root, "text", line, kind="ink strong", x=_LEFT, y=26 if len(lines) == 1 else 16 + 14 * n)
    if not points:
        add(root, "text", "no design has both figures", kind="soft", x=_LEFT, y=_TOP + 24)
        return render(root)
    horizontal = _Axis([p.x for p in points], _LEFT, _LEFT + _WIDTH)
    vertical = _Axis([p.y for p in points], _TOP + _HEIGHT, _TOP)
    _axes(root, horizontal, vertical, x_axis, y_axis)
    for group in dict.fromkeys(p.group for p in points):
        _staircase(root, [p for p in points if p.front and p.group == group], horizontal, vertical)
    _key(root)
    taken = [_around(horizontal.at(point.x), vertical.at(point.y)) for point in points]
    for point in sorted(points, key=lambda p: (not p.front, p.x)):
        _draw(root, point, horizontal.at(point.x), vertical.at(point.y), taken)
    return render(root)


class _Axis:
    """A logarithmic axis from `start` to `end` in user units."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low, self.high = min(values) / _ROOM, max(values) * _ROOM
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Powers of ten, and as many of their multiples as fit without touching."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        span = math.log10(self.high / self.low)
        factors = (1, 1.5, 2, 3, 4, 5, 7) if span < 1.2 else (1, 2, 5) if span < 3 else (1,)
        for decade in decades:
            for factor in factors:
                value = factor * 10.0**decade
                if self.low <= value <= self.high:
                    yield value


def _axes(root: Element, horizontal: _Axis, vertical: _Axis, x_axis: str, y_axis: str) -> None:
    base, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    for value in horizontal.ticks():
        x = horizontal.at(value)
        add(root, "path", kind="grid", d=f"M{x:.1f} {_TOP:.1f}V{base:.1f}")
        add(root, "text", _short(value), kind="soft small middle", x=x, y=base + 16)
    for value in vertical.ticks():
        y = vertical.at(value)
        add(root, "path", kind="grid", d=f"M{_LEFT:.1f} {y:.1f}H{right:.1f}")
        add(root, "text", _short(value), kind="soft small end", x=_LEFT - 6, y=y + 4)
    add(root, "path", kind="wire", d=f"M{_LEFT:.1f} {_TOP:.1f}V{base:.1f}H{right:.1f}")
    add(root, "text", x_axis, kind="soft small end", x=right, y=base + 36)
    add(root, "text", fit(y_axis, _WIDTH - _KEY - 10, _LABEL), kind="soft small", x=_LEFT, y=_TOP - 10)


def _short(value: float) -> str:
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _staircase(root: Element, points: Sequence[Point], horizontal: _Axis, vertical: _Axis) -> None:
    """A line of steps through the best of the front in these two figures; the front has a third, so that points of
    it may lie above."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, p.y)):
        if not best or point.y < best[-1].y:
            best.append(point)
    if len(best) < 2:
        return
    steps = "".join(f"H{horizontal.at(p.x):.1f}V{vertical.at(p.y):.1f}" for p in best[1:])
    add(root, "path", kind="mark-next", d=f"M{horizontal.at(best[0].x):.1f} {vertical.at(best[0].y):.1f}{steps}")


def _draw(root: Element, point: Point, x: float, y: float, taken: list[_Place]) -> None:
    """A dot, with its name where it covers neither another name nor a dot: right of it, left of it, above or below."""
    group = add(root, "g", kind="point", title=f"{point.name}: {point.detail}", data_key=point.key, tabindex="0")
    add(group, "circle", kind="read" if point.front else "ghost", cx=x, cy=y, r=_RADIUS)
    width = width_of(point.name, _LABEL)
    high, low = (-5, 13) if point.front else (4, 16)  # above the line that leaves the front's dots
    for left, drop in ((False, high), (True, high), (False, low), (True, low)):
        start = x - width - 9 if left else x + 9
        place = start, start + width, y + drop - _LABEL, y + drop + 2
        if start < _LEFT or start + width > _LEFT + _WIDTH or any(_overlap(place, other) for other in taken):
            continue
        taken.append(place)
        kind = "ink small" if point.front else "soft small"
        add(group, "text", point.name, kind=f"{kind} end" if left else kind, x=x - 9 if left else x + 9, y=y + drop)
        return


def _around(x: float, y: float) -> _Place:
    """The place of a dot."""
    return x - _RADIUS, x + _RADIUS, y - _RADIUS, y + _RADIUS


def _overlap(one: _Place, other: _Place) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _key(root: Element) -> None:
    """The key of filled and dashed dots."""
    x = _LEFT + _WIDTH - _KEY
    for kind, text, offset in (("read", "on the front", 0), ("ghost", "another one is better", 82)):
        add(root, "circle", kind=kind, cx=x + offset, cy=_TOP - 14, r=_RADIUS)
        add(root, "text", text, kind="soft small", x=x + offset + 9, y=_TOP - 10)

# SPDX-License-Identifier: Apache-2.0
"""Lines through points over two logarithmic axes, each with its name at its end; a dashed one leads to the name where a
line ends before the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ..base.words import counted
from .svg import add, fit, picture, render

_PLOT, _HEIGHT = 560.0, 420.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 72.0, 190.0, 48.0, 52.0
_GAP = 13.0  # between two names at the right
_TICK = 30.0  # between two numbers of the axis across; the second one is left out where it is nearer


@dataclass(frozen=True)
class Curve:
    """One line: its name, and its values (positive) by place along the axis."""

    name: str
    points: Mapping[int, float]


def lines(curves: Sequence[Curve], title: str, x_axis: str, y_axis: str, name: str = "lines") -> str:
    """SVG of curves.

    Parameters
    ----------
    curves : sequence of Curve
        Curves; not empty, each with a point.
    title, x_axis, y_axis : str
        Title of the picture, and the quantities along the axes.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    xs = sorted({x for curve in curves for x in curve.points})
    values = [y for curve in curves for y in curve.points.values()]
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))
    root = picture(
        name,
        _LEFT + _PLOT + _RIGHT,
        _TOP + _HEIGHT + _BOTTOM,
        title,
        f"{y_axis} over {x_axis} of {counted(len(curves), 'design')}; both axes are logarithmic.",
    )
    add(root, "text", fit(title, _LEFT + _PLOT), kind="ink strong", x=_LEFT, y=24)

    def across(x: float) -> float:
        return _LEFT + _PLOT * math.log(x / xs[0]) / math.log(xs[-1] / xs[0])

    def up(y: float) -> float:
        return _TOP + _HEIGHT * (1 - math.log(y / low) / math.log(high / low))

    _axes(root, xs, (low, high), across, up)
    add(root, "text", x_axis, kind="soft small end", x=_LEFT + _PLOT, y=_TOP + _HEIGHT + 38)
    add(root, "text", y_axis, kind="soft small", x=8, y=_TOP - 8)
    for curve, label in zip(curves, _labels([up(curve.points[max(curve.points)]) for curve in curves]), strict=True):
        group = add(
            root, "g", kind="bar", title=f"{curve.name}: " + ", ".join(f"{x}: {y:g}" for x, y in curve.points.items())
        )
        places = [(across(x), up(y)) for x, y in sorted(curve.points.items())]
        add(group, "path", kind="wire", fill="none", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places))
        for x, y in places:
            add(group, "circle", kind="read", cx=x, cy=y, r=2.6)
        end_x, end_y = places[-1]
        add(
            group,
            "path",
            kind="wire" if max(curve.points) == xs[-1] else "wire ghost",
            fill="none",
            d=f"M{end_x + 4:.1f} {end_y:.1f}L{_LEFT + _PLOT + 18:.1f} {label:.1f}",
        )
        add(group, "text", fit(curve.name, _RIGHT - 24, 10.0), kind="ink small", x=_LEFT + _PLOT + 21, y=label + 3)
    return render(root)


def _labels(heights: Sequence[float]) -> list[float]:
    """Heights of the names, in the order of the ends of the lines and at least `_GAP` apart."""
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    placed = [0.0] * len(heights)
    least = _TOP
    for n in order:
        placed[n] = max(heights[n], least)
        least = placed[n] + _GAP
    overflow = max(0.0, least - _GAP - (_TOP + _HEIGHT))
    return [y - overflow for y in placed]


def _axes(
    root: Element,
    xs: Sequence[int],
    ends: tuple[float, float],
    across: Callable[[float], float],
    up: Callable[[float], float],
) -> None:
    base = _TOP + _HEIGHT
    add(root, "path", kind="wire", fill="none", d=f"M{_LEFT:.1f} {_TOP:.1f}V{base:.1f}H{_LEFT + _PLOT:.1f}")
    free = 0.0
    for x in xs:
        add(root, "path", kind="wire", d=f"M{across(x):.1f} {base:.1f}v4")
        if across(x) >= free:
            add(root, "text", str(x), kind="soft small middle", x=across(x), y=base + 16)
            free = across(x) + _TICK
    value = ends[0]
    while value <= ends[1]:
        add(root, "path", kind="wire", d=f"M{_LEFT - 4:.1f} {up(value):.1f}h4")
        add(root, "text", f"{value:g}", kind="soft small end", x=_LEFT - 7, y=up(value) + 4)
        value *= 10

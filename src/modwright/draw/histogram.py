# SPDX-License-Identifier: Apache-2.0
"""Histogram of a count as bars, with the means that are known marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element

from .svg import add, fit, picture, render, width_of

_PLOT, _HEIGHT = 720.0, 220.0  # of the plot
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 20.0, 62.0, 44.0
_LABELS = 10  # numbers below the axis, at most
_LINE = 14.0  # between two lines of text


def histogram(
    counts: Mapping[int, int], title: str, axis: str, marks: Sequence[tuple[str, float]] = (), name: str = "histogram"
) -> str:
    """SVG of a histogram.

    Parameters
    ----------
    counts : mapping of int to int
        Number of occurrences of each value; not empty. Values that are missing between the least and the largest never
        occurred.
    title, axis : str
        Title of the picture, and the quantity along the axis.
    marks : sequence of (str, float)
        Vertical lines at values, with their labels; the axis extends to include them.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    low = int(min([min(counts), *(value for _, value in marks)])) - 1
    high = int(max([max(counts), *(value for _, value in marks)])) + 2
    step, tallest = _PLOT / (high - low), max(counts.values())
    root = picture(
        name,
        _LEFT + _PLOT + _RIGHT,
        _TOP + len(marks) * _LINE + _HEIGHT + _BOTTOM,
        title,
        f"{axis} from {min(counts)} to {max(counts)}; the most frequent came up {tallest} times.",
    )
    top = _TOP + len(marks) * _LINE
    add(root, "text", fit(title, _PLOT), kind="ink strong", x=_LEFT, y=24)
    for value, ways in counts.items():
        height = ways / tallest * _HEIGHT
        group = add(root, "g", kind="bar", title=f"{value}: {ways} times")
        x = _LEFT + (value - low) * step
        add(group, "rect", kind="read", x=x, y=top + _HEIGHT - height, width=max(step - 0.5, 0.5), height=height)
    _axes(root, low, high, step, top, tallest, axis)
    for line, (label, value) in enumerate(marks):
        _mark(root, label, _LEFT + (value - low + 0.5) * step, top, line)
    return render(root)


def _axes(root: Element, low: int, high: int, step: float, top: float, tallest: int, axis: str) -> None:
    base = top + _HEIGHT
    add(root, "path", kind="wire", d=f"M{_LEFT:.1f} {top:.1f}V{base:.1f}H{_LEFT + _PLOT:.1f}")
    add(root, "text", str(tallest), kind="soft small end", x=_LEFT - 6, y=top + 4)
    add(root, "text", "0", kind="soft small end", x=_LEFT - 6, y=base + 4)
    every = next(n for n in _round_steps() if (high - low) / n <= _LABELS)
    for value in range(-(-low // every) * every, high, every):
        x = _LEFT + (value - low + 0.5) * step
        add(root, "path", kind="wire", d=f"M{x:.1f} {base:.1f}v4")
        add(root, "text", str(value), kind="soft small middle", x=x, y=base + 16)
    add(root, "text", axis, kind="soft small end", x=_LEFT + _PLOT, y=base + 34)


def _round_steps() -> Iterator[int]:
    """Round distances: 1, 2, 5, 10, 20, 50, ..."""
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def _mark(root: Element, label: str, x: float, top: float, line: int) -> None:
    """A vertical line with its text on the side with more room."""
    y = _TOP - 14 + line * _LINE
    add(root, "path", kind="mark" if line == 0 else "mark-next", d=f"M{x:.1f} {y:.1f}V{top + _HEIGHT:.1f}")
    right = x + 5 + width_of(label, 10.0) < _LEFT + _PLOT
    add(root, "text", label, kind="ink small" if right else "ink small end", x=x + (5 if right else -5), y=y + 4)

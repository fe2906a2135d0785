# SPDX-License-Identifier: Apache-2.0
"""Numbers as bars, in panels of one quantity each, one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .svg import add, picture, render

_LEFT, _TOP, _LINE, _LONGEST, _WIDTH = 190.0, 62.0, 18.0, 300.0, 580.0
_GAP = 40.0
"""Between the panels, with the heading of the second."""


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its number above 0, and whether a paper prints it."""

    label: str
    value: float
    printed: bool


def bars(panels: Mapping[str, Sequence[Bar]], title: str, note: str, name: str) -> str:
    """SVG of panels, each to its own scale from 0.

    Parameters
    ----------
    panels : mapping of str to sequence of Bar
        Bars from top to bottom, none of them empty, by the heading of their panel.
    title, note : str
        Title of the picture, and the line below it.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    height = _TOP + sum(_LINE * len(found) + _GAP for found in panels.values())
    root = picture(name, _WIDTH, height, title, note)
    add(root, "text", title, kind="ink strong", x=16, y=22)
    add(root, "text", note, kind="soft small", x=16, y=40)
    y = _TOP
    for heading, found in panels.items():
        add(root, "text", heading, kind="ink strong", x=16, y=y + 4)
        most = max(bar.value for bar in found)
        for bar in found:
            y += _LINE
            length = bar.value / most * _LONGEST
            kind = "multiplier" if bar.printed else "control"
            add(root, "text", bar.label, kind="soft small end", x=_LEFT - 6, y=y + 4)
            add(root, "rect", kind=kind, x=_LEFT, y=y - 6, width=round(length, 1), height=12)
            add(root, "text", f"{bar.value:,g}", kind="ink small", x=round(_LEFT + length + 6, 1), y=y + 4)
        y += _GAP
    return render(root)

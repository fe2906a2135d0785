# SPDX-License-Identifier: Apache-2.0
"""Ratios as bars from a line at 1, over a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .svg import add, fit, picture, render, width_of

_LABELS, _PLOT, _RIGHT = 300.0, 420.0, 84.0  # of labels the least width, which longer names exceed
_SMALL = 10.0  # font size of the names
_TOP, _LINE, _BOTTOM = 48.0, 18.0, 40.0
_BAR = 11.0


@dataclass(frozen=True)
class Ratio:
    """One bar: its name, its ratio above 0, and its tooltip."""

    name: str
    value: float
    detail: str = ""


def ratios(bars: Sequence[Ratio], title: str, axis: str, name: str = "ratios") -> str:
    """SVG of ratios, one below the other.

    Parameters
    ----------
    bars : sequence of Ratio
        Bars from top to bottom; not empty.
    title, axis : str
        Title of the picture, and the meaning of the ratio.
    name : str
        Prefix of the picture's ids, unique on a page.
    """
    low = min(-1, math.floor(min(math.log10(bar.value) for bar in bars)))
    high = max(1, math.ceil(max(math.log10(bar.value) for bar in bars)))
    labels = max(_LABELS, *(width_of(bar.name, _SMALL) + 16 for bar in bars))
    scale = _PLOT / (high - low)
    height = len(bars) * _LINE
    root = picture(
        name,
        labels + _PLOT + _RIGHT,
        _TOP + height + _BOTTOM,
        title,
        f"{axis} of {len(bars)} figures, from {min(b.value for b in bars):.3g} to {max(b.value for b in bars):.3g}; "
        "the axis is logarithmic.",
    )
    add(root, "text", fit(title, labels + _PLOT), kind="ink strong", x=8, y=24)
    for power in range(low, high + 1):
        x = labels + (power - low) * scale
        add(root, "path", kind="mark" if power == 0 else "wire", d=f"M{x:.1f} {_TOP - 6:.1f}v{height + 6:.1f}")
        add(root, "text", f"{10.0**power:g}", kind="soft small middle", x=x, y=_TOP + height + 14)
    one = labels - low * scale
    for line, bar in enumerate(bars):
        y, end = _TOP + line * _LINE, one + math.log10(bar.value) * scale
        group = add(root, "g", kind="bar", title=bar.detail or f"{bar.name}: {bar.value:.3g}")
        add(group, "text", bar.name, kind="ink small end", x=labels - 8, y=y + _BAR - 1)
        add(group, "rect", kind="read", x=min(one, end), y=y, width=max(abs(end - one), 1.0), height=_BAR)
        add(group, "text", f"{bar.value:.3g}", kind="soft small", x=max(one, end) + 5, y=y + _BAR - 1)
    add(root, "text", axis, kind="soft small end", x=labels + _PLOT, y=_TOP + height + 32)
    return render(root)

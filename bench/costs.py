# SPDX-License-Identifier: Apache-2.0
"""Costs of base extensions and multiplications, from operations counted as they are executed: `python bench/costs.py`.

Draws the curves of Figures 2, 4, 5 and 6 of Djath, Bigou and Tisserand 2019 into bench/figures/, and makes the rows of
its Table II. Every point is a count (`modwright.rns.counting`); what the paper claims stands next to it.

    python bench/costs.py           draw the figures
    python bench/costs.py --check   exit code 1 when one is stale
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from generated import write_or_check
from modwright.draw.svg import add, picture, render
from modwright.rns.costs import EXTENSION, HYBRID_2, HYBRID_4, PRODUCT, saving

FIGURES = Path(__file__).parent / "figures"
RATIOS = (2, 3, 4)
"""CMM/CMR; the paper takes 2 to 4 as what pseudo-Mersenne moduli have (section IV-C)."""


# --- figures


@dataclass(frozen=True)
class Curves:
    """One figure: cost with HBE over cost with KBE against n.

    Parameters
    ----------
    name, title : str
    what : str
        What is executed.
    sizes : range
        n.
    """

    name: str
    title: str
    what: str
    sizes: range


ALL = (
    Curves("figure-2", "Figure 2: one base extension, c = 2", EXTENSION, range(6, 33, 2)),
    Curves("figure-4", "Figure 4: one RNS Montgomery multiplication", PRODUCT, range(6, 33, 2)),
    Curves("figure-5", "Figure 5: one hybrid multiplication, d = 2", HYBRID_2, range(8, 33, 4)),
    Curves("figure-6", "Figure 6: one hybrid multiplication, d = 4", HYBRID_4, range(16, 33, 8)),
)

_LEFT, _TOP, _PLOT, _HEIGHT, _RIGHT, _BOTTOM = 56.0, 62.0, 480.0, 260.0, 200.0, 48.0
_LOW, _HIGH = 0.6, 1.4
"""Ends of the ordinate."""
_KINDS = ("wire", "mark", "wait-data")
"""Strokes of the ratios."""


def draw(curves: Curves) -> str:
    """SVG; solid curves are of reduced products, as the paper counts, and dashed ones of lazily reduced sums."""
    title = f"{curves.title}: cost with HBE over cost with KBE"
    note = f"For CMM/CMR = {', '.join(map(str, RATIOS))}; n from {curves.sizes[0]} to {curves.sizes[-1]}. From counts."
    root = picture(curves.name, _LEFT + _PLOT + _RIGHT, _TOP + _HEIGHT + _BOTTOM, title, note)
    add(root, "text", title, kind="ink strong", x=_LEFT, y=22)
    add(root, "text", note, kind="soft small", x=_LEFT, y=40)
    _axes(root, curves.sizes)
    for kind, ratio in zip(_KINDS, RATIOS, strict=True):
        for lazy in (False, True):
            points = [(n, saving(curves.what, n, ratio, lazy=lazy)) for n in curves.sizes]
            path = "L".join(f"{_x(curves.sizes, n):.1f} {_y(value):.1f}" for n, value in points)
            dashes = {"stroke_dasharray": "5 4"} if lazy else {}
            add(root, "path", kind=kind, d=f"M{path}", **dashes)
            shape = "lazily reduced sums" if lazy else "reduced products"
            for n, value in points:
                group = add(root, "g", title=f"n = {n}, CMM/CMR = {ratio}, {shape}: {value:.3f}")
                add(group, "circle", kind="head", cx=_x(curves.sizes, n), cy=_y(value), r=2)
    for line, (kind, ratio) in enumerate(zip(_KINDS, RATIOS, strict=True)):
        for lazy in (False, True):
            y = _TOP + 12 + 18 * (2 * line + lazy)
            dashes = {"stroke_dasharray": "5 4"} if lazy else {}
            add(root, "path", kind=kind, d=f"M{_LEFT + _PLOT + 12:.1f} {y:.1f}h24", **dashes)
            text = f"CMM/CMR = {ratio}{', lazy KBE and HBE' if lazy else ''}"
            add(root, "text", text, kind="ink small", x=_LEFT + _PLOT + 42, y=y + 4)
    return render(root)


def _x(sizes: range, n: int) -> float:
    return _LEFT + (n - sizes[0]) / (sizes[-1] - sizes[0]) * _PLOT


def _y(value: float) -> float:
    return _TOP + (_HIGH - value) / (_HIGH - _LOW) * _HEIGHT


def _axes(root: Element, sizes: range) -> None:
    base = _TOP + _HEIGHT
    add(root, "path", kind="wire", d=f"M{_LEFT:.1f} {_TOP:.1f}V{base:.1f}H{_LEFT + _PLOT:.1f}")
    for tenth in range(round(10 * _LOW), round(10 * _HIGH) + 1):
        y = _y(tenth / 10)
        add(root, "path", kind="grid", d=f"M{_LEFT:.1f} {y:.1f}h{_PLOT:.1f}")
        add(root, "text", f"{tenth / 10:.1f}", kind="soft small end", x=_LEFT - 6, y=y + 4)
    for n in sizes:
        x = _x(sizes, n)
        add(root, "path", kind="wire", d=f"M{x:.1f} {base:.1f}v4")
        add(root, "text", str(n), kind="soft small middle", x=x, y=base + 16)
    add(root, "text", "n", kind="soft small end", x=_LEFT + _PLOT, y=base + 34)


def figures() -> dict[str, str]:
    """SVG by file name."""
    return {f"{curves.name}.svg": draw(curves) for curves in ALL}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Draw the costs of base extensions from counted operations.")
    result.add_argument("--check", action="store_true", help="exit code 1 when a figure is stale")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw or check the figures, and return an exit code."""
    words = parser().parse_args(arguments)
    return write_or_check(
        {FIGURES / name: svg for name, svg in figures().items()}, "python bench/costs.py", check=words.check
    )


if __name__ == "__main__":
    sys.exit(main())

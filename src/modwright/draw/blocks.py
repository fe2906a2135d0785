# SPDX-License-Identifier: Apache-2.0
"""The block picture: boxes of a core from input to output, drawn from what the core declares."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from ..base.json import JsonObject
from .layered import arrange
from .layout import Item, Layout, Point
from .svg import add, picture, render, width_of, wrap

_LEAST = 56.0  # width of the text in a box
_ROOMS = range(100, 241, 20)  # widths that are tried, until the text takes few lines
_FEW = 3  # lines of the label, and of the detail
_PAD = 8.0
_ROUND = 18.0  # radius of a stream's corners, which leave the text inside
_LINE = 14.0
_SMALL = 10.0
_MARGIN = 18.0
_LEGEND = 26.0
_ONE = re.compile(r"(?<![\w.,])1 (bit|block|channel|cycle|digit|limb|rower|tile|word)s\b")
_KINDS = {
    "port": "stream",
    "logic": "logic and registers",
    "multiplier": "multiplier",
    "memory": "memory",
    "control": "control",
}


def block_diagram(report: JsonObject) -> str:
    """Draw the boxes of a report as SVG.

    Parameters
    ----------
    report : dict
        Report of `build_report`; its blocks are read.

    Returns
    -------
    str
        A self-contained SVG: layers from left to right, feedback below, a dot where lines join. A core that
        declares no boxes gives a picture with a sentence that states this.
    """
    blocks = report["blocks"]
    if not blocks:
        return _empty(report["core"])
    texts = {b["name"]: _lines(b) for b in blocks}
    layout = arrange(
        {name: _size(lines) for name, lines in texts.items()},
        {b["name"]: b["inputs"] for b in blocks},
        [b["name"] for b in blocks if b["kind"] == "port"],
    )
    kinds = [kind for kind in _KINDS if any(b["kind"] == kind for b in blocks)]
    width = max(layout.width + 2 * _MARGIN, _legend_width(kinds) + 2 * _MARGIN)
    height = layout.height + 2 * _MARGIN + _LEGEND
    root = picture("blocks", width, height, f"Blocks of {report['core']}", _description(blocks))
    inner = add(root, "g", transform=f"translate({(width - layout.width) / 2:.1f} {_MARGIN:.1f})")
    _draw_wires(inner, layout)
    for block in blocks:
        _draw_box(inner, block, layout.boxes[block["name"]], texts[block["name"]])
    _draw_legend(root, kinds, height - 12)
    return render(root)


def _empty(core: str) -> str:
    text = "This core declares no blocks."
    root = picture("blocks", 360, 60, f"Blocks of {core}", text)
    add(root, "text", text, kind="soft middle", x=180, y=34)
    return render(root)


def _description(blocks: list[JsonObject]) -> str:
    """Connections in words, for readers who do not see the picture."""
    labels = {b["name"]: b["label"] for b in blocks}
    reads = (f"{b['label']} reads {', '.join(labels[i] for i in b['inputs'])}." for b in blocks if b["inputs"])
    return " ".join([f"{len(blocks)} block{'s' * (len(blocks) != 1)}.", *reads])


def _singular(detail: str) -> str:
    """A detail with nouns after a 1 in the singular: cores write numbers in front of plurals."""
    return _ONE.sub(r"1 \1", detail)


def _lines(block: JsonObject) -> tuple[list[str], list[str]]:
    """Label and detail, each broken into lines: as wide as it takes for both to be whole in `_FEW` lines."""
    label, detail = block["label"], _singular(block["detail"])
    lines: tuple[list[str], list[str]] = [], []
    for room in _ROOMS:
        lines = wrap(label, room), wrap(detail, room, size=_SMALL)
        if max(map(len, lines)) <= _FEW and [" ".join(part).split() for part in lines] == [
            label.split(),
            detail.split(),
        ]:
            break
    return lines


def _size(lines: tuple[list[str], list[str]]) -> tuple[float, float]:
    """Width and height of the box around its text."""
    label, detail = lines
    widths = [width_of(text) for text in label] + [width_of(text, _SMALL) for text in detail]
    return max([_LEAST, *widths]) + 2 * _PAD, _LINE * (len(label) + len(detail)) + _PAD


def _draw_wires(parent: Element, layout: Layout) -> None:
    """Lines first, so that boxes and heads lie on them."""
    for _, points in layout.wires:
        add(parent, "path", kind="wire", d=_path(points))
    for x, y in layout.heads:
        add(parent, "path", kind="head", d=f"M{x:.1f} {y:.1f}l-7 -3.5v7z")
    for x, y in layout.junctions:
        add(parent, "circle", kind="head", cx=x, cy=y, r=2.6)


def _path(points: list[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _draw_box(parent: Element, block: JsonObject, item: Item, lines: tuple[list[str], list[str]]) -> None:
    """A box with its label and detail; the tooltip holds both in full."""
    title = ": ".join(text for text in (block["label"], _singular(block["detail"])) if text)
    group = add(parent, "g", kind="block", title=title, data_name=block["name"])
    top = item.y - item.height / 2
    add(
        group,
        "rect",
        kind=block["kind"],
        x=item.left,
        y=top,
        width=item.width,
        height=item.height,
        rx=min(item.height / 2, _ROUND) if block["kind"] == "port" else 4,
    )
    middle = item.left + item.width / 2
    y = item.y - _LINE * sum(map(len, lines)) / 2 + _LINE - 3
    for text, kind in [(t, "ink strong middle") for t in lines[0]] + [(t, "soft small middle") for t in lines[1]]:
        add(group, "text", text, kind=kind, x=middle, y=y)
        y += _LINE


def _legend_width(kinds: list[str]) -> float:
    return sum(34 + width_of(_KINDS[kind], _SMALL) for kind in kinds)


def _draw_legend(root: Element, kinds: list[str], y: float) -> None:
    x = _MARGIN
    for kind in kinds:
        add(root, "rect", kind=kind, x=x, y=y - 9, width=16, height=10, rx=5 if kind == "port" else 2)
        add(root, "text", _KINDS[kind], kind="soft small", x=x + 21, y=y)
        x += 34 + width_of(_KINDS[kind], _SMALL)

# SPDX-License-Identifier: Apache-2.0
"""Writing SVG: elements, text that fits, and one style for light, dark and print."""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

FONT_SIZE = 11.0
"""Size of ordinary text in a picture, in user units."""

_SHRINK = 0.75  # a page narrower than a picture scales it down to this, then scrolls
_EM = 0.6
"""Width of a character over the font size: above the mean of the usual sans-serif faces, so text fits."""

_COLOURS = {  # name: (light, dark)
    "ink": ("#1c2530", "#e4e9ef"),
    "soft": ("#5a6572", "#9aa6b4"),
    "rule": ("#d9dfe6", "#333d49"),
    "band": ("#f4f6f9", "#1b2129"),
    "paper": ("#ffffff", "#12171d"),
    "blue": ("#2f6db5", "#5b9be6"),
    "blue-soft": ("#e3eefa", "#1d3450"),
    "on-blue": ("#ffffff", "#0c1118"),
    "amber": ("#b3590a", "#f0a04b"),
    "amber-soft": ("#fcebd9", "#46300f"),
    "green": ("#2c7a52", "#5cc08d"),
    "green-soft": ("#e0f2e8", "#173a29"),
    "violet": ("#6b4fb0", "#aa90ee"),
    "violet-soft": ("#ece7f8", "#302750"),
}
_RULES = (  # selector, property, colour
    (".paper", "fill", "paper"),
    (".ink", "fill", "ink"),
    (".soft", "fill", "soft"),
    (".band", "fill", "band"),
    (".grid", "stroke", "rule"),
    (".busy", "fill", "blue"),
    (".busy", "stroke", "paper"),
    (".data", "fill", "amber"),
    (".data", "stroke", "paper"),
    (".on-busy", "fill", "on-blue"),
    (".wait", "stroke", "blue"),
    (".read", "fill", "blue"),
    (".wait-data", "stroke", "amber"),
    (".read-data", "fill", "amber"),
    (".ghost", "stroke", "soft"),
    (".ghost", "fill", "band"),
    (".mark", "stroke", "green"),
    (".mark-next", "stroke", "soft"),
    (".wire", "stroke", "soft"),
    (".head", "fill", "soft"),
    (".logic", "fill", "band"),
    (".logic", "stroke", "soft"),
    (".multiplier", "fill", "blue-soft"),
    (".multiplier", "stroke", "blue"),
    (".memory", "fill", "green-soft"),
    (".memory", "stroke", "green"),
    (".control", "fill", "amber-soft"),
    (".control", "stroke", "amber"),
    (".port", "fill", "violet-soft"),
    (".port", "stroke", "violet"),
)
_FIXED = """
.mw text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:11px}
.mw .small{font-size:10px}.mw .strong{font-weight:600}
.mw .middle{text-anchor:middle}.mw .end{text-anchor:end}
.mw .wire,.mw .grid,.mw .mark,.mw .mark-next,.mw .wait,.mw .wait-data{fill:none}
.mw .wire{stroke-width:1.3;stroke-linejoin:round}.mw .wait,.mw .wait-data{stroke-width:2;opacity:.6}
.mw .ghost{stroke-dasharray:3 2}.mw .mark{stroke-width:1.6}.mw .mark-next{stroke-width:1.6;stroke-dasharray:4 3}
"""


def _style() -> str:
    """Light colours, and dark ones on a dark screen only: paper is white."""
    light, dark = (
        "".join(f".mw {where}{{{what}:{_COLOURS[colour][n]}}}" for where, what, colour in _RULES) for n in (0, 1)
    )
    return f"{_FIXED}{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"


def picture(name: str, width: float, height: float, title: str, description: str) -> Element:
    """An empty picture on its own background; `name` keeps its ids apart from those of another one."""
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": f"mw {name}",
            "viewBox": f"0 0 {number(width)} {number(height)}",
            "width": number(width),
            "height": number(height),
            "style": f"max-width:100%;min-width:{number(_SHRINK * width)}px;height:auto",
            "role": "img",
            "aria-labelledby": f"{name}-title {name}-desc",
        },
    )
    add(root, "title", clean(title), id=f"{name}-title")
    add(root, "desc", clean(description), id=f"{name}-desc")
    add(root, "style", _style())
    add(root, "rect", kind="paper", width=width, height=height, rx=6)
    return root


def add(parent: Element, tag: str, text: str = "", *, kind: str = "", title: str = "", **attributes: object) -> Element:
    """Append an element; `kind` is its class, `title` its tooltip, `_` in an attribute reads ``-``."""
    element = ElementTree.SubElement(parent, tag)
    if kind:
        element.set("class", kind)
    for name, value in attributes.items():
        shown = number(value) if isinstance(value, int | float) else str(value)
        element.set(name.replace("_", "-"), shown)
    if title:
        ElementTree.SubElement(element, "title").text = clean(title)
    if text:
        element.text = text if tag == "style" else clean(text)
    return element


def render(root: Element) -> str:
    """The text of a picture."""
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def number(value: float) -> str:
    """A coordinate with at most one decimal, without a trailing zero."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def clean(text: str) -> str:
    """Replace the control characters that XML cannot hold, and line ends, by spaces."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)


def width_of(text: str, size: float = FONT_SIZE) -> float:
    """Upper estimate of the width of a text in user units."""
    cells = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return cells * _EM * size


def fit(text: str, room: float, size: float = FONT_SIZE) -> str:
    """The text, shortened with an ellipsis to the room; empty when fewer than two characters fit."""
    if width_of(text, size) <= room:
        return text
    start = text
    while start and width_of(start + "…", size) > room:
        start = start[:-1]
    return start.rstrip() + "…" if len(start) > 1 else ""


def wrap(text: str, room: float, lines: int | None = None, size: float = FONT_SIZE) -> list[str]:
    """Break a text at spaces into lines, `lines` of them at most, each of which fits the room."""
    words, result = text.split(), []
    while words:
        line = [words.pop(0)]
        while words and (len(result) + 1 == lines or width_of(" ".join([*line, words[0]]), size) <= room):
            line.append(words.pop(0))
        result.append(fit(" ".join(line), room, size))
    return result

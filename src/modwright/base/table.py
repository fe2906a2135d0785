# SPDX-License-Identifier: Apache-2.0
"""A table of words and figures, and its forms: Markdown, text, HTML, JSON and CSV.

Cells are text in which `...` marks code, as in Markdown. Other forms than Markdown show it in their own way.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .json import JsonObject

EMPTY = "–"
"""Text of an empty cell."""


@dataclass(frozen=True)
class Items:
    """A list of remarks below a table.

    Parameters
    ----------
    title : str
        Without a colon.
    items : tuple of str
    numbered : bool
        Numbers from 1 on, which cells name.
    """

    title: str
    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """Headings, rows and remarks.

    Parameters
    ----------
    headings : tuple of str
    rows : tuple of tuple of str
        Cells in the order of the headings.
    words : container of str
        Headings of the columns of words, which are aligned to the left; all others are aligned to the right.
    above : tuple of str
        Paragraphs.
    below : tuple of str or Items
        Paragraphs and lists.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: Container[str] = ()
    above: tuple[str, ...] = ()
    below: tuple[str | Items, ...] = ()

    @classmethod
    def of(
        cls,
        headings: Iterable[str],
        rows: Iterable[Iterable[str]],
        words: Container[str] = (),
        *,
        above: Iterable[str] = (),
        below: Iterable[str | Items] = (),
    ) -> Table:
        """A table from any iterables; remarks without text are left out."""
        remarks = tuple(text for text in below if text)
        return cls(tuple(headings), tuple(map(tuple, rows)), words, tuple(above), remarks)

    @property
    def right(self) -> tuple[bool, ...]:
        """Whether each column is aligned to the right."""
        return tuple(heading not in self.words for heading in self.headings)


# --- Markdown


def as_markdown(table: Table) -> str:
    """The table with its remarks; each part ends with a line break, with an empty line between two."""
    rule = ["--:" if right else "---" for right in table.right]
    lines = [table.headings, rule, *([cell.replace("|", "\\|") or EMPTY for cell in row] for row in table.rows)]
    grid = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return "\n".join([*(f"{text}\n" for text in table.above), grid, *map(_remark, table.below)])


def _remark(remark: str | Items) -> str:
    if isinstance(remark, str):
        return f"{remark}\n"
    marks = (f"{n}." if remark.numbered else "-" for n in range(1, len(remark.items) + 1))
    return f"{remark.title}:\n\n" + "".join(f"{mark} {item}\n" for mark, item in zip(marks, remark.items, strict=True))


# --- text


def as_text(table: Table) -> str:
    """Columns below each other, two spaces between them, with the remarks as in Markdown."""
    rows = [[_plain(cell) or EMPTY for cell in row] for row in table.rows]
    grid = "".join(f"{line}\n" for line in aligned([table.headings, *rows], table.right))
    return "\n".join([*(f"{_plain(text)}\n" for text in table.above), grid, *(_plain(_remark(r)) for r in table.below)])


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Lines of cells as text, with a rule below the first one.

    Parameters
    ----------
    lines : sequence of sequence of str
        Headings first.
    right : sequence of bool
        By column, whether it is aligned to the right.
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    ]
    shown.insert(1, "-" * max(map(len, shown)))
    return shown


def _plain(text: str) -> str:
    return text.replace("`", "")


# --- HTML


def as_html(table: Table) -> str:
    """A fragment: paragraphs, one `table`, paragraphs and lists; cells aligned to the right have the class `right`."""
    heads = "".join(_cell("th", text, right) for text, right in zip(table.headings, table.right, strict=True))
    rows = "".join(
        f"<tr>{''.join(_cell('td', text or EMPTY, r) for text, r in zip(row, table.right, strict=True))}</tr>\n"
        for row in table.rows
    )
    grid = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    return "".join([*(f"<p>{_inline(text)}</p>\n" for text in table.above), grid, *map(_block, table.below)])


def _cell(tag: str, text: str, right: bool) -> str:
    return f'<{tag} class="right">{_inline(text)}</{tag}>' if right else f"<{tag}>{_inline(text)}</{tag}>"


def _block(remark: str | Items) -> str:
    if isinstance(remark, str):
        return f"<p>{_inline(remark)}</p>\n"
    kind, items = "ol" if remark.numbered else "ul", "".join(f"<li>{_inline(text)}</li>\n" for text in remark.items)
    return f"<p>{_inline(remark.title)}:</p>\n<{kind}>\n{items}</{kind}>\n"


def _inline(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


# --- JSON and CSV


def to_json(table: Table) -> JsonObject:
    """Headings, rows and remarks as plain values."""
    return {
        "headings": list(table.headings),
        "rows": [list(row) for row in table.rows],
        "above": list(table.above),
        "below": [
            remark if isinstance(remark, str) else {"title": remark.title, "items": list(remark.items)}
            for remark in table.below
        ],
    }


def as_json(table: Table) -> str:
    """The document of `to_json` as text."""
    return json.dumps(to_json(table), indent=2, ensure_ascii=False) + "\n"


def as_csv(table: Table) -> str:
    """Headings and rows; remarks are left out."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.headings)
    writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    return text.getvalue()


FORMS: Mapping[str, Callable[[Table], str]] = {
    "markdown": as_markdown,
    "text": as_text,
    "html": as_html,
    "json": as_json,
    "csv": as_csv,
}
"""Renderers by name."""

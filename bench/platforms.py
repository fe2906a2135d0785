# SPDX-License-Identifier: Apache-2.0
"""Figure 6 of Mehrabi 2019 again, latency and throughput by device: `python bench/platforms.py`.

The paper's bars are the figures of its Table 4 as printed; ours are the placed record that answers a row in `modwright
paper sum-of-residues`, where there is one.

    python bench/platforms.py           draw the figure
    python bench/platforms.py --check   exit code 1 when it is stale
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from generated import write_or_check
from modwright.base.store import Store
from modwright.draw.svg import add, picture, render
from modwright.papers import find_paper, reproduce

FIGURE = Path(__file__).parent / "figures" / "mehrabi-figure-6.svg"
TABLE = "Table 4"
PANELS = ("latency, ns", "throughput, Mbit/s")


@dataclass(frozen=True)
class Bar:
    """One bar: what and where, the number, and whether it is the paper's."""

    label: str
    value: float
    printed: bool


def bars(column: str) -> Iterator[Bar]:
    """The paper's bars of one panel, and behind those of an architecture ours, where it was placed."""
    (paper,) = find_paper("sum-of-residues")
    with TemporaryDirectory() as empty:  # none of the user's records, so that everybody draws the same
        (table,) = (table for table in reproduce(paper, Store(Path(empty))) if table.document["table"] == TABLE)
    answers = [answer for answer in table.answers if answer.column == column]
    for architecture in dict.fromkeys(answer.row.partition(", ")[0] for answer in answers):
        own = [answer for answer in answers if answer.row.partition(", ")[0] == architecture]
        yield from (Bar(answer.row, float(answer.paper), True) for answer in own)
        if isinstance(own[0].ours, int | float):
            yield Bar(f"{architecture}, here: {own[0].how.rpartition(' ')[2]}", float(own[0].ours), False)


_LEFT, _TOP, _LINE, _LONGEST, _WIDTH = 190.0, 62.0, 18.0, 300.0, 580.0
_GAP = 40.0
"""Between the panels, with the heading of the second."""


def draw() -> str:
    """SVG of both panels, each to its own scale from 0."""
    title = "Figure 6: latency and throughput of sums of residues"
    note = "The paper's figures as printed, at 560 bits a product; ours placed, at 256 bits a product."
    panels = [(column, list(bars(column))) for column in PANELS]
    height = _TOP + sum(_LINE * len(found) + _GAP for _, found in panels)
    root = picture("mehrabi-figure-6", _WIDTH, height, title, note)
    add(root, "text", title, kind="ink strong", x=16, y=22)
    add(root, "text", note, kind="soft small", x=16, y=40)
    y = _TOP
    for column, found in panels:
        add(root, "text", column, kind="ink strong", x=16, y=y + 4)
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


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Draw latency and throughput of sums of residues by device.")
    result.add_argument("--check", action="store_true", help="exit code 1 when the figure is stale")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw or check the figure, and return an exit code."""
    words = parser().parse_args(arguments)
    return write_or_check({FIGURE: draw()}, "python bench/platforms.py", check=words.check)


if __name__ == "__main__":
    sys.exit(main())

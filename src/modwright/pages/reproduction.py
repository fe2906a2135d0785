# SPDX-License-Identifier: Apache-2.0
"""A paper's table with our figures next to it, as text and as CSV."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from ..base.json import JsonMapping
from ..base.table import aligned

_WIDTH = 100
_HEADINGS = ("row", "figure", "paper", "ours", "ours / paper", "how ours was made")
_RIGHT = (False, False, True, True, True, False)


@dataclass(frozen=True)
class Demonstrated:
    """One erratum of a paper, with the counts of its demonstration.

    Parameters
    ----------
    name, place, printed, right, over : str
        See `papers.errata.Erratum`.
    cases : int
        Number of cases that were tried.
    printed_fails, corrected_fails : int
        Numbers of those that contradict the statement as printed, and as corrected.
    """

    name: str
    place: str
    printed: str
    right: str
    over: str
    cases: int
    printed_fails: int
    corrected_fails: int

    @property
    def shown(self) -> bool:
        """Whether the cases show the erratum: some fail as printed, none as corrected."""
        return self.printed_fails > 0 and self.corrected_fails == 0


@dataclass(frozen=True)
class Judged:
    """One claim of a paper with its verdict.

    Parameters
    ----------
    claim, place : str
        The claim in our words, and where the paper makes it.
    verdict : str
        One of the verdicts of `papers.claims.claim`, or "not run".
    figures : str
        Figures that the verdict rests on.
    command : str
        Command that shows them.
    """

    claim: str
    place: str
    verdict: str
    figures: str
    command: str


def as_text(tables: Iterable[JsonMapping]) -> str:
    """Tables one below the other; figures that cannot be measured are listed once for each column, below the table.

    Parameters
    ----------
    tables : iterable of mapping
        Documents of `papers.Reproduced.to_json`.
    """
    return "\n".join(_table(table) for table in tables)


def _table(table: JsonMapping) -> str:
    lines = [_HEADINGS, *(_line(figure) for figure in table["figures"])]
    text = [table["source"], *textwrap.wrap(table["note"], _WIDTH), ""]
    text += aligned(lines, _RIGHT)
    text += _below("cannot be measured here", reasons(table))
    text += _below("what is wrong in the paper", table["errata"])
    return "\n".join(text) + "\n"


def _line(figure: JsonMapping) -> tuple[str, ...]:
    ratio = "" if figure["ratio"] is None else f"{figure['ratio']:.3g}"
    how = figure["how"].partition(":")[0]  # the reason is below the table
    return (figure["row"], figure["column"], figure["paper"] or "–", shown_figure(figure["ours"]), ratio, how)


def shown_figure(value: float | str | None) -> str:
    """A figure of ours: a whole number where it is one, else four digits; a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"


def reasons(table: JsonMapping) -> list[str]:
    """Each reason once, with the number of figures of a column that have it."""
    counted: dict[str, int] = {}
    for figure in table["figures"]:
        if figure["how"].startswith("cannot"):
            text = f"{figure['column']}: {figure['how'].partition(': ')[2]}"
            counted[text] = counted.get(text, 0) + 1
    return [f"{text} ({n} figure{'s' * (n != 1)})" for text, n in counted.items()]


def _below(title: str, items: Iterable[str]) -> list[str]:
    lines = [
        line for item in items for line in textwrap.wrap(item, _WIDTH, initial_indent="- ", subsequent_indent="  ")
    ]
    return ["", f"{title}:", *lines] if lines else []


def errata_as_text(errata: Iterable[Demonstrated]) -> str:
    """Errata one below the other, each with the counts of its demonstration."""
    lines: list[str] = []
    for erratum in errata:
        lines += [
            f"{erratum.place}: {erratum.name}",
            *_wrapped("printed", erratum.printed),
            *_wrapped("right", erratum.right),
            *_wrapped("tried on", erratum.over),
            f"  of {erratum.cases:,} cases {erratum.printed_fails:,} fail as printed, "
            f"{erratum.corrected_fails:,} as corrected",
            "",
        ]
    return "\n".join(lines)


def claims_as_text(claims: Iterable[Judged]) -> str:
    """Claims one below the other, each with its verdict, figures and command."""
    lines: list[str] = []
    for claim in claims:
        lines += [
            f"{claim.place}: {claim.verdict}",
            *_wrapped("claim", claim.claim),
            *_wrapped("figures", claim.figures),
            *_commands("command", claim.command),
            "",
        ]
    return "\n".join(lines)


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=f"  {label:<10}", subsequent_indent=" " * 12)


def _commands(label: str, text: str) -> list[str]:
    """Commands of a line, broken only behind `&&`, where a shell reads on: so what is printed can be pasted."""
    *begun, last = text.split(" && ")
    first, *others = (*(f"{command} &&" for command in begun), last)
    lines = [f"  {label:<10}{first}"]
    for command in others:
        longer = f"{lines[-1]} {command}"
        lines = [*lines[:-1], longer] if len(longer) <= _WIDTH else [*lines, " " * 12 + command]
    return lines


def as_csv(tables: Iterable[JsonMapping]) -> str:
    """Every figure, one a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("paper", "table", *_HEADINGS))
    for table in tables:
        for f in table["figures"]:
            writer.writerow(
                (table["paper"], table["table"], f["row"], f["column"], f["paper"], f["ours"], f["ratio"], f["how"])
            )
    return text.getvalue()

# SPDX-License-Identifier: Apache-2.0
"""One claim of a paper, and what our figures say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...measurement import Row
from ...pages.reproduction import Demonstrated, Judged
from ...report.evidence import NOT_RUN
from ..reproduction import Reproduced

CONFIRMED, IN_PART, REFUTED, ELSEWHERE = "confirmed", "in part", "refuted", "not confirmed"
"""Verdicts. What is counted or computed refutes; what is measured depends on devices and tools, so that ours can only
fail to confirm."""


@dataclass(frozen=True)
class Evidence:
    """Figures that a claim is judged by.

    Parameters
    ----------
    tables : sequence of Reproduced
        Tables of the paper with our figures.
    rows : sequence of Row
        Measured records.
    errata : mapping of str to Demonstrated
        Demonstrated errata of the paper, by name.
    """

    tables: Sequence[Reproduced]
    rows: Sequence[Row]
    errata: Mapping[str, Demonstrated]

    def ours(self, table: str) -> Mapping[tuple[str, str], float]:
        """Our numbers in a table, by row and column; LookupError without any."""
        (chosen,) = (each for each in self.tables if each.document["table"] == table)
        numbers = {(a.row, a.column): a.ours for a in chosen.answers if isinstance(a.ours, int | float)}
        if not numbers:
            raise LookupError(table)
        return numbers

    def printed(self, table: str, row: str, column: str) -> float:
        """A number as the paper prints it."""
        (chosen,) = (each for each in self.tables if each.document["table"] == table)
        return next(float(a.paper) for a in chosen.answers if (a.row, a.column) == (row, column))

    def fastest(self, core: str, bits: int) -> Row:
        """Record of a core on ECP5 with the least time of an operation, in the mean where it varies; LookupError
        without one."""
        times = {
            time: row
            for row in self.rows
            if (row.request["core"], row.bits, row.target) == (core, bits, "ecp5")
            and not row.wide_lut
            and (time := row.time(row.mean_cycles)) is not None
        }
        if not times:
            raise LookupError(core)
        return times[min(times)]


Finding = tuple[str, str]
"""A verdict, and the figures that it rests on."""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about its result.

    Parameters
    ----------
    text, place : str
        The claim in our words, and the section, table or figure.
    command : str
        Command that shows the figures, or several with `&&` between them.
    finding : callable
        Verdict and figures; LookupError where a figure is missing.
    """

    text: str
    place: str
    command: str
    finding: Callable[[Evidence], Finding]


def verdict(*conditions: bool) -> str:
    """Confirmed where every condition holds, refuted where none does."""
    return CONFIRMED if all(conditions) else IN_PART if any(conditions) else REFUTED


def measured(*conditions: bool) -> str:
    """Confirmed where every condition holds; not confirmed where none does."""
    return ELSEWHERE if not any(conditions) else verdict(*conditions)


def of_erratum(name: str, words: str) -> Callable[[Evidence], Finding]:
    """Finding of an erratum: refuted where a case fails as printed.

    Parameters
    ----------
    name : str
        Name of the erratum.
    words : str
        Format with the fields of `Demonstrated`, and `correct` for the cases that hold as corrected.
    """

    def finding(evidence: Evidence) -> Finding:
        shown = evidence.errata[name]
        fields = vars(shown) | {"correct": shown.cases - shown.corrected_fails}
        return verdict(shown.printed_fails == 0), words.format(**fields)

    return finding


def judged(claims: Iterable[Claim], evidence: Evidence) -> list[Judged]:
    """Each claim with its verdict; "not run" where a figure is missing."""
    return [_judged(claim, evidence) for claim in claims]


def _judged(claim: Claim, evidence: Evidence) -> Judged:
    try:
        result, figures = claim.finding(evidence)
    except LookupError as error:
        result, figures = NOT_RUN, f"no figure of {error.args[0]}"
    return Judged(claim.text, claim.place, result, figures, claim.command)

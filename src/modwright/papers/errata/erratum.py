# SPDX-License-Identifier: Apache-2.0
"""One erratum: what is printed, what is right, and cases that tell the two apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...base.json import JsonObject

Case = tuple[bool, bool]
"""Whether a case holds as printed, and as corrected."""


@dataclass(frozen=True)
class Erratum:
    """One statement of a paper that does not hold.

    Parameters
    ----------
    name : str
        Short, unique among the errata of its paper.
    place : str
        Section, equation, table or algorithm.
    printed, right : str
        The statement, and the one in its place.
    cases : callable
        The cases of the demonstration, computed with integers from the printed statement and from the corrected one.
    over : str
        Words for the cases: what they are, and from where.
    """

    name: str
    place: str
    printed: str
    right: str
    over: str
    cases: Callable[[], Iterable[Case]]


@dataclass(frozen=True)
class Demonstrated:
    """Counts of a demonstration.

    Parameters
    ----------
    cases : int
        How many were tried.
    printed_fails, corrected_fails : int
        How many of them contradict the statement as printed, and as corrected; an erratum is shown when the first is
        above 0 and the second is 0.
    """

    erratum: Erratum
    cases: int
    printed_fails: int
    corrected_fails: int

    @property
    def shown(self) -> bool:
        """Whether the cases show the erratum."""
        return self.printed_fails > 0 and self.corrected_fails == 0

    def to_json(self) -> JsonObject:
        """Plain values."""
        one = self.erratum
        return {
            "name": one.name,
            "place": one.place,
            "printed": one.printed,
            "right": one.right,
            "over": one.over,
            "cases": self.cases,
            "printed_fails": self.printed_fails,
            "corrected_fails": self.corrected_fails,
            "shown": self.shown,
        }


def demonstrate(erratum: Erratum) -> Demonstrated:
    """Try every case of an erratum."""
    cases = list(erratum.cases())
    return Demonstrated(
        erratum,
        len(cases),
        sum(not printed for printed, _ in cases),
        sum(not corrected for _, corrected in cases),
    )

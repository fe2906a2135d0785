# SPDX-License-Identifier: Apache-2.0
"""One erratum: what is printed, what is right, and cases that tell the two apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...pages.reproduction import Demonstrated

Trial = tuple[bool, bool]
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
    cases: Callable[[], Iterable[Trial]]


def demonstrate(erratum: Erratum) -> Demonstrated:
    """Try every case of an erratum."""
    cases = list(erratum.cases())
    return Demonstrated(
        erratum.name,
        erratum.place,
        erratum.printed,
        erratum.right,
        erratum.over,
        len(cases),
        sum(not printed for printed, _ in cases),
        sum(not corrected for _, corrected in cases),
    )

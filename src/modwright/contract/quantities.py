# SPDX-License-Identifier: Apache-2.0
"""Numbers inside an operation: what the parameters allow, what operands can reach, and what a run has reached.

A core states its `Extremes`: quantities with the range that the certificate allows, how they follow from an input
payload, and operands that go to the ends. `Reached` takes operations and keeps least and most of each quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..base.remembered import remembered
from .payload import PayloadValue

Operands = Mapping[str, PayloadValue]
"""An input payload by field."""
Values = Mapping[str, Iterable[int]]
"""The values that quantities take in one operation, by name."""
Spans = Mapping[str, tuple[int, int]]
"""Least and most of them, without quantities that take none."""
Case = Mapping[str, Any]
"""Plain operands, or fields of an input payload under the key `operands.PAYLOAD`."""

REACHED, FURTHEST, MISSED = "reached", "furthest possible reached", "not reached"
"""How near a run came to an end of an allowed range; `FURTHEST` where the end itself cannot be reached."""


@dataclass(frozen=True)
class Quantity:
    """A number inside an operation.

    Parameters
    ----------
    name : str
        Short name, as in the family's formulas.
    least, most : int
        The range that the parameters allow, for which registers, tables and proofs are made.
    why : str
        Source of the range.
    possible : (int, int), optional
        A narrower range that no operands leave; computed from the parameters.
    reason : str
        Reason for `possible`, where it is given.
    """

    name: str
    least: int
    most: int
    why: str
    possible: tuple[int, int] | None = None
    reason: str = ""

    @property
    def ends(self) -> tuple[int, int]:
        """Least and most value that operands can give, as far as the family knows."""
        return self.possible or (self.least, self.most)


@dataclass(frozen=True)
class Extremes:
    """Numbers inside a core, as it states them.

    Parameters
    ----------
    quantities : sequence of Quantity
    observe : callable
        The values of one operation from its input payload, in plain model arithmetic; empty for operands that the
        core refuses.
    candidates : callable
        Cases among which some reach ends: constructed, or drawn at random, some hundreds at most.
    sample : int or None
        Operations of a run that are observed, the first ones; None for all, where observing is about as cheap as the
        model.
    directed : callable
        Further cases by name: structures of the hardware that random operands practically never reach.
    """

    quantities: Sequence[Quantity]
    observe: Callable[[Operands], Values]
    candidates: Callable[[], Iterable[Case]]
    sample: int | None = None
    directed: Callable[[], Mapping[str, Case]] = dict[str, Case]

    @cached_property
    def spans(self) -> Callable[[Operands], Spans]:
        """Function that gives least and most value of each quantity in one operation, and remembers them."""

        def spans(operands: Operands) -> Spans:
            observed = ((name, list(values)) for name, values in self.observe(operands).items())
            return {name: (min(values), max(values)) for name, values in observed if values}

        return remembered(spans)

    def cases(self, encode: Callable[[Case], Operands]) -> dict[str, Case]:
        """Named cases: for each end of each quantity, the first candidate that goes furthest.

        A name says what the case gives, and whether that is the end of the range or only the furthest that was found.

        Parameters
        ----------
        encode : callable
            From a plain case to an input payload.
        """
        found: dict[tuple[str, bool], tuple[int, Case]] = {}
        for case in self.candidates():
            for name, span in self.spans(encode(case)).items():
                for top, value in zip((False, True), span, strict=True):
                    best = found.get((name, top))
                    if best is None or (value > best[0] if top else value < best[0]):
                        found[name, top] = value, case
        names: list[tuple[list[str], Case]] = []
        for quantity in self.quantities:
            for top, end in enumerate(quantity.ends):
                if best := found.get((quantity.name, bool(top))):
                    word = ("least", "most")[top] if best[0] == end else ("least found", "most found")[top]
                    same = next((known for known, case in names if case == best[1]), None)
                    if same is None:
                        names.append((same := [], best[1]))
                    same.append(f"{quantity.name} = {best[0]} ({word})")
        return {", ".join(known): case for known, case in names} | dict(self.directed())


@dataclass
class Reached:
    """Least and most value of each quantity over operations.

    Parameters
    ----------
    extremes : Extremes or None
        None for a core that states nothing.
    observed : int
        Operations that were observed.
    """

    extremes: Extremes | None
    observed: int = 0
    _ends: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def observe(self, operands: Operands) -> list[tuple[Quantity, int]]:
        """Take one operation in; the values that lie outside of their range."""
        if self.extremes is None or (self.extremes.sample is not None and self.observed >= self.extremes.sample):
            return []
        self.observed += 1
        seen = self.extremes.spans(operands)
        return [
            bad for quantity in self.extremes.quantities for bad in self._outside(quantity, seen.get(quantity.name))
        ]

    def _outside(self, quantity: Quantity, span: tuple[int, int] | None) -> Iterator[tuple[Quantity, int]]:
        if span is None:
            return
        low, high = span
        before = self._ends.get(quantity.name, (low, high))
        self._ends[quantity.name] = min(low, before[0]), max(high, before[1])
        least, most = quantity.ends
        if low < least:
            yield quantity, low
        if high > most:
            yield quantity, high

    def records(self) -> list[dict[str, Any]]:
        """A row for each quantity, numbers as exact decimal text; see `record`."""
        if self.extremes is None:
            return []
        return [record(q, self._ends.get(q.name), self.observed) for q in self.extremes.quantities]


def record(quantity: Quantity, ends: tuple[int, int] | None, observed: int) -> dict[str, Any]:
    """One row of a report.

    Returns
    -------
    dict
        name, why, reason; least and most allowed; `possible` least and most or None; `reached` least and most, or
        None where no operation gave a value; `least_status` and `most_status`, one of `REACHED`, `FURTHEST`,
        `MISSED`; and `observed`.
    """
    status = [MISSED, MISSED]
    if ends is not None:
        allowed = quantity.least, quantity.most
        for k in range(2):
            if ends[k] == quantity.ends[k]:
                status[k] = REACHED if ends[k] == allowed[k] else FURTHEST
    return {
        "name": quantity.name,
        "why": quantity.why,
        "least": str(quantity.least),
        "most": str(quantity.most),
        "possible": None if quantity.possible is None else [str(v) for v in quantity.possible],
        "reason": quantity.reason,
        "reached": None if ends is None else [str(v) for v in ends],
        "least_status": status[0],
        "most_status": status[1],
        "observed": observed,
    }


def merged(runs: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Rows of several runs of one core together: the furthest that any of them reached, and all operations observed."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        for row in run:
            rows.setdefault(row["name"], []).append(row)
    return [_joined(same) for same in rows.values()]


def _joined(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = rows[0]
    reached = [tuple(map(int, row["reached"])) for row in rows if row["reached"] is not None]
    ends = (min(low for low, _ in reached), max(high for _, high in reached)) if reached else None
    possible = first["possible"] and (int(first["possible"][0]), int(first["possible"][1]))
    quantity = Quantity(
        first["name"], int(first["least"]), int(first["most"]), first["why"], possible or None, first["reason"]
    )
    return record(quantity, ends, sum(row["observed"] for row in rows))

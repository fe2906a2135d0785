# SPDX-License-Identifier: Apache-2.0
"""Shares of time in which each unit works at full rate, computed from the steps of a schedule.

A unit's work is the number of cycles in which one operation keeps it busy; its share is that work over the initiation
interval. Operations of a burst interleave: a unit that one of them reserves from its first to its last cycle works for
the others in between, so the work of one is the union over the burst divided by its size.

Where cycles depend on operands, the shortest operation has its share of the shortest interval, and the longest one of
the longest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .units import KINDS, kind_of

UnitCycles: TypeAlias = Mapping[str, tuple[Fraction, Fraction]]
"""Busy cycles of one operation by unit: in the shortest operation and in the longest."""


@dataclass(frozen=True)
class Share:
    """Share of the time in which one unit works.

    Parameters
    ----------
    unit : str
        The resource of the steps.
    kind : str
        One of `units.KINDS`.
    busy : tuple of Fraction
        Cycles of the shortest and of the longest operation.
    share : tuple of Fraction
        Shares of the interval after each, in [0, 1].
    """

    unit: str
    kind: str
    busy: tuple[Fraction, Fraction]
    share: tuple[Fraction, Fraction]

    @property
    def percent(self) -> str:
        """The share in per cent, from that of the shortest operation to that of the longest where they differ."""
        first, last = (f"{100 * float(part):.1f}" for part in self.share)
        return f"{first} %" if first == last else f"{first} to {last} %"

    @property
    def cycles(self) -> str:
        """The busy cycles of one operation, from the shortest to the longest where they differ."""
        first, last = (f"{float(count):,g}" for count in self.busy)
        return first if first == last else f"{first} to {last}"

    def to_json(self) -> dict[str, object]:
        """Document of the share; fractions as numbers, rounded to a millionth."""
        return {
            "name": self.unit,
            "kind": self.kind,
            "busy": [_number(count) for count in self.busy],
            "share": [_number(part) for part in self.share],
        }


def work_of_steps(uses: Iterable[tuple[str, int, int, int]], burst: int) -> UnitCycles:
    """Work that steps show.

    Parameters
    ----------
    uses : iterable of (str, int, int, int)
        Unit, first cycle, and cycles in the shortest and in the longest operation.
    burst : int
        Operations that start in consecutive cycles and share the units.
    """
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    for unit, start, shortest, longest in uses:
        least[unit] = least.get(unit, 0) | _cycles(start, shortest, burst)
        most[unit] = most.get(unit, 0) + _cycles(start, longest, burst).bit_count()
    return {unit: (Fraction(least[unit].bit_count(), burst), Fraction(most[unit], burst)) for unit in least}


def _cycles(start: int, busy: int, burst: int) -> int:
    """Bit t for each cycle t in which one operation of a burst is in the unit."""
    one = ((1 << busy) - 1) << start
    cycles = one
    for later in range(1, burst):
        cycles |= one << later
    return cycles


def times(work: UnitCycles, least: int, most: int | None = None, part: str = "") -> UnitCycles:
    """Work of `least` operations of a part in the shortest operation of the whole and of `most` in the longest.

    Units get the name of the part in front.
    """
    front, often = (f"{part}: " if part else ""), least if most is None else most
    return {f"{front}{unit}": (least * low, often * high) for unit, (low, high) in work.items()}


def both(cycles: int) -> tuple[Fraction, Fraction]:
    """The same cycles in the shortest and in the longest operation."""
    return Fraction(cycles), Fraction(cycles)


def total(*works: UnitCycles) -> UnitCycles:
    """The sum of works; a unit that several name is one unit."""
    result: dict[str, tuple[Fraction, Fraction]] = {}
    for work in works:
        for unit, (low, high) in work.items():
            before = result.get(unit, (Fraction(0), Fraction(0)))
            result[unit] = (before[0] + low, before[1] + high)
    return result


def shares_of(work: UnitCycles, burst: int, intervals: Sequence[int]) -> tuple[Share, ...]:
    """Shares at full rate, in the order of `units.KINDS`, and within a kind the busiest first.

    Parameters
    ----------
    work : mapping
    burst : int
        Operations of an interval.
    intervals : sequence of two int
        Cycles after the shortest and after the longest operation.
    """
    found = []
    for unit, busy in work.items():
        least, most = (burst * cycles / interval for cycles, interval in zip(busy, intervals, strict=True))
        found.append(Share(unit, kind_of(unit), busy, (least, most)))
    return tuple(sorted(found, key=lambda share: (KINDS.index(share.kind), -share.share[1], _by_number(share.unit))))


def _by_number(unit: str) -> list[str | int]:
    """The key by which "stage 10" comes after "stage 9"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", unit)]


def _number(value: Fraction) -> float | int:
    return int(value) if value.denominator == 1 else round(float(value), 6)

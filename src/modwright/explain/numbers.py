# SPDX-License-Identifier: Apache-2.0
"""The numbers inside one operation, as the core states them, each in the cycle in which it can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..contract import PayloadValue
from ..prepared import Prepared
from ..schedule import Step
from .families import Family
from .meanings import meaning_of, scaled_name


@dataclass(frozen=True)
class Number:
    """One value of a number inside the operation.

    Parameters
    ----------
    name : str
        Name in the family's formulas, with its index where there are several.
    value : int
    cycle : int or None
        First cycle in which it can be read, by the schedule; None where no step is stated for it.
    meaning : str
        Words on how it follows from other numbers.
    why : str
        Source of its range.
    least, most : int
        The range that the parameters allow.
    """

    name: str
    value: int
    cycle: int | None
    meaning: str
    why: str
    least: int
    most: int


def numbers(prepared: Prepared, payload: Mapping[str, PayloadValue], family: Family, last: int) -> list[Number]:
    """Every number that the core states of an operation on an input payload, in the order of its cycles.

    Parameters
    ----------
    prepared : Prepared
    payload : mapping
    family : Family
        Family, with the steps that compute each number.
    last : int
        Cycle in which the result is valid: that of an operation that is shorter than the longest one.
    """
    if prepared.extremes is None:
        return []
    seen = prepared.extremes.observe(payload)
    found: list[Number] = []
    for quantity in prepared.extremes.quantities:
        values = list(seen.get(quantity.name, ()))
        cycles = _cycles(len(values), _steps(prepared, family, quantity.name), last)
        first = family.first_of(quantity.name)
        if first is not None:
            cycles = iter(range(first, first + len(values)))
        plain, meaning = scaled_name(quantity.name, quantity.why), meaning_of(prepared.core.name, quantity)
        for place, (value, cycle) in enumerate(zip(values, cycles, strict=True)):
            if first is not None and place and value == values[place - 1]:
                continue
            name = plain if len(values) == 1 or first is not None else f"{plain} [{place}]"
            found.append(Number(name, value, cycle, meaning, quantity.why, quantity.least, quantity.most))
    return sorted(found, key=lambda number: last + 1 if number.cycle is None else number.cycle)


def _steps(prepared: Prepared, family: Family, name: str) -> list[Step]:
    """The steps in which a number is made, the earliest first."""
    pattern = family.steps_of(name)
    if pattern is None:
        return []
    return sorted((s for s in prepared.schedule.steps if pattern.fullmatch(s.name)), key=lambda step: step.start)


def _cycles(count: int, steps: Sequence[Step], last: int) -> Iterator[int | None]:
    """Cycles of `count` values: one for each step, evenly over the cycles of one step, or all after the last."""
    if not steps:
        yield from [None] * count
    elif len(steps) == count:
        yield from (min(step.end, last) for step in steps)
    elif len(steps) == 1 and steps[0].busy >= count > 1:
        pace = steps[0].busy // count
        yield from (min(steps[0].start + (place + 1) * pace, last) for place in range(count))
    else:
        yield from [min(max(step.end for step in steps), last)] * count

# SPDX-License-Identifier: Apache-2.0
"""Counts on which the cycles of an operation depend, over operands drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random


@dataclass(frozen=True)
class Distribution:
    """Mean, variance and range of a count, exact."""

    mean: Fraction
    variance: Fraction
    least: int
    most: int


CYCLES = "clocks"
"""Name of the statistic that counts the cycles of an operation themselves."""


@dataclass(frozen=True)
class Count:
    """A secondary counter next to a statistic.

    Parameters
    ----------
    name : str
        Name of the count.
    published : tuple of (str, Fraction)
        Means that papers state: where, and the value.
    """

    name: str
    published: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True)
class Statistic:
    """A count that follows from operands, such as the digits of a multiplier, over operands drawn at random.

    Parameters
    ----------
    name : str
        Name of the count.
    operands : str
        Distribution of the operands.
    draw : callable
        The count of one operation, by the model, with operands from a random generator; with secondary counters,
        all of them in order.
    cycles : int
        Cycles that each adds to an operation; the schedule's latency is that of the largest count.
    exact : Distribution or None
        Theoretical distribution; None where there is none.
    bound : int or None
        The largest count, where theory says no more than that.
    published : tuple of (str, Fraction)
        Means that papers state: where, and the value.
    batch : int
        Operations that are drawn and kept together: some seconds of work, which is what an interruption loses.
    also : tuple of Count
        Further counts of the same operations.
    """

    name: str
    operands: str
    draw: Callable[[Random], int | tuple[int, ...]]
    cycles: int
    exact: Distribution | None = None
    published: tuple[tuple[str, Fraction], ...] = ()
    batch: int = 2000
    also: tuple[Count, ...] = ()
    bound: int | None = None

    @property
    def largest(self) -> int | None:
        """The count of which the schedule's latency is; None where it is not known."""
        return self.bound if self.exact is None else self.exact.most

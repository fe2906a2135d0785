# SPDX-License-Identifier: Apache-2.0
"""Rate at which operations follow each other at full load, where their cycles vary as well."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

FIXED, MEAN, MOST = "fixed", "mean", "most"
"""Kinds of interval that a rate is computed from: the only one, the mean, or the longest where no mean is known."""


def spread(least: int, most: int) -> str:
    """Cycles in words, from the least to the most where they vary."""
    return f"{least:,} cycle{'s' * (least != 1)}" if least == most else f"{least:,} to {most:,} cycles"


@dataclass(frozen=True)
class Pace:
    """Cycles between two operations at full rate; of a burst, those of one of its operations.

    Parameters
    ----------
    least, most : number
        Bounds; equal where no cycle depends on operands.
    mean : number or None
        Mean over random operands; None where no mean is known.
    """

    least: float | Fraction
    most: float | Fraction
    mean: float | Fraction | None

    @classmethod
    def of(cls, interval: int, latency: int, burst: int, constant: bool, mean_latency: float | Fraction | None) -> Pace:
        """The pace of a schedule.

        A core whose cycles vary takes one operation at a time, or one burst: after an operation of c cycles it accepts
        the next one c + burst cycles after the first. The mean of a burst is that of its longest operation, which the
        mean of one does not give.

        Parameters
        ----------
        interval, latency, burst : int
            The schedule's least interval and longest latency in cycles, and its operations a burst.
        constant : bool
            Whether no cycle depends on operands.
        mean_latency : number or None
            Mean cycles of an operation.
        """
        least = Fraction(interval, burst)
        if constant:
            return cls(least, least, least)
        mean = None if mean_latency is None or burst > 1 else mean_latency + 1
        return cls(least, Fraction(max(interval, latency + burst), burst), mean)

    @property
    def kind(self) -> str:
        """Kind of `cycles`: `FIXED`, `MEAN` or `MOST`."""
        return FIXED if self.least == self.most else MOST if self.mean is None else MEAN

    @property
    def cycles(self) -> float:
        """Interval that a rate is computed from: the mean, or the most where no mean is known; never the least."""
        return float(self.most if self.mean is None else self.mean)

# SPDX-License-Identifier: Apache-2.0
"""Error bounds of the cox: the exact distance between a sum of truncated fractions and the true one.

With ξ_i = <X·M_i^-1>_i, the multiple α = floor(Σ ξ_i / m_i) gives X = Σ ξ_i·M_i - α·M for 0 ≤ X < M. Hardware adds
the top f bits of the w-bit ξ_i and an offset Δ: the estimate is floor(Σ floor(ξ_i / 2^(w-f)) / 2^f + Δ).
Sources: Kawamura et al. 2000 (theorem 1); Mehrabi 2019, eqs. (10) to (13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from ..contract import CoxEstimate, Inequality


@dataclass(frozen=True)
class CoxBound:
    """The cox of one base.

    Parameters
    ----------
    width : int
        w, bits of a ξ_i.
    moduli : sequence of int
        m_i < 2^w, or = 2^w.
    f : int
        Top bits that are added, at most w.
    offset : int
        D = 2^f·Δ.
    largest : sequence of int, optional
        Largest ξ_i; m_i - 1 when they are canonical, up to 2^w - 1 otherwise.
    group : int
        Consecutive ξ_i that are summed before they are truncated; divides their number.
    """

    width: int
    moduli: Sequence[int]
    f: int
    offset: int
    largest: Sequence[int] | None = None
    group: int = 1

    @property
    def delta(self) -> Fraction:
        """Offset Δ = D / 2^f."""
        return Fraction(self.offset, 1 << self.f)

    @property
    def maxima(self) -> Sequence[int]:
        """Largest ξ_i of each channel."""
        return self.largest if self.largest is not None else [m - 1 for m in self.moduli]

    @property
    def error(self) -> Fraction:
        """E: the true sum exceeds the truncated one by at least 0 and at most E.

        Two parts: m_i < 2^w counts ξ_i too small, by at most ξ·(1/m - 1/2^w); truncation of a
        group drops at most 2^(w-f) - 1 units of 2^-w.
        """
        cut = (1 << (self.width - self.f)) - 1
        modulus = sum(
            (Fraction(x, m) - Fraction(x, 1 << self.width) for x, m in zip(self.maxima, self.moduli, strict=True)),
            Fraction(0),
        )
        return modulus + Fraction(len(self.moduli) // self.group * cut, 1 << self.width)

    def obligation(self, below: Fraction = Fraction(0)) -> CoxEstimate:
        """The estimate, to be proved; `below` is how far values may lie below 0, in units of the product."""
        return CoxEstimate(self.f, self.offset, self.error, below)

    @property
    def largest_alpha(self) -> int:
        """Largest value of the exact α."""
        return sum((Fraction(x, m) for x, m in zip(self.maxima, self.moduli, strict=True)), Fraction(0)).__floor__()

    @property
    def largest_sum(self) -> int:
        """Largest value of Σ floor(ξ_i / 2^(w-f)) + D."""
        return sum(x >> (self.width - self.f) for x in self.maxima) + self.offset

    def exact(self, largest_value: int) -> tuple[Inequality, Inequality]:
        """The two conditions under which the estimate is α for every 0 ≤ X ≤ largest_value.

        The estimate is floor(α + X/M - e + Δ) with 0 ≤ e ≤ E. What is floored lies on the grid of 2^-f, as α does, so
        it is at least α if α - E + Δ > α - 2^-f; and less than α + 1 if X/M + Δ < 1.
        """
        total = prod(self.moduli)
        return (
            Inequality(
                "alpha-low",
                "E < Δ + 2^-f",
                self.error,
                "<",
                self.delta + Fraction(1, 1 << self.f),
                "else α can come out one too small",
            ),
            Inequality(
                "alpha-high",
                "2^f·X_max < (2^f - D)·M",
                largest_value << self.f,
                "<",
                ((1 << self.f) - self.offset) * total,
                "else α can come out one too large (Mehrabi 2019, eq. 12)",
            ),
        )


def estimate(width: int, f: int, offset: int, xi: Sequence[int]) -> int:
    """The cox in plain integers."""
    return (sum(x >> (width - f) for x in xi) + offset) >> f

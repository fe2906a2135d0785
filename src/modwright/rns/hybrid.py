# SPDX-License-Identifier: Apache-2.0
"""Hybrid position-residue numbers (HPR): polynomials in M, the product of a base, with residues as coefficients.

A modulus P = M^d - β with a small β lets a product of two polynomials be reduced by M^d ≡ β alone. What is left is to
bring its coefficients z_k < D·K² back to the size of M: z_k = r_k + q_k·M, where r_k is known in A and extended to B,
and q_k in B and extended to A. As q_k is a few times M, too, its multiple t_k of M goes on by another position: the cox
of the second extension has it, as the fraction of its sum is q_k/B.

    s_k = r_k + (q_(k-1) - t_(k-1)·M) + t_(k-2) + e_k,    and β times what has passed position d

r_k may come out as r_k + M, and then q_k is one smaller, down to -1. So that no coefficient is negative, e_k, the
digits of P itself, are added.

Sources: Bigou and Tisserand, CHES 2015 (d = 2, P = M² - 2) and "Hybrid position-residues number system", ARITH 2016, as
quoted by Djath, Bigou and Tisserand 2019, section V; the carries t_k are Modwright's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..contract import Inequality
from .base import Base
from .extension import Extension


@dataclass(frozen=True)
class Hybrid:
    """Multiplication modulo P = M^d - β.

    Parameters
    ----------
    degree : int
        d.
    beta : int
        β.
    first, second : Extension
        From A to B with σ = 0, and back, exact.
    """

    degree: int
    beta: int
    first: Extension
    second: Extension

    @property
    def A(self) -> Base:
        """The base whose product is M."""
        return self.first.source

    @property
    def B(self) -> Base:
        """The other base."""
        return self.first.target

    @property
    def radix(self) -> int:
        """M."""
        return self.A.product

    @property
    def modulus(self) -> int:
        """P."""
        return self.radix**self.degree - self.beta

    def from_residues(self, residues: Sequence[int]) -> int:
        """The integer below A·B of residues in A and then in B."""
        low = self.A.from_residues(residues[: self.A.count])
        pairs = zip(residues[self.A.count :], self.B.moduli, strict=True)
        inverse = [(r - low) * pow(self.radix, -1, b) for r, b in pairs]
        return low + self.radix * self.B.from_residues(inverse)

    @property
    def terms(self) -> int:
        """D: products in a coefficient, each passed position d counted β times."""
        return 1 + self.beta * (self.degree - 1)

    @property
    def zero(self) -> tuple[int, ...]:
        """e_k: the digits of P to the base M, P = Σ e_k·M^k."""
        return (self.radix - self.beta, *[self.radix - 1] * (self.degree - 1))

    def times(self, position: int, value: int) -> int:
        """A value that has come from a position, to one after it: β times that where it passed position d."""
        return self.beta * value if position < 0 else value

    def carry(self, hats: Sequence[int]) -> int:
        """t: how often M goes into q, at least 0, from the cox of the second extension."""
        units = sum(self.second.tops(hats)) - (self.second.estimate(hats) << self.second.f)
        return max(0, units * self.B.product // (self.radix << self.second.f))

    @cached_property
    def bound(self) -> int:
        """K, exclusive bound of coefficients: (1 + E1)·M, (1 + E2·B/M)·M, each β times, β·t and e.

        The estimate of q/B is too small by at most E2, and t is rounded down.
        """
        M = self.radix
        high = M + self.second.error * self.B.product
        most = (1 + self.first.error) * M + self.beta * high + self.beta * (self.B.product // M + 1) + M
        return most.__floor__() + 1

    @property
    def largest_q(self) -> int:
        """Largest q."""
        return self.terms * (self.bound - 1) ** 2 // self.radix

    def inequalities(self) -> tuple[Inequality, ...]:
        """Everything that makes it right."""
        low, high = self.second.exact(self.largest_q)
        return (
            Inequality(
                "digits",
                "M > 2·β + 1",
                self.radix,
                ">",
                2 * self.beta + 1,
                "else a coefficient of P does not make up for q = -1",
            ),
            Inequality("cox1", *_rest(self.first.nearly)),
            Inequality("cox2-low", *_rest(low)),
            Inequality("cox2-high", *_rest(high)),
            Inequality(
                "range-B",
                "K <= B",
                self.bound,
                "<=",
                self.B.product,
                "else residues in B do not hold a coefficient",
            ),
        )

    def value(self, coefficients: Sequence[int]) -> int:
        """The number that a polynomial stands for, modulo P."""
        return sum(c * self.radix**k for k, c in enumerate(coefficients)) % self.modulus

    def digits(self, value: int) -> tuple[int, ...]:
        """The polynomial of a number below M^d."""
        return tuple(value // self.radix**k % self.radix for k in range(self.degree))


def _rest(one: Inequality) -> tuple[str, int | Fraction, str, int | Fraction, str]:
    return one.rule, one.left, one.relation, one.right, one.why

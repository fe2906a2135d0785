# SPDX-License-Identifier: Apache-2.0
"""Hybrid position-residue numbers (HPR): polynomials in M, the product of a base, with residues as coefficients.

A modulus P = M^d - β with a small β lets a product of two polynomials be reduced by M^d ≡ β alone. There remains to
bring its coefficients z_k < D·K² back to the size of M: z_k = r_k + q_k·M, where r_k is known in A and extended to B,
and q_k in B and extended to A. As q_k is a few times M, too, its multiple t_k of M is carried to the next position: the
cox of the second extension has it, as the fraction of its sum is q_k/B.

    s_k = r_k + (q_(k-1) - t_(k-1)·M) + t_(k-2) + e_k,    and β times what has passed position d

r_k may come out as r_k + M, and then q_k is one smaller, down to -1. So that no coefficient is negative, e_k, the
digits of P itself, are added.

Sources: Bigou and Tisserand, CHES 2015 (d = 2, P = M² - 2) and "Hybrid position-residues number system", ARITH 2016, as
quoted by Djath, Bigou and Tisserand 2019, section V; the carries t_k are Modwright's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from ..base.errors import ParameterError
from ..contract import Inequality
from .base import Base
from .extension import Extension

MOST_U = 256
"""Bound of u of the moduli of A."""
STEPS, MARGIN = 32, 8
"""Steps to the bound of coefficients, and what is added to it then: M/2^8."""


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
        """Radix M: the product of base A."""
        return self.A.product

    @property
    def modulus(self) -> int:
        """Modulus P."""
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

    @cached_property
    def headroom(self) -> int:
        """Headroom g: the most bits with B ≥ 2^g·M."""
        return (self.B.product // self.radix).bit_length() - 1

    def carry(self, hats: Sequence[int]) -> int:
        """Carry t: the multiple of M in q, from the cox of the second extension; at least 0 and never too large."""
        units = sum(self.second.tops(hats)) - (self.second.estimate(hats) << self.second.f)
        return max(0, units >> (self.second.f - self.headroom))

    @cached_property
    def bound(self) -> int:
        """Exclusive bound K of coefficients, by steps from the least; `inequalities` states that it suffices."""
        K = self.after(0)
        for _ in range(STEPS):
            K = min(self.after(K), self.B.product)
        return K + (self.radix >> MARGIN)

    def after(self, K: int) -> int:
        """Exclusive bound of the coefficients of products of coefficients below K: the sum of r, the rest of q, t and
        e.

        The estimate of q/B is too small by at most E2, t is rounded down, and it is for a B of 2^g·M: the rest of q is
        less than M + E2·2^g·M + q·(B - 2^g·M)/B.
        """
        M, B = self.radix, self.B.product
        q = self.terms * max(0, K - 1) ** 2 // M
        high = M + self.second.error * (M << self.headroom) + Fraction(q * (B - (M << self.headroom)), B)
        most = (1 + self.first.error) * M + self.beta * high + self.beta * (q // M) + M
        return most.__floor__() + 1

    @property
    def largest_q(self) -> int:
        """Largest q."""
        return self.terms * (self.bound - 1) ** 2 // self.radix

    def inequalities(self) -> tuple[Inequality, ...]:
        """Certificate: the inequalities that make the multiplication right."""
        low, high = self.second.exact(self.largest_q)
        return (
            Inequality(
                "digits",
                "M > 2·β + 1",
                self.radix,
                ">",
                2 * self.beta + 1,
                "else a coefficient of P does not make up for q = -1",
                "the least digit of P is M - β, and M >= 2·β makes it as much as β times 1",
            ),
            Inequality(
                "closed",
                "coefficients of products < K",
                self.after(self.bound),
                "<=",
                self.bound,
                "else results cannot be operands",
                "it adds the largest r, rest of q, carry and digit of P, which no operands need have at once",
            ),
            Inequality(
                "carry",
                "g <= f",
                self.headroom,
                "<=",
                self.second.f,
                "the carry is the first g fraction bits of the cox",
                "with fewer bits the carry could be made of what there is; `closed` would have to count that",
            ),
            Inequality(
                "cox1", *_rest(self.first.nearly), "r + 2M would do for M >= 3·β, as `closed` counts E1 as it is"
            ),
            Inequality("cox2-low", *_rest(low)),
            Inequality("cox2-high", *_rest(high)),
            Inequality(
                "range-B",
                "K <= B",
                self.bound,
                "<=",
                self.B.product,
                "else residues in B do not hold a coefficient",
                "cox2-high implies it: D·K^2/M < B, and M < B",
            ),
        )

    def value(self, coefficients: Sequence[int]) -> int:
        """The number that a polynomial stands for, modulo P."""
        return sum(c * self.radix**k for k, c in enumerate(coefficients)) % self.modulus

    def digits(self, value: int) -> tuple[int, ...]:
        """The polynomial of a number below M^d."""
        return tuple(value // self.radix**k % self.radix for k in range(self.degree))


def search(width: int, count: int, degree: int, beta: int = 2) -> Iterator[Base]:
    """Bases of `count` odd moduli of `width` bits with a prime P = M^d - β, those of the smallest moduli's u first."""
    import gmpy2

    us = list(range(1, MOST_U, 2))
    for last in range(count, len(us)):
        for others in combinations(us[:last], count - 1):
            moduli = [(1 << width) - u for u in (*others, us[last])]
            M = math.prod(moduli)
            if math.lcm(*moduli) == M and gmpy2.is_prime(M**degree - beta):
                yield Base(width, (*others, us[last]))


def smallest_base(width: int, count: int, coprime_to: int) -> Base:
    """Base B: the smallest odd u for co-prime moduli, so that it is as large as can be."""
    chosen: list[int] = []
    for u in range(1, 1 << (width - 1), 2):
        m = (1 << width) - u
        if math.gcd(m, coprime_to) == 1 and all(math.gcd(m, (1 << width) - other) == 1 for other in chosen):
            chosen.append(u)
            if len(chosen) == count:
                return Base(width, tuple(chosen))
    raise ParameterError(f"{count} odd moduli of {width} bits, pairwise co-prime", hint="wider channels")


def radix_of(modulus: int, width: int, degree: int, beta: int = 2) -> Base:
    """The base A of moduli of `width` bits with P = A^d - β; d is a power of two.

    Raises
    ------
    ParameterError
        When P is not of this form.
    """
    M = modulus + beta
    for _ in range(degree.bit_length() - 1):
        M = math.isqrt(M)
    form = f"{modulus:#x} is not M^{degree} - {beta} with M a product of moduli 2^{width} - u, u below {MOST_U}"
    hint = "modwright.rns.hybrid.search finds primes of this form"
    if M**degree - beta != modulus:
        raise ParameterError(form, rule="P = M^d - β", left=modulus, right=M**degree - beta, hint=hint)
    us = _factors(M, width, 1)
    if not us:
        raise ParameterError(f"{form}: M is {M:#x}", rule=f"M = Π (2^{width} - u)", hint=hint)
    return Base(width, us)


def _factors(M: int, width: int, least: int) -> tuple[int, ...] | None:
    """Ever larger u from `least` on whose co-prime moduli have the product M."""
    if M == 1:
        return ()
    for u in range(least, MOST_U, 2):
        m = (1 << width) - u
        if M % m == 0 and math.gcd(M // m, m) == 1:
            rest = _factors(M // m, width, u + 2)
            if rest is not None:
                return (u, *rest)
    return None


def _rest(inequality: Inequality) -> tuple[str, int | Fraction, str, int | Fraction, str]:
    return inequality.rule, inequality.left, inequality.relation, inequality.right, inequality.why

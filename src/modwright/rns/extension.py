# SPDX-License-Identifier: Apache-2.0
"""Base extension by Kawamura et al. (KBE) and hierarchical (HBE), in exact integers: bases, conditions, values.

A source base of n = r·c moduli m_(i,j) = 2^w - u_(i,j) has r rows of c columns; row i has the super-modulus A_i, the
product of its moduli. With hats x̂ = |x·(A/m)^-1|_m and super-residues X̂_i = Σ_j x̂_(i,j)·A_i/m_(i,j),

    X = Σ_i X̂_i·A/A_i - h·A,

and the cox estimates h from the top bits of its inputs: the hats (KBE, where c = 1), the super-residues (HBE), or
the sums Σ_j x̂_(i,j) of the rows (HBE as well; Modwright). h is exact, or one too small where σ = 0 and X is
small.

Sources: Kawamura et al., EUROCRYPT 2000 (theorems 1 and 2); Djath, Bigou and Tisserand, "Hierarchical Approach in RNS
Base Extension for Asymmetric Cryptography", 2019 (Algorithms 1 and 2). The conditions are exact, and not the paper's:
it counts the modulus error of a super-residue once, as if X̂_i < A_i, where X̂_i < c·A_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ..base.errors import ParameterError
from ..contract import Inequality
from .base import Base
from .bounds import CoxBound

SUPER, SUM, NONE = "super", "sum", "none"
"""Inputs of the cox of a hierarchical extension: super-residues, or sums of a row's hats; or no cox, h = 0."""


@dataclass(frozen=True)
class Extension:
    """One base extension.

    Parameters
    ----------
    source, target : Base
        Co-prime to each other, of one width w.
    columns : int
        c; 1 for KBE. Divides the number of source moduli.
    f : int
        Fraction bits of what the cox adds: t for KBE, t' - ceil(log2 c) for HBE.
    offset : int
        2^f·σ, where the cox starts.
    fed : str
        `SUPER` or `SUM`; the same for c = 1. With `NONE`, X comes out as X + k·A, 0 ≤ k ≤ E (Bajard and Imbert,
        IEEE Trans. Computers 53(6), 2004).
    canonical : bool
        Whether hats are below their moduli; else they may be any w-bit representative.
    """

    source: Base
    target: Base
    columns: int
    f: int
    offset: int
    fed: str = SUPER
    canonical: bool = False

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.source.width

    @property
    def rows(self) -> int:
        """Rows of the source base, r."""
        return self.source.count // self.columns

    @property
    def sigma(self) -> Fraction:
        """Offset of the cox, σ."""
        return Fraction(self.offset, 1 << self.f)

    @property
    def top_bits(self) -> int:
        """Most significant bits that the cox reads of each input: t, or t'."""
        return self.f + (self.columns - 1).bit_length()

    @cached_property
    def largest_hats(self) -> tuple[int, ...]:
        """Largest hat of each channel."""
        return tuple(m - 1 if self.canonical else (1 << self.width) - 1 for m in self.source.moduli)

    @cached_property
    def super_moduli(self) -> tuple[int, ...]:
        """Super-moduli A_i."""
        return tuple(math.prod(row) for row in self.of_rows(self.source.moduli))

    @cached_property
    def cox(self) -> CoxBound:
        """The error of the cox: E, and the conditions for an exact h; refused without a cox."""
        if self.fed == SUM:
            return CoxBound(self.width, self.source.moduli, self.f, self.offset, self.largest_hats, group=self.columns)
        largest = self.super_residues(self.largest_hats)
        return CoxBound(self.columns * self.width, self.super_moduli, self.f, self.offset, largest)

    @property
    def error(self) -> Fraction:
        """E: the result is below X + E·A, or X + A for E < 1 with a cox."""
        if self.fed == NONE:
            pairs = zip(self.largest_hats, self.source.moduli, strict=True)
            return sum((Fraction(hat, m) for hat, m in pairs), Fraction(-1))
        return self.cox.error

    @property
    def largest_h(self) -> int:
        """Largest h that the cox gives."""
        return sum(self.tops(self.largest_hats), self.offset) >> self.f

    def exact(self, largest: int) -> tuple[Inequality, Inequality]:
        """Conditions for an exact extension of every 0 ≤ X ≤ largest: E < σ + 2^-f and X < (1 - σ)·A."""
        return self.cox.exact(largest)

    @property
    def nearly(self) -> Inequality:
        """Condition for X or X + A as the result, with σ = 0; X + A needs 0 < X < E·A."""
        return Inequality(
            "cox",
            "E < 1 + 2^-f",
            self.error,
            "<",
            self.sigma + 1 + Fraction(1, 1 << self.f),
            "else h can come out two too small",
        )

    # --- the extension itself

    def of_rows(self, values: Sequence[int]) -> list[Sequence[int]]:
        """The values of each row."""
        return [values[first : first + self.columns] for first in range(0, len(values), self.columns)]

    def hats(self, residues: Sequence[int]) -> tuple[int, ...]:
        """x̂, canonical (lines 1 to 3 of both algorithms)."""
        rows = zip(residues, self.source.inverses, self.source.moduli, strict=True)
        return tuple(x * inverse % m for x, inverse, m in rows)

    def super_residues(self, hats: Sequence[int]) -> tuple[int, ...]:
        """X̂_i (line 7 of Algorithm 2); the hats for c = 1."""
        rows = zip(self.of_rows(hats), self.of_rows(self.source.moduli), self.super_moduli, strict=True)
        return tuple(sum(x * (product // m) for x, m in zip(row, moduli, strict=True)) for row, moduli, product in rows)

    def tops(self, hats: Sequence[int]) -> tuple[int, ...]:
        """Addends of the cox for each row, in units of 2^-f; none without a cox."""
        if self.fed == NONE:
            return (0,) * self.rows
        if self.fed == SUM:
            return tuple(sum(row) >> (self.width - self.f) for row in self.of_rows(hats))
        return tuple(value >> (self.columns * self.width - self.f) for value in self.super_residues(hats))

    def estimate(self, hats: Sequence[int]) -> int:
        """Quotient estimate h of the cox."""
        return sum(self.tops(hats), self.offset) >> self.f

    def value(self, hats: Sequence[int]) -> int:
        """The integer Σ X̂_i·A/A_i - h·A that is taken modulo the target base; may be negative."""
        total = sum(x * c for x, c in zip(hats, self.source.cofactors, strict=True))
        return total - self.estimate(hats) * self.source.product

    def apply(self, residues: Sequence[int]) -> tuple[int, ...]:
        """Residues of the source base to canonical ones of the target base, row by row as the algorithms do."""
        hats = self.hats(residues)
        supers, h = self.super_residues(hats), self.estimate(hats)
        product = self.source.product
        return tuple(
            (sum(x % b * (product // a % b) for x, a in zip(supers, self.super_moduli, strict=True)) - h * product) % b
            for b in self.target.moduli
        )


def smallest_extension(
    source: Base,
    target: Base,
    columns: int,
    sigma: Fraction,
    *,
    fed: str = SUPER,
    canonical: bool = False,
    f: int | None = None,
) -> Extension:
    """The extension with the fewest fraction bits for which h is right (σ > 0), or at most one too small (σ = 0).

    Parameters
    ----------
    sigma : Fraction
        0 ≤ σ < 1; lies on the grid of 2^-f.
    f : int, optional
        Number of fraction bits; the fewest that suffice when not given.

    Raises
    ------
    ParameterError
        When no f satisfies E < σ + 2^-f (or E < 1 + 2^-f for σ = 0), or σ is not on the grid of the f given, or that is
        not from 1 to w.
    """
    grid = (sigma.denominator - 1).bit_length()
    if sigma.denominator != 1 << grid:
        raise ParameterError(f"σ = {sigma}", rule="σ is a multiple of 2^-f", hint="such as 1/2 or 15/16")
    least = max(1, grid)
    failure: Inequality | None = None
    if f is not None and not 1 <= f <= source.width:
        raise ParameterError(
            f"a cox with {f} fraction bits",
            rule="1 <= f <= w",
            left=f,
            right=source.width,
            hint="t is f, or f + ceil(log2 c)",
        )
    for bits in range(least, source.width + 1) if f is None else (f,):
        if bits < grid:
            raise ParameterError(
                f"σ = {sigma} with {bits} fraction bits",
                rule="σ is a multiple of 2^-f",
                left=grid,
                right=bits,
                hint="a larger t",
            )
        extension = Extension(source, target, columns, bits, int(sigma * (1 << bits)), fed, canonical)
        condition = extension.exact(0)[0] if sigma else extension.nearly
        if condition.holds:
            return extension
        if failure is None or condition.slack > failure.slack:
            failure = condition
    assert failure is not None
    raise failure.refusal(
        f"the cox of {source.count} moduli 2^{source.width} - u with u up to {max(source.u)}, c = {columns}, "
        f"σ = {sigma}: {failure.why}",
        "wider channels, or a larger t or σ where the core has them as options",
    )


def find_bases(width: int, count: int, *, coprime_to: int = 1) -> tuple[Base, Base]:
    """Two bases of `count` odd moduli 2^w - u each, all pairwise co-prime and co-prime to an integer.

    The 2·count smallest u, found greedily, go to the two in turn: small u suit both the cox and the folds.

    Raises
    ------
    ParameterError
        When there are not enough.
    """
    chosen: list[int] = []
    product = coprime_to
    u = 1
    while len(chosen) < 2 * count and u < 1 << (width - 1):
        m = (1 << width) - u
        if math.gcd(m, product) == 1:
            chosen.append(u)
            product *= m
        u += 2
    if len(chosen) < 2 * count:
        raise ParameterError(
            f"two bases of {count} odd moduli of {width} bits, pairwise co-prime",
            rule="moduli found >= 2n",
            left=len(chosen),
            right=2 * count,
            hint="a wider channel",
        )
    return Base(width, tuple(chosen[0::2])), Base(width, tuple(chosen[1::2]))


@dataclass(frozen=True)
class Reduction:
    """Montgomery reduction modulo P between two bases (Algorithm 3), with A as the Montgomery factor.

    Operands are below λP with λ = 2(1 + E1); up to κ products are summed, and the result S ≡ Σ x·y·A^-1 (mod P) is
    below λP again: S < κ·(λP)²/A + (1 + E1)·P.

    Parameters
    ----------
    modulus : int
        P, odd and co-prime to A.
    first, second : Extension
        From A to B with σ = 0, and back, exact.
    products : int
        κ.
    """

    modulus: int
    first: Extension
    second: Extension
    products: int = 1

    @property
    def A(self) -> Base:
        """The base whose product is the Montgomery factor."""
        return self.first.source

    @property
    def B(self) -> Base:
        """The other base."""
        return self.second.source

    @property
    def growth(self) -> Fraction:
        """Growth 1 + E1 of the quotient in the first extension."""
        return 1 + self.first.error

    @cached_property
    def bound(self) -> int:
        """Exclusive bound of operands and result: floor(λP) + 1."""
        return (2 * self.growth * self.modulus).__floor__() + 1

    @cached_property
    def minus_inverse(self) -> tuple[int, ...]:
        """Residues of -P^-1 in A."""
        return tuple(pow(-self.modulus, -1, a) for a in self.A.moduli)

    def inequalities(self) -> tuple[Inequality, ...]:
        """Certificate: the inequalities that make the extension right."""
        low, high = self.second.exact(self.bound - 1)
        return (
            Inequality(
                "coprime",
                "gcd(P, A) = 1",
                math.gcd(self.modulus, self.A.product),
                "=",
                1,
                "P is inverted modulo A (Algorithm 3, line 1)",
            ),
            Inequality(
                "bases",
                "gcd(A, B) = 1",
                math.gcd(self.A.product, self.B.product),
                "=",
                1,
                "A is inverted modulo B (Algorithm 3, line 4)",
            ),
            Inequality(
                "range-A",
                "A >= 4·κ·(1+E1)·P",
                self.A.product,
                ">=",
                4 * self.products * self.growth * self.modulus,
                "else results grow beyond λP = 2(1+E1)P",
                "it is for the largest operands and the largest Q at once: with 9-bit moduli, 3000 products modulo the "
                "first P that breaks it stayed below the bound",
            ),
            Inequality(
                "range-B",
                "(1-σ2)·B >= λP",
                (1 - self.second.sigma) * self.B.product,
                ">=",
                2 * self.growth * self.modulus,
                "what the second extension takes; B >= 2λP for σ2 = 1/2",
                "cox2-high says the same of floor(λP)",
            ),
            *([self._first_cox()] if self.first.fed != NONE else []),
            Inequality("cox2-low", *_unnamed(low)),
            Inequality("cox2-high", *_unnamed(high)),
        )

    def _first_cox(self) -> Inequality:
        one = self.first.nearly
        return replace(one, name="cox1", stronger="Q + k·A is right for every k <= E1, which all bounds count")

    def apply(
        self, products_a: Sequence[int], products_b: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Lines 1 to 6: residues of X to those of S in A and B, and the integer that Q was extended as."""
        q = [x * k % a for x, k, a in zip(products_a, self.minus_inverse, self.A.moduli, strict=True)]
        extended = self.first.apply(q)
        pairs = zip(products_b, extended, self.B.moduli, strict=True)
        s_b = tuple((x + e * self.modulus) * pow(self.A.product, -1, b) % b for x, e, b in pairs)
        return self.second.apply(s_b), s_b, self.first.value(self.first.hats(q))

    def multiply(self, x: int, y: int) -> int:
        """S of one product, as an integer; for x, y < bound."""
        a, b = (tuple(x * y % m for m in base.moduli) for base in (self.A, self.B))
        s_a, s_b, _ = self.apply(a, b)
        s = self.B.from_residues(s_b)
        if self.A.to_residues(s) != s_a:
            raise ValueError("the two bases do not hold one integer: the second extension was not exact")
        return s


def _unnamed(inequality: Inequality) -> tuple[str, int | Fraction, str, int | Fraction, str]:
    return inequality.rule, inequality.left, inequality.relation, inequality.right, inequality.why

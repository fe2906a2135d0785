# SPDX-License-Identifier: Apache-2.0
"""Conversion between binary numbers and residues: constants, bounds, and the converters in plain integers.

Into residues, digit by digit from the top: x·2^n + d ≡ x·u + d modulo 2^n - u. Out of residues, as one more sum of
residues, in binary: with ξ_j = <z·M_j^-1> (which a core gives at no cost, by scaling its last constants),
v = Σ ξ_j·<M_j>_p + α·<-M>_p is congruent to z modulo p, and v - κp is below 2p for κ = floor(2^-T (Σ ξ_j·K_j + α·K_α))
with K = floor(2^T·w/p). That has no condition on p, and one conditional subtraction makes it exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..contract import Inequality
from .base import Base
from .bounds import CoxBound, estimate
from .folding import FoldPlan

OFFSET_BITS = 1
"""Δ = 1/2 in the converter's α: z is far below M, so that the middle is safe."""


def split(value: int, digit: int, count: int) -> list[int]:
    """`count` digits of `digit` bits, least significant first."""
    return [(value >> (digit * k)) & ((1 << digit) - 1) for k in range(count)]


@dataclass(frozen=True)
class ToResidues:
    """Binary operands into residues.

    Parameters
    ----------
    base : Base
    modulus : int
        An operand that is not below it is malformed.
    operands : int
        1 or 2, converted in turns by one unit.
    """

    base: Base
    modulus: int
    operands: int

    @property
    def digits(self) -> int:
        """Digits of n bits in an operand."""
        return -(-self.modulus.bit_length() // self.base.width)

    def plan(self, channel: int) -> FoldPlan:
        """Reduction of r·u + d for n-bit r and d."""
        word = (1 << self.base.width) - 1
        return FoldPlan(self.base.width, self.base.u[channel], word * self.base.u[channel] + word)

    def apply(self, x: int) -> tuple[int, ...]:
        """Residues as the hardware computes them: representatives, not always the least."""
        return tuple(self._channel(x, channel) for channel in range(self.base.count))

    def _channel(self, x: int, channel: int) -> int:
        plan, u = self.plan(channel), self.base.u[channel]
        residue = 0
        for d in reversed(split(x, self.base.width, self.digits)):
            residue = plan.apply(residue * u + d)
        return residue


@dataclass(frozen=True)
class FromResidues:
    """Scaled residues ξ_j (any n-bit representatives) into a binary number.

    Parameters
    ----------
    base : Base
    modulus : int
        p.
    value_bound : int
        z, as an integer, is below it.
    digit : int
        Bits of a digit of the result, and of a multiplier operand.
    exact : bool
        Whether the result is below p, or only below `bound`.
    factor : int
        Constant by which the result is multiplied modulo p; it is part of the weights and costs nothing.
    """

    base: Base
    modulus: int
    value_bound: int
    digit: int
    exact: bool
    factor: int = 1

    @cached_property
    def cox(self) -> CoxBound:
        """α of the conversion: the fewest bits whose error stays below 1/2."""
        word = (1 << self.base.width) - 1
        largest = [word] * self.base.count
        for f in range(2, self.base.width + 1):
            cox = CoxBound(self.base.width, self.base.moduli, f, 1 << (f - OFFSET_BITS), largest)
            if all(row.holds for row in cox.exact(self.value_bound - 1)):
                return cox
        return cox

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weights of the sum: <M_j·factor>_p, and <-M·factor>_p as the last."""
        return tuple(c * self.factor % self.modulus for c in (*self.base.cofactors, -self.base.product))

    @cached_property
    def kappa_rows(self) -> int:
        """Digits of T: the fewest with a surplus below 1, for which the result is below 2p."""
        return max(1, -(-self._total.bit_length() // self.digit))

    @property
    def _total(self) -> int:
        """Largest Σ ξ_j + α."""
        return self.base.count * ((1 << self.base.width) - 1) + self.cox.largest_alpha

    def _surplus(self, rows: int) -> Fraction:
        """Largest (v/p - 2^-T·Σ ξ_j·K_j): every K is too small by less than one."""
        return Fraction(self._total, 1 << (self.digit * rows))

    @property
    def T(self) -> int:
        """Fraction bits of κ."""
        return self.digit * self.kappa_rows

    @cached_property
    def kappa_weights(self) -> tuple[int, ...]:
        """Weights K = floor(2^T·w/p) of κ, that of α as the last."""
        return tuple((w << self.T) // self.modulus for w in self.weights)

    @cached_property
    def largest_kappa(self) -> int:
        """Largest κ."""
        word = (1 << self.base.width) - 1
        return (word * sum(self.kappa_weights[:-1]) + self.cox.largest_alpha * self.kappa_weights[-1]) >> self.T

    @cached_property
    def bound(self) -> int:
        """Exclusive bound of v - κp."""
        return (self.modulus * (1 + self._surplus(self.kappa_rows))).__ceil__()

    @property
    def rows(self) -> int:
        """Digits of the result."""
        return -(-self.bound.bit_length() // self.digit)

    @property
    def width(self) -> int:
        """Bits of the result."""
        return self.modulus.bit_length() if self.exact else (self.bound - 1).bit_length()

    @property
    def factor_width(self) -> int:
        """Bits of the other multiplier operand: a ξ_j, α or κ."""
        return max(self.base.width, self.largest_kappa.bit_length(), self.cox.largest_alpha.bit_length())

    @cached_property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """Rows of digits: of the K first, then of the weights with that of κ, 2^(rows·digit) - p, as the last."""
        kappa = [split(k, self.digit, self.kappa_rows) for k in self.kappa_weights]
        minus = (1 << (self.rows * self.digit)) - self.modulus
        main = [split(w, self.digit, self.rows) for w in (*self.weights, minus)]
        return (*zip(*kappa, strict=True), *zip(*main, strict=True))

    def inequalities(self) -> tuple[Inequality, ...]:
        """Inequalities that make the conversion right."""
        low, high = self.cox.exact(self.value_bound - 1)
        return (
            Inequality("out-" + low.name, low.rule, low.left, low.relation, low.right, "conversion: " + low.why),
            Inequality("out-" + high.name, high.rule, high.left, high.relation, high.right, "conversion: " + high.why),
            Inequality(
                "out-range",
                "bound of v - κp <= 2p",
                self.bound,
                "<=",
                2 * self.modulus,
                "one conditional subtraction makes the result exact",
            ),
        )

    def apply(self, residues: Sequence[int]) -> int:
        """Result as the hardware computes it."""
        alpha = estimate(self.base.width, self.cox.f, self.cox.offset, residues)
        factors = [*residues, alpha]
        kappa = sum(x * k for x, k in zip(factors, self.kappa_weights, strict=True)) >> self.T
        value = sum(x * w for x, w in zip(factors, self.weights, strict=True)) - kappa * self.modulus
        return value - self.modulus if self.exact and value >= self.modulus else value

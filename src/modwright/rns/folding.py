# SPDX-License-Identifier: Apache-2.0
"""Folding reduction modulo 2^w - u, in exact integers: the folds that a bound needs, and their results.

Since 2^w ≡ u, a number x = hi·2^w + lo is congruent to hi·u + lo. A plan repeats that until the bound says that the
value fits w bits. The model computes with the plan and the RTL is built from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..base.errors import ParameterError
from ..contract import FoldWithAddend, Reduction


def signed_digits(value: int) -> tuple[tuple[int, int], ...]:
    """Non-adjacent form of a value ≥ 0: (sign, power) pairs, least power first.

    >>> signed_digits(7)
    ((-1, 0), (1, 3))
    """
    nonzero, negative = _signed(value)
    places = [power for power, bit in enumerate(reversed(f"{nonzero:b}")) if bit == "1"]
    return tuple((-1 if negative >> power & 1 else 1, power) for power in places)


def signed_weight(value: int) -> int:
    """Number of digits of `signed_digits`."""
    return _signed(value)[0].bit_count()


def _signed(value: int) -> tuple[int, int]:
    """Bits of the digits that are not 0, and of those that are -1: 3·value and value differ one bit above them."""
    triple = 3 * value
    return (triple ^ value) >> 1, (value & ~triple) >> 1


@dataclass(frozen=True)
class Fold:
    """One fold: y = (x mod 2^w) + (x >> w)·u for 0 ≤ x ≤ bound, with 0 ≤ y ≤ result."""

    width: int
    u: int
    bound: int

    @property
    def result(self) -> int:
        """Largest result of the fold."""
        high = self.bound >> self.width
        low = self.bound & ((1 << self.width) - 1)
        if high == 0:
            return self.bound
        return max(high * self.u + low, (high - 1) * self.u + (1 << self.width) - 1)

    def with_addend(self, most: int) -> FoldWithAddend:
        """The fold with a number of up to `most` added, to be proved."""
        return FoldWithAddend(self.width, self.u, self.bound, most)

    def apply(self, x: int) -> int:
        """The fold in plain integers."""
        return (x & ((1 << self.width) - 1)) + (x >> self.width) * self.u


@dataclass(frozen=True)
class FoldPlan:
    """Folds that bring 0 ≤ x ≤ bound into [0, 2^w), in the residue class modulo 2^w - u.

    Parameters
    ----------
    width : int
        w, bits of the modulus.
    u : int
        0 ≤ u < 2^(w-1); u = 0 stands for the modulus 2^w.
    bound : int
        Largest input.

    Raises
    ------
    ParameterError
        When folding stops making the value smaller before it fits w bits (u too large for w).
    """

    width: int
    u: int
    bound: int

    def __post_init__(self) -> None:
        if not 0 <= self.u < 1 << (self.width - 1):
            raise ParameterError(
                f"folding modulo 2^{self.width} - {self.u}",
                rule="0 <= u < 2^(w-1)",
                left=self.u,
                right=1 << (self.width - 1),
            )
        _ = self.folds

    @property
    def modulus(self) -> int:
        """Modulus 2^w - u."""
        return (1 << self.width) - self.u

    @property
    def obligation(self) -> Reduction:
        """The reduction, to be proved."""
        return Reduction(self.width, self.u, self.bound)

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """The folds in order; empty when the bound fits already."""
        folds = []
        bound = self.bound
        while bound >> self.width:
            fold = Fold(self.width, self.u, bound)
            if fold.result >= bound:
                raise ParameterError(
                    f"folding modulo 2^{self.width} - {self.u} does not reach {self.width} bits",
                    rule="each fold makes the bound smaller",
                    left=fold.result,
                    right=bound,
                    hint="a smaller u or a wider modulus",
                )
            folds.append(fold)
            bound = fold.result
        return tuple(folds)

    def apply(self, x: int) -> int:
        """Representative < 2^w, equal to the result of the hardware's folds bit for bit."""
        mask = (1 << self.width) - 1
        for _ in self.folds:
            x = (x & mask) + (x >> self.width) * self.u
        return x

    def canonical(self, x: int) -> int:
        """The representative below the modulus: the folds and one conditional subtraction."""
        x = self.apply(x)
        return x - self.modulus if x >= self.modulus else x

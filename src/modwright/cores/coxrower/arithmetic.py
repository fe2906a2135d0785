# SPDX-License-Identifier: Apache-2.0
"""What the units of a rower compute, in exact integers: the reduction of a sum, and the operand made from the bus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...rns import Fold, FoldPlan


@dataclass(frozen=True)
class SumFold:
    """First fold of a sum of products: y = (x mod 2^w) + (x >> w mod 2^w)·u + <(x >> 2w)·2^(2w)>_m + addend.

    The few bits above 2w pass a table, so that the sum is folded as far as a single product.

    Parameters
    ----------
    width, u : int
        The modulus m = 2^w - u.
    bound : int
        Largest x.
    addend : int
        Largest addend.
    """

    width: int
    u: int
    bound: int
    addend: int

    @cached_property
    def table(self) -> tuple[int, ...]:
        """<top·2^(2w)>_m by top = x >> 2w."""
        m = (1 << self.width) - self.u
        return tuple((top << (2 * self.width)) % m for top in range((self.bound >> (2 * self.width)) + 1))

    @property
    def result(self) -> int:
        """Largest y, at most."""
        word = (1 << self.width) - 1
        return min(word, self.bound) + min(word, self.bound >> self.width) * self.u + max(self.table) + self.addend

    def apply(self, x: int, addend: int) -> int:
        """y."""
        word = (1 << self.width) - 1
        middle = x >> self.width & word
        return (x & word) + middle * self.u + self.table[x >> 2 * self.width] + addend


@dataclass(frozen=True)
class SumReduction:
    """The reduction of a sum to a representative below 2^w: a `SumFold`, then folds."""

    first: SumFold

    @cached_property
    def rest(self) -> FoldPlan:
        """The folds after the first."""
        return FoldPlan(self.first.width, self.first.u, self.first.result)

    @property
    def stages(self) -> int:
        """Clocks: the first fold, folds, and a last one that takes the carry of its own result along."""
        limit = (2 << self.first.width) - self.first.u
        folds = self.rest.folds
        plain = next((n for n, step in enumerate(folds) if step.result < limit), len(folds))
        return 1 + min(plain + 1, len(folds))

    def apply(self, x: int, addend: int = 0) -> int:
        """The representative that the hardware gives; folds beyond those needed change nothing."""
        return self.rest.apply(self.first.apply(x, addend))


@dataclass(frozen=True)
class BusOperand:
    """From a row of two hats to an operand in another channel: S·2^w - V modulo 2^w - u.

    S = x̂1 + x̂2 and V = x̂1·u2 + x̂2·u1 make the super-residue X̂ = S·2^w - V. Here y = S·u + C - V, with C the least
    multiple of the modulus that is not below V, and then as many folds as it takes to come near w bits.

    Parameters
    ----------
    width, u : int
        The modulus of the channel that takes it.
    source : tuple of (int, int)
        u1 and u2 of every row.
    """

    width: int
    u: int
    source: tuple[tuple[int, int], ...]

    SPARE = 2
    """Bits beyond w that an operand may have: a block of 18x18 or 24x17 bits still takes it, with a little logic."""

    @property
    def modulus(self) -> int:
        """2^w - u."""
        return (1 << self.width) - self.u

    @cached_property
    def largest_v(self) -> int:
        """Largest V of any row."""
        return ((1 << self.width) - 1) * max(first + second for first, second in self.source)

    @cached_property
    def offset(self) -> int:
        """C."""
        return -(-self.largest_v // self.modulus) * self.modulus

    @cached_property
    def largest_y(self) -> int:
        """Largest y."""
        return 2 * ((1 << self.width) - 1) * self.u + self.offset

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """Folds of y."""
        folds, bound = [], self.largest_y
        while bound >> (self.width + self.SPARE):
            folds.append(Fold(self.width, self.u, bound))
            bound = folds[-1].result
        return tuple(folds)

    @property
    def bound(self) -> int:
        """Largest operand."""
        return self.folds[-1].result if self.folds else self.largest_y

    def folded(self, count: int) -> tuple[Fold, ...]:
        """`count` folds: those that are needed, and further ones."""
        folds, bound = list(self.folds), self.bound
        while len(folds) < count:
            folds.append(Fold(self.width, self.u, bound))
            bound = folds[-1].result
        return tuple(folds)

    def apply(self, total: int, v: int, count: int) -> int:
        """The operand after y and `count` folds."""
        y = total * self.u + self.offset - v
        for step in self.folded(count):
            y = step.apply(y)
        return y


def row_sums(hats: tuple[int, ...], us: tuple[int, ...]) -> list[tuple[int, int]]:
    """S and V of every row of two."""
    pairs = zip(hats[0::2], hats[1::2], us[0::2], us[1::2], strict=True)
    return [(x1 + x2, x1 * u2 + x2 * u1) for x1, x2, u1, u2 in pairs]

# SPDX-License-Identifier: Apache-2.0
"""Units of a rower in exact integers: the reduction of a sum, and the operand made from the bus."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
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
        """Residues <top·2^(2w)>_m by top = x >> 2w."""
        m = (1 << self.width) - self.u
        return tuple((top << (2 * self.width)) % m for top in range((self.bound >> (2 * self.width)) + 1))

    @property
    def result(self) -> int:
        """Upper bound of y."""
        word = (1 << self.width) - 1
        return min(word, self.bound) + min(word, self.bound >> self.width) * self.u + max(self.table) + self.addend

    def apply(self, x: int, addend: int) -> int:
        """Return y, the reduced sum."""
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
        """Cycles: the first fold, folds, and a last one that includes the carry of its own result."""
        limit = (2 << self.first.width) - self.first.u
        folds = self.rest.folds
        plain = next((n for n, step in enumerate(folds) if step.result < limit), len(folds))
        return 1 + min(plain + 1, len(folds))

    def apply(self, x: int, addend: int = 0) -> int:
        """The representative that the hardware computes; folds beyond those needed change nothing."""
        return self.rest.apply(self.first.apply(x, addend))


@dataclass(frozen=True)
class BusStage:
    """One step on the path from the bus to an operand: y = x·u + C - L or x·u + L, for a limb L of the bus, then folds.

    C is the least multiple of the modulus that is not below L.

    Parameters
    ----------
    width, u : int
        Modulus 2^w - u of the receiving channel.
    largest_x, largest_limb : int
        Largest x and L.
    negative : bool
        Whether L is subtracted.
    """

    width: int
    u: int
    largest_x: int
    largest_limb: int
    negative: bool

    SPARE = 2
    """Bits beyond w that an operand may have: a block of 18x18 or 24x17 bits still suffices, with a little logic."""

    @cached_property
    def offset(self) -> int:
        """Constant C; 0 where L is added."""
        modulus = (1 << self.width) - self.u
        return -(-self.largest_limb // modulus) * modulus if self.negative else 0

    @cached_property
    def largest_y(self) -> int:
        """Largest y."""
        return self.largest_x * self.u + (self.offset if self.negative else self.largest_limb)

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """Folds of y, until it comes near w bits."""
        folds, bound = [], self.largest_y
        while bound >> (self.width + self.SPARE):
            folds.append(Fold(self.width, self.u, bound))
            bound = folds[-1].result
        return tuple(folds)

    def folded(self, count: int) -> tuple[Fold, ...]:
        """First `count` folds: the necessary ones, and further ones."""
        folds = list(self.folds)
        while len(folds) < count:
            folds.append(Fold(self.width, self.u, folds[-1].result if folds else self.largest_y))
        return tuple(folds)

    def bound(self, count: int) -> int:
        """Largest result after `count` folds."""
        folds = self.folded(count)
        return folds[-1].result if folds else self.largest_y

    def apply(self, x: int, limb: int, count: int) -> int:
        """The result after y and `count` folds."""
        y = x * self.u + (self.offset - limb if self.negative else limb)
        mask = (1 << self.width) - 1
        for _ in range(max(count, len(self.folds))):
            y = (y & mask) + (y >> self.width) * self.u
        return y


@dataclass(frozen=True)
class BusOperand:
    """Map from a row of hats on the bus to an operand in another channel.

    A row of c hats is on the bus as limbs L_0 to L_(c-1) (`row_limbs`), and X̂ = Σ_d (-1)^d·L_d·2^(w(c-1-d)). As
    2^w ≡ u, Horner's rule in u gives X̂ modulo 2^w - u in c - 1 stages.

    Parameters
    ----------
    width, u : int
        Modulus 2^w - u of the receiving channel.
    source : tuple of tuple of int
        The u of every row.
    """

    width: int
    u: int
    source: tuple[tuple[int, ...], ...]

    @cached_property
    def largest_limbs(self) -> tuple[int, ...]:
        """Largest L_d of any row."""
        return largest_limbs(self.width, self.source)

    @cached_property
    def _stages(self) -> dict[tuple[int, ...], tuple[BusStage, ...]]:
        """Cache of stages by their counts, as the model uses the same ones in every operation."""
        return {}

    def stages(self, counts: tuple[int, ...]) -> tuple[BusStage, ...]:
        """Stages whose predecessors have the numbers of folds in `counts`."""
        if counts not in self._stages:
            self._stages[counts] = self._made(counts)
        return self._stages[counts]

    def _made(self, counts: tuple[int, ...]) -> tuple[BusStage, ...]:
        bound, stages = self.largest_limbs[0], []
        for d in range(1, min(len(self.largest_limbs), len(counts) + 2)):
            stages.append(BusStage(self.width, self.u, bound, self.largest_limbs[d], d % 2 == 1))
            if d <= len(counts):
                bound = stages[-1].bound(counts[d - 1])
        return tuple(stages)

    def bound(self, counts: tuple[int, ...]) -> int:
        """Largest operand after stages with these numbers of folds."""
        return self.stages(counts)[-1].bound(counts[-1])

    def apply(self, limbs: Sequence[int], counts: tuple[int, ...]) -> int:
        """The operand."""
        y = limbs[0]
        for stage, limb, count in zip(self.stages(counts), limbs[1:], counts, strict=True):
            y = stage.apply(y, limb, count)
        return y


def symmetric(us: Sequence[int], degree: int) -> int:
    """Elementary symmetric polynomial."""
    return sum(math.prod(chosen) for chosen in itertools.combinations(us, degree))


def limb_factors(us: Sequence[int], d: int) -> tuple[int, ...]:
    """Weight of each hat of a row in L_d: the polynomial of degree d in the u of the others.

    A_i/a_j = Π_(k≠j) (2^w - u_k) is Σ_d (-1)^d·2^(w(c-1-d)) times that.
    """
    return tuple(symmetric([*us[:j], *us[j + 1 :]], d) for j in range(len(us)))


def largest_limbs(width: int, source: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Largest L_d of any row, for hats of any w bits."""
    word = (1 << width) - 1
    return tuple(word * max(sum(limb_factors(us, d)) for us in source) for d in range(len(source[0])))


def row_limbs(hats: Sequence[int], source: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Limbs of every row: L_0, the sum of the hats, to L_(c-1)."""
    c = len(source[0])
    rows = zip((hats[first : first + c] for first in range(0, len(hats), c)), source, strict=True)
    return [
        tuple(sum(x * f for x, f in zip(row, limb_factors(us, d), strict=True)) for d in range(c)) for row, us in rows
    ]

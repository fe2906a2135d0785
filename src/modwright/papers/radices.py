# SPDX-License-Identifier: Apache-2.0
"""Plus-minus inversion that divides by 5 and 7 as well, counted: what the paper calls possible.

A pass divides by the largest product of the primes that divides V, or V ± U: 2 up to twice, the others once. With 2
and 3 this is the paper's binary-ternary algorithm. Modulo 2 and 3 one of the two signs always divides; modulo 5 or 7
neither need do so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from ..engines.plus_minus import FUSED
from ..engines.plus_minus import counter as counter_of

TWICE = 4
"""Power of 2 that a pass divides by at most."""


@dataclass(frozen=True)
class Radices:
    """Primes that a pass divides by.

    Parameters
    ----------
    odd : tuple of int
        Odd primes, 3 among them.
    """

    odd: tuple[int, ...]

    @property
    def divisors(self) -> tuple[int, ...]:
        """Every D but 1, ascending."""
        products = itertools.product((1, 2, TWICE), *((1, prime) for prime in self.odd))
        return tuple(sorted(math.prod(product) for product in products))[1:]

    @property
    def small(self) -> int:
        """Modulus of the residues that decide on a pass."""
        return TWICE * math.prod(self.odd)

    def divisor(self, x: int) -> int:
        """The largest D that divides x, 1 where none does."""
        return math.gcd(x, self.small)

    @staticmethod
    def gain(divisor: int) -> int:
        """Half bits by which a division makes a number shorter: floor(2·log2 D)."""
        return (divisor * divisor).bit_length() - 1

    def counter(self, modulus: int) -> Callable[[int], tuple[int, int]]:
        """A function from an operand to the plus-minus steps and the passes that only divide."""

        def count(a: int) -> tuple[int, int]:
            U, V, balance, steps, divisions = modulus, a, 0, 0, 0
            while not -1 <= V <= 1:
                alone = self.divisor(V)
                if alone > 1:
                    V, balance, divisions = V // alone, balance + self.gain(alone), divisions + 1
                    continue
                total = max(V + U, V - U, key=lambda candidate: (self.divisor(candidate), candidate == V + U))
                divisor = self.divisor(total)
                if balance > 0:
                    U, balance = V, -balance
                V, balance, steps = total // divisor, balance + self.gain(divisor) - 2, steps + 1
            return steps, divisions

        return count


COUNTED = {
    "2, 3": Radices((3,)),
    "2, 3, 5": Radices((3, 5)),
    "2, 3, 7": Radices((3, 7)),
    "2, 3, 5, 7": Radices((3, 5, 7)),
}
"""By name."""

OF_FUSED = "2^4, 3^2: fused"
"""Name of the core that divides by more twos and threes in place of larger primes."""
NAMES = (*COUNTED, OF_FUSED)

SAMPLES = 300
"""Operands that the counts of an inversion are the mean of; their standard deviation is below a per cent."""
BY_DIVISOR = 3
"""Constants of a rower for each D: 1/D, -1/D and P/D."""


@dataclass(frozen=True)
class Counted:
    """Counts of inversions that divide by some primes.

    Parameters
    ----------
    steps, divisions : float
        Mean plus-minus steps and passes that only divide.
    most : int
        Most passes of one of the operands.
    constants : int
        Words of a rower that depend on the divisor.
    small : int
        Modulus of the residues that decide on a pass.
    """

    steps: float
    divisions: float
    most: int
    constants: int
    small: int

    @property
    def passes(self) -> float:
        """Mean passes."""
        return self.steps + self.divisions


@cache
def sampled(name: str, modulus: int) -> Counted:
    """Counts over random operands below a modulus, the same for every name."""
    rng = Random(1)
    return _counted(name, modulus, [rng.randrange(1, modulus) for _ in range(SAMPLES)])


@cache
def exhausted(name: str, modulus: int) -> Counted:
    """Counts over every operand but 0 below a modulus."""
    return _counted(name, modulus, range(1, modulus))


def _counted(name: str, modulus: int, operands: Sequence[int]) -> Counted:
    radices = COUNTED.get(name)
    count = counter_of(FUSED, modulus) if radices is None else radices.counter(modulus)
    kind = FUSED if radices is None else radices
    every = [count(operand) for operand in operands]
    steps, divisions = (sum(counts[k] for counts in every) / len(every) for k in (0, 1))
    return Counted(steps, divisions, max(map(sum, every)), BY_DIVISOR * len(kind.divisors), kind.small)

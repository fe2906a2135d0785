# SPDX-License-Identifier: Apache-2.0
"""Base extension by a redundant residue, after Shenoy and Kumaresan: the multiple of A is found, and not estimated.

X is known in a base A and modulo a redundant modulus as well. With hats x̂_i = |X·(A/a_i)^-1|, any representatives,

    Σ x̂_i·A/a_i = X + h·A,

so that h = A^-1·(Σ x̂_i·A/a_i - X) modulo the redundant modulus, which is exact for every X where h is below that
modulus. Here it is 2^k: with A/a_i·A^-1 = a_i^-1, h = Σ x̂_i·a_i^-1 - X·A^-1 modulo 2^k takes the low k bits of hats
and constants.

Source: Shenoy and Kumaresan, IEEE Trans. Computers 38(2), 1989; the power of two is Modwright's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ..contract import Inequality
from .base import Base
from .extension import Extension

REDUNDANT = "redundant"
"""Source of h: the redundant residue of X, in place of the tops of hats."""


@dataclass(frozen=True, kw_only=True)
class RedundantExtension(Extension):
    """An extension whose numbers have a residue modulo 2^k as well. It has no cox: f and offset are 0.

    Parameters
    ----------
    bits : int
        k.
    """

    bits: int

    @cached_property
    def largest_h(self) -> int:
        """Largest h of any hats."""
        pairs = zip(self.largest_hats, self.source.moduli, strict=True)
        return sum((Fraction(hat, a) for hat, a in pairs), Fraction(0)).__floor__()

    @cached_property
    def inverses(self) -> tuple[int, ...]:
        """Inverses a_i^-1 modulo 2^k, by which hats are multiplied."""
        return tuple(pow(a, -1, 1 << self.bits) for a in self.source.moduli)

    @cached_property
    def minus_inverse(self) -> int:
        """The factor -A^-1 of X modulo 2^k."""
        return -pow(self.source.product, -1, 1 << self.bits) % (1 << self.bits)

    def estimate(self, hats: Sequence[int]) -> int:
        """The multiple h of A for 0 ≤ X < A, from the hats in full."""
        pairs = zip(hats, self.source.moduli, strict=True)
        return sum((Fraction(hat, a) for hat, a in pairs), Fraction(0)).__floor__()

    def quotient(self, hats: Sequence[int], residue: int) -> int:
        """The multiple h of A, from the low bits of hats and the residue of X modulo 2^k."""
        total = sum(hat * inverse for hat, inverse in zip(hats, self.inverses, strict=True))
        return (total + residue * self.minus_inverse) % (1 << self.bits)

    @property
    def decided(self) -> Inequality:
        """Condition for the h of every number from 0 to A - 1."""
        return Inequality("redundant", "h < 2^k", self.largest_h, "<", 1 << self.bits, "else h comes out 2^k too small")


def redundant_extension(source: Base, target: Base) -> RedundantExtension:
    """The extension between two bases whose residue modulo 2^k has the fewest bits."""
    least = RedundantExtension(source, target, 1, 0, 0, REDUNDANT, bits=1)
    return replace(least, bits=least.largest_h.bit_length())

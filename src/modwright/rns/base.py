# SPDX-License-Identifier: Apache-2.0
"""Bases of pseudo-Mersenne moduli 2^w - u: search, given ones, conversion both ways.

The cost of a modulus in hardware is the number of signed digits of u (the adders of a fold) and the size of u (the
number of folds), so a search prefers those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..base.errors import ParameterError, UsageError
from .folding import signed_weight

MIN_WIDTH, MAX_WIDTH = 8, 72
"""Channel widths in bits: below 8 there are too few co-prime moduli, above 72 a channel is no longer narrow."""


@dataclass(frozen=True)
class Base:
    """Pairwise co-prime moduli m_i = 2^w - u_i.

    Parameters
    ----------
    width : int
        w, in [8, 72].
    u : tuple of int
        0 ≤ u_i < 2^(w-1), distinct; the order is the order of the channels.

    Raises
    ------
    UsageError
        When a width or u is out of range or two moduli share a factor (which is named).
    """

    width: int
    u: tuple[int, ...]

    def __post_init__(self) -> None:
        if not MIN_WIDTH <= self.width <= MAX_WIDTH:
            raise UsageError(f"a channel has {MIN_WIDTH} to {MAX_WIDTH} bits, not {self.width}")
        if not self.u:
            raise UsageError("a base has at least one modulus")
        for u in self.u:
            if not 0 <= u < 1 << (self.width - 1):
                raise UsageError(f"a modulus is 2^{self.width} - u with 0 <= u < 2^{self.width - 1}, not u = {u}")
        for i, m in enumerate(self.moduli):
            for k in self.moduli[:i]:
                factor = math.gcd(m, k)
                if factor > 1:
                    raise UsageError(f"the moduli {m:#x} and {k:#x} share the factor {factor}")

    @cached_property
    def moduli(self) -> tuple[int, ...]:
        """Moduli m_i = 2^w - u_i."""
        return tuple((1 << self.width) - u for u in self.u)

    @property
    def count(self) -> int:
        """N, the number of channels."""
        return len(self.u)

    @cached_property
    def product(self) -> int:
        """M, the dynamic range: the product of the moduli."""
        return math.prod(self.moduli)

    @cached_property
    def cofactors(self) -> tuple[int, ...]:
        """Cofactors M_i = M / m_i."""
        return tuple(self.product // m for m in self.moduli)

    @cached_property
    def inverses(self) -> tuple[int, ...]:
        """Inverses M_i^-1 modulo m_i."""
        return tuple(pow(c, -1, m) for c, m in zip(self.cofactors, self.moduli, strict=True))

    def to_residues(self, x: int) -> tuple[int, ...]:
        """Canonical residues x mod m_i."""
        return tuple(x % m for m in self.moduli)

    def from_residues(self, residues: Sequence[int]) -> int:
        """The integer in [0, M) of a residue vector; residues may be any representatives."""
        terms = zip(residues, self.inverses, self.cofactors, self.moduli, strict=True)
        return sum((r * inverse % m) * c for r, inverse, c, m in terms) % self.product


def candidates(width: int, limit: int, *, prime: bool = False, coprime_to: int = 1) -> Iterator[int]:
    """Every u ≤ limit, cheapest in hardware first, for which 2^width - u meets the conditions."""
    import gmpy2

    us = sorted(range(min(limit, (1 << (width - 1)) - 1) + 1), key=lambda u: (signed_weight(u), u))
    for u in us:
        m = (1 << width) - u
        if math.gcd(m, coprime_to) == 1 and (not prime or gmpy2.is_prime(m)):
            yield u


def find_base(
    width: int,
    *,
    bits_above: int | None = None,
    count: int | None = None,
    coprime_to: int = 1,
    odd: bool = False,
    avoid: Sequence[int] = (),
) -> Base:
    """Search a base, greedily over ever larger u, cheapest first.

    Parameters
    ----------
    width : int
        w of every modulus, in [8, 72].
    bits_above : int, optional
        Take moduli until their product is at least this integer.
    count : int, optional
        Take exactly this number of moduli instead.
    coprime_to : int
        Integer to which every modulus is co-prime.
    odd : bool
        Leave 2^w itself out.
    avoid : sequence of int
        Moduli of another base, to which this one must be co-prime.

    Raises
    ------
    ParameterError
        When there are not enough such moduli of this width.
    """
    if (bits_above is None) == (count is None):
        raise ValueError("exactly one of bits_above and count")
    fixed = math.lcm(coprime_to, 2 if odd else 1, *avoid)
    limit = 64
    most = (1 << (width - 1)) - 1
    while True:
        base = _greedy(width, limit, fixed, bits_above, count)
        if base is not None:
            return base
        if limit >= most:
            requested = f"{count} moduli" if count is not None else f"moduli with a product of {bits_above} or more"
            raise ParameterError(
                f"{requested} of {width} bits, pairwise co-prime: there are not enough",
                hint="a wider channel or fewer conditions",
            )
        limit = min(limit * 4, most)


def _greedy(width: int, limit: int, fixed: int, goal: int | None, count: int | None) -> Base | None:
    chosen: list[int] = []
    product = 1
    for u in candidates(width, limit, coprime_to=fixed):
        m = (1 << width) - u
        if math.gcd(m, product) != 1:
            continue
        chosen.append(u)
        product *= m
        if (goal is not None and product >= goal) or len(chosen) == count:
            return Base(width, tuple(sorted(chosen)))
    return None

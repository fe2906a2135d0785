# SPDX-License-Identifier: Apache-2.0
"""Bases in which factors of hats are squares, so that operands stored times a root have them in their product.

In a Montgomery reduction the hats of Q are x·y·k_a with k_a = (-P)^-1·(A/a)^-1 modulo a. Where every k_a is a square
r_a², operands that are stored as x·r_a modulo a multiply to a hat of Q at once. In the same way x·y·k_b with
k_b = A^-1·(B/b)^-1 modulo b are the first terms of the hats of S in B. With prime moduli k_a is a square exactly when
the Legendre symbol of -P times the other moduli is 1 modulo a: a symbol for each pair of primes, and one for -P; in
B, for A.

Source: Kawamura, Komano, Shimizu and Yonemura, "RNS Montgomery reduction algorithms using quadratic residuosity",
J. Cryptographic Engineering 9, 2019 (sQ-RNS, and with both bases dQ-RNS). The search is Modwright's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, gcd, prod
from random import Random

from ..base.errors import ParameterError
from .base import Base

CHOSEN = 4
"""Primes of either half of a search that are chosen next to fixed ones."""
MOST = 500_000
"""Choices of a half of a search."""
TRIES, LEAST = 12, 0.1
"""Sets of fixed primes that are tried in one pool, and the least chance of each."""


def hat_factors(number: int, base: Base) -> tuple[int, ...]:
    """Factors 1/number·(A/a)^-1 modulo every a, of the hats of something divided by the number."""
    pairs = zip(base.inverses, base.moduli, strict=True)
    return tuple(inverse * pow(number, -1, a) % a for inverse, a in pairs)


def square_roots(number: int, base: Base) -> tuple[int, ...]:
    """A root of each of these factors modulo its prime, the smaller one; 0 where it has none."""
    return tuple(square_root(k, a) for k, a in zip(hat_factors(number, base), base.moduli, strict=True))


def is_square(x: int, prime: int) -> bool:
    """Whether a number that an odd prime does not divide is a square modulo it (Euler)."""
    return pow(x, (prime - 1) // 2, prime) == 1


def square_root(x: int, prime: int) -> int:
    """The smaller square root modulo an odd prime, 0 where there is none (Tonelli and Shanks)."""
    if not is_square(x, prime):
        return 0
    odd, twos = prime - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    other = next(n for n in range(2, prime) if not is_square(n, prime))
    unit, root, rest = pow(other, odd, prime), pow(x, (odd + 1) // 2, prime), pow(x, odd, prime)
    while rest != 1:
        order, power = 0, rest
        while power != 1:
            order, power = order + 1, power * power % prime
        step = pow(unit, 1 << (twos - order - 1), prime)
        root, unit = root * step % prime, step * step % prime
        rest, twos = rest * unit % prime, order
    return min(root, prime - root)


# --- search


@dataclass(frozen=True)
class _Pool:
    """Primes with the symbols of each modulo each other, as bits.

    Parameters
    ----------
    u : tuple of int
        2^w less each prime.
    odd : tuple of int
        Bit i of number j: prime j has no root modulo prime i.
    needed : int
        Bit i: the number has no root modulo prime i.
    """

    u: tuple[int, ...]
    odd: tuple[int, ...]
    needed: int

    def wrong(self, chosen: Iterable[int]) -> int:
        """Bit i: the factor of prime i has no root where these primes are the base."""
        total = self.needed
        for j in chosen:
            total ^= self.odd[j]
        return total


def _pool_of(width: int, size: int, number: int, apart: int) -> _Pool:
    import gmpy2

    odd_numbers = range((1 << width) - 1, 1 << (width - 1), -2)
    primes = list(itertools.islice((a for a in odd_numbers if gmpy2.is_prime(a) and number * apart % a), size))
    symbols = (sum((not is_square(b, a)) << i for i, a in enumerate(primes) if a != b) for b in primes)
    needed = sum((not is_square(number, a)) << i for i, a in enumerate(primes))
    return _Pool(tuple((1 << width) - a for a in primes), tuple(symbols), needed)


def _search(pool: _Pool, fixed: Sequence[int], halves: tuple[int, int]) -> tuple[int, ...] | None:
    """A base of fixed primes and of as many others as `halves` says, in which every factor is a square.

    Both halves are chosen in every way, and looked up by what they change modulo the fixed primes; the conditions
    modulo their own primes are left to chance.
    """
    others = [i for i in range(len(pool.u)) if i not in fixed]
    mask, start = sum(1 << i for i in fixed), pool.wrong(fixed)
    by_change = dict[int, list[tuple[int, ...]]]()
    for left in itertools.combinations(others, halves[0]):
        by_change.setdefault(pool.wrong(left) & mask, []).append(left)
    for right in itertools.combinations(others, halves[1]):
        for left in by_change.get((pool.wrong(right) ^ start) & mask, ()):
            chosen = (*fixed, *left, *right)
            wrong = pool.wrong(chosen)
            if len(set(chosen)) == len(chosen) and not any(wrong >> i & 1 for i in chosen):
                return chosen
    return None


def rooted_bases(width: int, count: int, modulus: int) -> tuple[Base, Base]:
    """Two bases of `count` odd moduli, pairwise co-prime and co-prime to P; in the first one every k_a is a square."""
    first = _rooted_base(width, count, -modulus)
    return first, _other(width, count, first.u, modulus)


def doubly_rooted_bases(width: int, count: int, modulus: int) -> tuple[Base, Base]:
    """Two bases as of `rooted_bases`, both of primes; in the second one every k_b is a square, too."""
    first = _rooted_base(width, count, -modulus)
    return first, _rooted_base(width, count, first.product, modulus)


def _rooted_base(width: int, count: int, number: int, apart: int = 1) -> Base:
    """A base of primes that divide neither number, in which 1/number·(A/a)^-1 is a square modulo every a.

    The pool of primes grows from the smallest one that gives a chance, as the cost of a modulus grows with its u.

    Raises
    ------
    ParameterError
        When the search finds none.
    """
    left = min(CHOSEN, count // 2)
    halves = left, min(CHOSEN, count - left)
    fixed, chosen = count - sum(halves), sum(halves)
    for others in itertools.count(chosen):
        if comb(others, max(halves)) > MOST:
            break
        if comb(others, chosen) < LEAST * (1 << count):
            continue
        pool = _pool_of(width, fixed + others, number, apart)
        if len(pool.u) < fixed + others:
            break
        for seed in range(TRIES):
            first = Random(seed).sample(range(len(pool.u)), fixed)
            found = _search(pool, first, halves)
            if found is not None:
                return Base(width, tuple(sorted(pool.u[i] for i in found)))
    raise ParameterError(
        f"a base of {count} primes of {width} bits in which the factors of hats are squares modulo each",
        rule=f"at most {MOST:,} choices of {max(halves)} primes",
        hint="wider channels, which are fewer",
    )


def _other(width: int, count: int, first: Sequence[int], modulus: int) -> Base:
    """The smallest u whose moduli are co-prime to those of the first base, to P, and to each other."""
    found: list[int] = []
    product = modulus * prod((1 << width) - u for u in first)
    for u in range(1, 1 << (width - 1), 2):
        if len(found) == count:
            return Base(width, tuple(found))
        if gcd((1 << width) - u, product) == 1:
            found.append(u)
            product *= (1 << width) - u
    raise ParameterError(
        f"a second base of {count} odd moduli of {width} bits",
        rule="moduli found >= n",
        left=len(found),
        right=count,
        hint="a wider channel",
    )

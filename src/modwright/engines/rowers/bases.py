# SPDX-License-Identifier: Apache-2.0
"""The two bases of a field in residues, and the scale of residues in A.

Moduli of A are primes 3 modulo 4, modulo which -1 is not a square. So of v and -v one is a square, and with g² = ±v a
product of two residues, each times g, comes times v at no cost but that of a sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from ...base.errors import ParameterError
from ...rns import Base


def find_root_bases(width: int, count: int, modulus: int) -> tuple[Base, Base]:
    """Bases A and B of `count` moduli 2^w - u each, the smallest u that fit: A of primes 3 modulo 4, B of odd moduli.

    Raises
    ------
    ParameterError
        When there are not enough, co-prime to each other and to the modulus.
    """
    a = _first(_prime_u(width, modulus), count, width)
    b: list[int] = []
    product = modulus
    for u in a:
        product *= (1 << width) - u
    for u in range(1, 1 << (width - 1), 2):
        m = (1 << width) - u
        if len(b) == count:
            break
        if gcd(m, product) == 1:
            b.append(u)
            product *= m
    return Base(width, a), Base(width, _first(iter(b), count, width))


def _prime_u(width: int, modulus: int) -> Iterator[int]:
    import gmpy2

    for u in range(1, 1 << (width - 1), 4):  # 2^w - u is 3 modulo 4
        m = (1 << width) - u
        if gmpy2.is_prime(m) and modulus % m:
            yield u


def _first(us: Iterator[int], count: int, width: int) -> tuple[int, ...]:
    found = tuple(u for u, _ in zip(us, range(count), strict=False))
    if len(found) < count:
        raise ParameterError(
            f"a base of {count} moduli of {width} bits, in A primes 3 modulo 4",
            rule="moduli found >= n",
            left=len(found),
            right=count,
            hint="a wider channel",
        )
    return found


def signed_root(value: int, prime: int) -> tuple[int, bool]:
    """A root g of ±value modulo a prime 3 modulo 4, and whether it is that of -value."""
    root = pow(value, (prime + 1) // 4, prime)
    return root, root * root % prime != value % prime

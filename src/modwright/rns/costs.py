# SPDX-License-Identifier: Apache-2.0
"""Costs of base extensions and multiplications, from operations counted as they are executed.

The configurations are those in which Djath, Bigou and Tisserand 2019 compare HBE with KBE (Table II, Figures 2, 4, 5
and 6): n moduli a base, rows of n/c. Every cost is a count of `counting` over one execution whose result is checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from .counting import Operations, cost, extend, multiply, multiply_hybrid
from .extension import SUM, Extension, Reduction, find_bases, smallest_extension
from .hybrid import Hybrid

WIDTH = 24
"""Bits of a channel, in which 64 small moduli are found; the counts do not depend on it."""

EXTENSION, PRODUCT, HYBRID_2, HYBRID_4 = "base extension", "multiplication", "HPR d = 2", "HPR d = 4"
DEGREES = {HYBRID_2: 2, HYBRID_4: 4}


def one_extension(n: int, columns: int) -> Extension:
    """An extension between two bases of n moduli."""
    return smallest_extension(*find_bases(WIDTH, n), columns, Fraction(1, 2), canonical=True)


def one_reduction(n: int, columns: int) -> Reduction:
    """A reduction modulo the next number above an eighth of A or B that is co-prime to both."""
    A, B = find_bases(WIDTH, n)
    second = smallest_extension(B, A, columns, Fraction(1, 2), canonical=True)
    P = min(A.product, B.product) // 8 | 1
    while math.gcd(P, A.product * B.product) > 1:
        P += 2
    return Reduction(P, Extension(A, B, columns, second.f, 0, canonical=True), second)


def one_hybrid(n: int, columns: int, degree: int) -> Hybrid:
    """A hybrid multiplication whose coefficients have n/d moduli in either base.

    The moduli of B have more bits, so that B is 10 or some more bits above M.
    """
    count = n // degree
    A, _ = find_bases(WIDTH - 4, count)
    B, _ = find_bases(WIDTH - 4 - -10 // count, count, coprime_to=A.product)
    second = smallest_extension(B, A, columns, Fraction(1, 2), fed=SUM, canonical=True, f=16)
    return Hybrid(degree, 2, Extension(A, B, columns, 8, 0, SUM, canonical=True), second)


@cache
def counts(what: str, n: int, columns: int, lazy: bool = False) -> Mapping[str, int]:
    """Operations of one execution, whose result is checked; n is the number of moduli of a base in all."""
    ops = Operations(lazy)
    if what == EXTENSION:
        extension = one_extension(n, columns)
        x = extension.source.product // 3
        right = extend(ops, extension, extension.source.to_residues(x)) == extension.target.to_residues(x)
    elif what == PRODUCT:
        reduction = one_reduction(n, columns)
        x, y = reduction.modulus - 2, reduction.modulus // 3
        s = multiply(ops, reduction, x, y)
        right = (s * reduction.A.product - x * y) % reduction.modulus == 0
    else:
        hybrid = one_hybrid(n, columns, DEGREES[what])
        x, y = (hybrid.digits(hybrid.modulus // k) for k in (3, 7))
        z = multiply_hybrid(ops, hybrid, x, y)
        right = hybrid.value(z) == hybrid.value(x) * hybrid.value(y) % hybrid.modulus
    if not right:
        raise AssertionError(f"{what} of {n} moduli in {columns} columns gave a wrong result")
    return dict(ops.counts)


def spent(what: str, n: int, columns: int, ratio: int, *, lazy: bool = False) -> Fraction:
    """Cost in CMM."""
    return cost(counts(what, n, columns, lazy), Fraction(ratio), lazy=lazy)


def saving(what: str, n: int, ratio: int, *, lazy: bool = False) -> float:
    """Cost with HBE over cost with KBE."""
    return float(spent(what, n, 2, ratio, lazy=lazy) / spent(what, n, 1, ratio, lazy=lazy))

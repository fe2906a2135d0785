# SPDX-License-Identifier: Apache-2.0
"""Errata of Djath, Bigou and Tisserand 2019, hierarchical base extension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod

from .erratum import Erratum, Trial

HALF = Fraction(1, 2)
BASE = (226, 227, 229, 231)
"""Four moduli of 8 bits with n(d_m + e_m) = 0.486 at t = 8: they keep the rule of the paper for an exact extension."""
WIDTH = 8
CASES = 2000


def multiple(X: int, base: Sequence[int], width: int, fraction_bits: int, sigma: Fraction, rows: int = 1) -> int:
    """h of an extension of X: how many times the product of the base is taken from the sum of the CRT.

    Parameters
    ----------
    X : int
        Number to extend.
    base : sequence of int
        Moduli below 2^width.
    width, fraction_bits : int
        Bits of a modulus, and fractional bits of a term that the sum keeps.
    sigma : Fraction
        Start of the sum.
    rows : int
        Moduli of a row, c: 1 is KBE (Algorithm 1); above it the terms are super-residues (Algorithm 2, lines 4 to 11).
    """
    product, total = prod(base), 0
    for row in (base[n : n + rows] for n in range(0, len(base), rows)):
        own = prod(row)
        hats = [(X * pow(product // a, -1, a) % a, own // a) for a in row]
        term = sum(hat * other for hat, other in hats)
        total += term * 2**fraction_bits >> (width * len(row))
    return int(Fraction(total, 2**fraction_bits) + sigma)


def exact_multiple(X: int, base: Sequence[int]) -> int:
    """h by which the extension is X itself."""
    product = prod(base)
    return (sum(X * pow(product // a, -1, a) % a * (product // a) for a in base) - X) // product


def _same_constraints() -> Iterator[Trial]:
    for X in range(1, 1 + CASES):
        exact = exact_multiple(X, BASE)
        hierarchical = multiple(X, BASE, WIDTH, WIDTH, HALF, rows=2)
        yield hierarchical == exact, multiple(X, BASE, WIDTH, WIDTH, HALF) == exact


def _which_end() -> Iterator[Trial]:
    """σ = 0: X close to 0, which the paper takes to be exact, and A - X, which it does not."""
    product = prod(BASE)
    for X in range(1, 1 + CASES // 2):
        low, near = (multiple(v, BASE, WIDTH, WIDTH, Fraction(0)) == exact_multiple(v, BASE) for v in (X, product - X))
        yield low, near


TABLE_3 = {20: ((738.7, 39), (844.8, 45)), 24: ((769.5, 42), (854.4, 52))}
"""Time in ns and blocks of HBE and of KBE at 256 bits, by w (Table III)."""


def _ten_and_nineteen() -> Iterator[Trial]:
    yield tuple(_gains(20)) == (10, 19), tuple(_gains(24)) == (10, 19)


def _gains(width: int) -> Iterator[int]:
    """Time and blocks that HBE saves, in per cent."""
    for ours, theirs in zip(*TABLE_3[width], strict=True):
        yield round(100 * (1 - ours / theirs))


LONGEST = 32
"""Channels at the right end of Figure 2."""


def _up_to_35_percent() -> Iterator[Trial]:
    yield _saving(Fraction(4)) >= Fraction(35, 100), _saving(Fraction(464, 100)) >= Fraction(35, 100)


def _saving(ratio: Fraction) -> Fraction:
    """Share of KBE's cost that HBE saves with CMM/CMR = ratio, c = 2, by the operation counts of section IV."""
    n = LONGEST
    return 1 - (Fraction(n * n, 2) * (1 + 1 / ratio) + 2 * n) / (n * n + n)


ERRATA = (
    Erratum(
        "no further constraint",
        "Section IV-B, eqs. (5) and (6)",
        "A base that is exact for KBE is exact for HBE with t' = t + 1.",
        "A super-residue is below c·A_i, not below A_i, so that the error of the moduli counts c times; 2u ≤ "
        "2^(w-t) is enough.",
        f"X = 1 .. {CASES:,} in the base {BASE}, n(d_m + e_m) = 0.486: HBE as printed, KBE as corrected",
        _same_constraints,
    ),
    Erratum(
        "where X + A appears",
        "Section IV-B",
        "Without an offset (σ = 0) it is X close to A that is extended as X + A.",
        "It is X close to 0.",
        f"X and A - X for X = 1 .. {CASES // 2:,} in the base {BASE}: exact for X as printed, for A - X as corrected",
        _which_end,
    ),
    Erratum(
        "10 % faster, 19 % smaller",
        "Section VI, on Table III",
        "With w = 20 at 256 bits HBE is 10 % faster and takes 19 % fewer blocks.",
        "Those are the figures of w = 24; w = 20 gives 13 % and 13 %.",
        "Table III",
        _ten_and_nineteen,
    ),
    Erratum(
        "up to 35 %",
        "Figure 2 and conclusion",
        "With CMM/CMR up to 4, HBE saves up to 35 % at up to 32 channels.",
        "It saves 33 % there; 35 % takes CMM/CMR = 4.64.",
        "the operation counts of section IV at n = 32",
        _up_to_35_percent,
    ),
)

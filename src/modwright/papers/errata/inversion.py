# SPDX-License-Identifier: Apache-2.0
"""Errata of Bigou and Tisserand 2016, binary-ternary plus-minus modular inversion."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod
from random import Random

from ...catalog import resolve_modulus
from .erratum import Erratum, Trial

CASES, SEED = 40, 1


def centred(value: int, D: int) -> int:
    """The representative of a class modulo D in [-ceil(D/2) + 1, floor(D/2)]."""
    least = 1 - -(-D // 2)
    return (value - least) % D + least


def f(X: int, P: int, D: int) -> int:
    """f_D: the multiple of P that makes X + f·P divisible by D, centred."""
    return centred(-X * pow(P, -1, D), D)


def _update3_4() -> Iterator[Trial]:
    """Every class of X and of P modulo 12, P prime to 6; (X + f_4(X)·P)/4 is X + f_4(X)·P modulo 3."""
    for P in (1, 5, 7, 11):
        for X in range(12):
            t, b = centred(X, 3), centred(X, 4)
            true = (X + f(X, P, 4) * P) // 4 % 3
            yield (t + (P % 4 - 2) * b * P) % 3 == true, (t + f(b, P, 4) * P) % 3 == true


PRINTED_F4 = (0, -1, 2, 1, 0, -1)
"""The row f_4 of Table I, printed over |X|_6 for |P|_6 = 1."""


def _table_1() -> Iterator[Trial]:
    """Every class of X modulo 12, for P = 1 modulo 12."""
    for X in range(12):
        yield (X + PRINTED_F4[X % 6]) % 4 == 0, (X + PRINTED_F4[X % 4]) % 4 == 0


LARGEST, DIVISOR = 200, 12
"""Moduli that are tried, and the largest divisor of Algorithm 1."""


def _divisible() -> Iterator[Trial]:
    """Every P > 2: whether each X has a multiple f·P with which 12 divides X + f·P; of those prime to 6 alone."""
    for P in range(3, LARGEST):
        divides = all(any((X + f * P) % DIVISOR == 0 for f in range(DIVISOR)) for X in range(DIVISOR))
        yield divides, divides or gcd(P, 6) > 1


WIDTH, KEPT = 17, 6
"""w and t of the paper for P-192."""


def _cox_offset() -> Iterator[Trial]:
    """q' of the cox for operands below 2P that are small against M, as values of the algorithm become."""
    P = resolve_modulus("P-192").value
    moduli = _moduli(12)
    M = prod(moduli)
    random = Random(SEED)
    for _ in range(CASES):
        X = random.randrange(2 * P)
        hats = [X * pow(M // m, -1, m) % m for m in moduli]
        exact = (sum(hat * (M // m) for hat, m in zip(hats, moduli, strict=True)) - X) // M
        truncated = sum(hat >> (WIDTH - KEPT) for hat in hats)
        yield truncated >> KEPT == exact, (truncated + 2 ** (KEPT - 1)) >> KEPT == exact


def _moduli(number: int) -> list[int]:
    """The largest pairwise co-prime moduli below 2^17 that are prime to 6."""
    found: list[int] = []
    candidate = 2**WIDTH - 1
    while len(found) < number:
        if gcd(candidate, 6) == 1 and all(gcd(candidate, m) == 1 for m in found):
            found.append(candidate)
        candidate -= 2
    return found


ERRATA = (
    Erratum(
        "update3_4",
        "Section IV-D",
        "update3_4 = |t_X + (|P|_4 - 2)·b_X·P|_3",
        "update3_4 = |t_X + f_4(b_X)·P|_3: as printed, b_X = 2 gives the wrong residue where P ≡ 1 (mod 4), "
        "and nearly every "
        "inversion on P-224 or modulo 2^255 - 19 fails.",
        "every class of X and of P modulo 12",
        _update3_4,
    ),
    Erratum(
        "row f_4",
        "Table I",
        "f_4 is a function of |X|_6, for |P|_6 = 1.",
        "It is one of |X|_4, for |P|_12 = 1.",
        "every class of X modulo 12, P ≡ 1 (mod 12)",
        _table_1,
    ),
    Erratum(
        "the modulus",
        "Algorithm 1, input",
        "P > 2 with gcd(A, P) = 1.",
        "gcd(P, 6) = 1 as well: V3 is divided by 2 and by 3 modulo P.",
        f"every P from 3 to {LARGEST - 1}: can each class modulo 12 be made divisible by a multiple of P",
        _divisible,
    ),
    Erratum(
        "offset of the cox",
        "Section IV-C",
        "The cox sums the t upper bits of each residue; no offset is given.",
        "It needs an offset, 1/2 for instance.",
        f"{CASES} random operands below 2P, P-192, 12 moduli of w = {WIDTH} bits, t = {KEPT}: no offset, and 1/2",
        _cox_offset,
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Numbers in other representations: constants, conditions, and conversions in plain integers.

A binary number is n words of w bits, the least first, in the place of the residues in B. With C = A² mod P:

    into A         hats in B, extended as those of a product's result
    into B         <X·T_a>, the hats in A; an extension whose cox starts from 1/2, exact for X below λP; times A/P
    from binary    hats of Q <Σ d_i·2^(wi)·C·(-P^-1·T_a)>, and <Σ d_i·2^(wi)·C·T_b/A>, the first term of the hats of S
    to binary      the hats of Q of x·1, x̂_b/A as the first term of those of S, which is below 2P; then its digits

A digit is Σ ŝ_i·(B/B_i) - h·B modulo 2^w, and (S - d)/2^w has the hats <(ŝ_b - d·T_b)/2^w>. P is subtracted from the
digits as they come, and added again where S was below P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .....contract import Inequality, PayloadValue
from .....rns.extension import Reduction

T_A, BACK, OVER_A, SHIFTED, LESS = "T in A", "A/P", "1/A", "2^-w", "-T/2^w"
"""Names of factors: into hats in A; behind the exact extension into B; and of conversion to binary."""


def digit_factor(base: str, number: int) -> str:
    """Name of the factor of a digit, in base "A" or "B"."""
    return f"2^{number}w in {base}"


def factors(reduction: Reduction) -> dict[str, tuple[int, ...]]:
    """Factors by name; each modulo the moduli of the base in which it multiplies."""
    A, B, P, w = reduction.A, reduction.B, reduction.modulus, reduction.A.width
    start = A.product**2 % P
    pairs = list(zip(B.inverses, B.moduli, strict=True))
    into_q = [t * k % a for t, k, a in zip(A.inverses, reduction.minus_inverse, A.moduli, strict=True)]
    found = {
        T_A: A.inverses,
        BACK: tuple(A.product * pow(P, -1, b) % b for b in B.moduli),
        OVER_A: tuple(pow(A.product, -1, b) for b in B.moduli),
        SHIFTED: tuple(pow(1 << w, -1, b) for b in B.moduli),
        LESS: tuple(-t * pow(1 << w, -1, b) % b for t, b in pairs),
    }
    for number in range(A.count):
        weight = start << (w * number)
        in_a = zip(into_q, A.moduli, strict=True)
        found[digit_factor("A", number)] = tuple(weight * q % a for q, a in in_a)
        found[digit_factor("B", number)] = tuple(weight * t * pow(A.product, -1, b) % b for t, b in pairs)
    return found


def inequalities(reduction: Reduction) -> tuple[Inequality, ...]:
    """Conditions of the conversions."""
    A, P, growth = reduction.A, reduction.modulus, reduction.growth
    exactly = replace(reduction.first, offset=reduction.second.offset)
    low, high = exactly.exact(reduction.bound - 1)
    words = 1 << (A.width * A.count)
    return (
        replace(
            low, name="into-B-low", stronger="moduli of A are the larger ones, so `cox2-low` says more of the same f"
        ),
        replace(high, name="into-B-high", stronger="`range-A` has A >= 2λP, so no parameters can break it"),
        Inequality(
            "from-binary",
            "2^(nw)/A <= 1 + E1",
            Fraction(words, A.product),
            "<=",
            growth,
            "n words of any value come out below λP",
            "E1 counts u/2^w of every channel, and what the cox cuts off, which is more than its higher powers",
        ),
        Inequality(
            "to-binary",
            "λP/A + (1+E1)P < 2P",
            Fraction(reduction.bound, A.product) + growth * P,
            "<",
            2 * P,
            "else P has to be subtracted more than once",
            "it is for the largest operand and the largest Q at once",
        ),
    )


def digits_of(value: int, width: int, count: int) -> tuple[int, ...]:
    """The words of a number, the least first."""
    return tuple(value >> (width * k) & ((1 << width) - 1) for k in range(count))


def number_of(words: Sequence[int], width: int) -> int:
    """The number of words, the least first."""
    return sum(word << (width * k) for k, word in enumerate(words))


def in_place(words: Sequence[int]) -> tuple[int, ...]:
    """An operand or a result that is a binary number: zeros in A, words in B."""
    return (*[0] * len(words), *words)


def words_in(value: PayloadValue) -> tuple[int, ...]:
    """The words of an operand or a result that is a binary number."""
    assert isinstance(value, tuple)
    return value[len(value) // 2 :]

# SPDX-License-Identifier: Apache-2.0
"""Operands on residues, and the judgement of their results, in plain integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from random import Random

from .claim import ResidueClaim, Vector
from .polynomial_claim import Digits, PolynomialClaim


def words_of(value: int, vector: Vector) -> list[int]:
    """Words of a field."""
    return [value >> k * vector.bits & ((1 << vector.bits) - 1) for k in range(len(vector.moduli))]


def integer_of(value: int, vector: Vector) -> int:
    """The integer whose words a field has."""
    M = prod(vector.moduli)
    total = 0
    for word, s, m in zip(words_of(value, vector), vector.scale, vector.moduli, strict=True):
        total += word * pow(s, -1, m) % m * pow(M // m, -1, m) % m * (M // m)
    return total % M


def word_of(X: int, s: int, m: int, bits: int, rng: Random) -> int:
    """Any word of so many bits that is congruent to s·X modulo m."""
    word = s * X % m
    return word + m * rng.randint(0, ((1 << bits) - 1 - word) // m)


def integer_below(limit: int, rng: Random, *, largest: bool) -> int:
    """A number below a limit, often at an end."""
    top = limit - 1
    edges = (top, top - rng.getrandbits(8), rng.randrange(limit), rng.randrange(limit), 0, 1)
    return max(0, rng.choice(edges[:2] if largest else edges))


def draw_residues(claim: ResidueClaim | PolynomialClaim, rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end, the largest first; words are any numbers of their class."""
    while True:
        found: dict[str, int] = {}
        largest = rng.random() < 0.5
        if isinstance(claim, PolynomialClaim):
            for operand in claim.operands.values():
                found |= _coefficients(operand, claim.degree, rng, largest=largest)
            yield found
            continue
        for name, vector in claim.operands.items():
            X = integer_below(vector.limit, rng, largest=largest)
            pairs = enumerate(zip(vector.scale, vector.moduli, strict=True))
            found[name] = sum(word_of(X, s, m, vector.bits, rng) << k * vector.bits for k, (s, m) in pairs)
        yield found


def _coefficients(operand: Digits, degree: int, rng: Random, *, largest: bool) -> dict[str, int]:
    """Fields of an operand that is coefficients."""
    found = dict.fromkeys(operand.bases, 0)
    for k in range(degree):
        X = integer_below(operand.limit, rng, largest=largest)
        for field, i, m in operand.moduli:
            bits = operand.bits[field]
            found[field] |= word_of(X, 1, m, bits, rng) << operand.word(field, i, k) * bits
    return found


def coefficients_in(values: Mapping[str, int], digits: Digits, degree: int) -> list[int]:
    """Coefficients whose words some fields have."""
    moduli = digits.moduli
    vector = Vector(tuple(m for _, _, m in moduli), (1,) * len(moduli), digits.limit, max(digits.bits.values()))
    found: list[int] = []
    for k in range(degree):
        total = 0
        for c, (field, i, _) in enumerate(moduli):
            bits = digits.bits[field]
            total |= (values[field] >> digits.word(field, i, k) * bits & ((1 << bits) - 1)) << c * vector.bits
        found.append(integer_of(total, vector))
    return found


def judge_residues(
    claim: ResidueClaim | PolynomialClaim, operands: Mapping[str, int], outcome: Mapping[str, int]
) -> str:
    """The fault of a result; empty when there is none."""
    if outcome[claim.error]:
        return f"error code {outcome[claim.error]}"
    if isinstance(claim, PolynomialClaim):
        return _judge_coefficients(claim, operands, outcome)
    product = claim.factor
    for name, vector in claim.operands.items():
        product *= integer_of(operands[name], vector)
    Z = integer_of(outcome[claim.result], claim.vector)
    if not 0 <= Z < claim.vector.limit:
        return f"{claim.result} has the residues of {Z:#x}, not below its limit"
    return f"{claim.result} has the residues of {Z:#x}, which is not congruent" if (Z - product) % claim.modulus else ""


def _judge_coefficients(claim: PolynomialClaim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    def value(coefficients: list[int]) -> int:
        return sum(X * claim.radix**k for k, X in enumerate(coefficients))

    found = coefficients_in(outcome, claim.digits, claim.degree)
    if max(found) >= claim.digits.limit:
        return f"{claim.result} has the coefficients {', '.join(map(hex, found))}, not all below their limit"
    product = prod(value(coefficients_in(operands, given, claim.degree)) for given in claim.operands.values())
    wrong = (value(found) - product) % claim.modulus
    return f"{claim.result} has the coefficients {', '.join(map(hex, found))}, which are not congruent" if wrong else ""

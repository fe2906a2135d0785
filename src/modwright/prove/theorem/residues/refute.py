# SPDX-License-Identifier: Apache-2.0
"""Operands on residues, and the judgement of their results, in plain integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from random import Random

from .claim import ResidueClaim, Vector


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


def draw_residues(claim: ResidueClaim, rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end, the largest first; words are any numbers of their class."""
    while True:
        found: dict[str, int] = {}
        largest = rng.random() < 0.5
        for name, vector in claim.operands.items():
            top = vector.limit - 1
            edges = (top, top - rng.getrandbits(8), rng.randrange(vector.limit), rng.randrange(vector.limit), 0, 1)
            X = max(0, rng.choice(edges[:2] if largest else edges))
            found[name] = 0
            for k, (s, m) in enumerate(zip(vector.scale, vector.moduli, strict=True)):
                word = s * X % m
                room = ((1 << vector.bits) - 1 - word) // m
                found[name] |= word + m * rng.randint(0, room) << k * vector.bits
        yield found


def judge_residues(claim: ResidueClaim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    """The fault of a result; empty when there is none."""
    if outcome[claim.error]:
        return f"error code {outcome[claim.error]}"
    product = claim.factor
    for name, vector in claim.operands.items():
        product *= integer_of(operands[name], vector)
    Z = integer_of(outcome[claim.result], claim.vector)
    if not 0 <= Z < claim.vector.limit:
        return f"{claim.result} has the residues of {Z:#x}, not below its limit"
    return f"{claim.result} has the residues of {Z:#x}, which is not congruent" if (Z - product) % claim.modulus else ""

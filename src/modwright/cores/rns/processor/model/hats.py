# SPDX-License-Identifier: Apache-2.0
"""Hats in B of numbers that enter or leave the domain, as the rowers compute them."""

from __future__ import annotations

from collections.abc import Sequence

from ..parameters import ProcessorParameters
from ..plan.conversions import OVER_A, digit_factor


def times(values: Sequence[int], constants: Sequence[int]) -> list[int]:
    """Products in every rower."""
    return [a * b for a, b in zip(values, constants, strict=True)]


def from_binary_hats(p: ProcessorParameters, x: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Hats of Q in A and of S in B, from the words of a binary number."""
    words = p.engine.reduce(1, x[p.n :])
    first, q = (p.engine.reduce(base, _weighed(p, words, name)) for base, name in ((1, "B"), (0, "A")))
    return q, p.engine.extend(0, q, first)


def _weighed(p: ProcessorParameters, words: Sequence[int], base: str) -> list[int]:
    """Sums of all words times the factors of each channel."""
    weights = zip(*(p.constants[digit_factor(base, k)] for k in range(p.n)), strict=True)
    return [sum(times(words, channel)) for channel in weights]


def to_binary_hats(p: ProcessorParameters, x: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Hats of Q in A and of S in B of x·1, with x out of the domain."""
    q = p.engine.reduce(0, times(x[: p.n], p.engine.factors[0]))
    return q, p.engine.extend(0, q, times(x[p.n :], p.constants[OVER_A]))

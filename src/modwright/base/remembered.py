# SPDX-License-Identifier: Apache-2.0
"""Results of the model and numbers inside an operation, kept for the same operands.

A run simulates its operations in several patterns of stalls. Hardware runs them each time; what is expected of them is
the same, and the model of a large core takes longer than its simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

A = TypeVar("A", bound=Hashable)
R = TypeVar("R")
MOST = 10_000
"""Operations that are kept, the first ones: above the cases of a `build` and its edges, and some ten MB at 256 bits. A
longer run computes the others in each pattern."""


def remembered(function: Callable[[Mapping[str, A]], R], most: int = MOST) -> Callable[[Mapping[str, A]], R]:
    """A function of an input payload that computes the first `most` results once.

    Parameters
    ----------
    function : callable
        Pure function, whose results nobody changes.
    most : int
    """
    results: dict[tuple[tuple[str, A], ...], R] = {}

    def result(operands: Mapping[str, A]) -> R:
        key = tuple(operands.items())
        if (known := results.get(key)) is not None:
            return known
        computed = function(operands)
        if len(results) < most:
            results[key] = computed
        return computed

    return result

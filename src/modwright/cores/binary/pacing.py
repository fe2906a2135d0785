# SPDX-License-Identifier: Apache-2.0
"""Registers of a long pipeline: `rtl.pipeline.place_registers` for more stages than can be tried one choice by one."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from ...errors import ParameterError


def place(delays: Sequence[float], count: int, *, tail: float, forced: frozenset[int], what: str) -> tuple[int, ...]:
    """Choose after which of the stages `count` registers go, so that the slowest stretch is shortest.

    Parameters
    ----------
    delays : sequence of float
        Estimated delay of each stage; a register may follow each.
    count : int
        From the number of forced registers to the number of stages.
    tail : float
        Delay of what follows the last stage.
    forced : frozenset of int
        Stages that must be followed by a register.
    what : str
        Name of the pipeline, for the error.

    Returns
    -------
    tuple of int
        0 or 1 for each stage; of equal choices the one with the earliest registers.
    """
    if not len(forced) <= count <= len(delays):
        raise ParameterError(
            f"{what} cannot have a latency of {count + 1} clocks",
            rule=f"{len(forced) + 1} <= latency <= {len(delays) + 1}",
            hint=f"a latency from {len(forced) + 1} to {len(delays) + 1}",
        )
    limit = _least_limit(delays, count, tail, forced)
    placed: list[int] = []
    stretch = 0.0
    for stage, delay in enumerate(delays):
        left = count - sum(placed)
        stretch += delay
        after = frozenset(s - stage - 1 for s in forced if s > stage)
        here = left > 0 and stretch <= limit and needed(delays[stage + 1 :], tail, after, limit) < left
        placed.append(int(here))
        stretch = 0.0 if here else stretch
    return tuple(placed)


def _least_limit(delays: Sequence[float], count: int, tail: float, forced: frozenset[int]) -> float:
    """Slowest stretch of the best placement: the least delay of any stretch that is long enough."""
    stages = [*delays, tail]
    limits = sorted(sum(stages[s:e]) for s in range(len(stages)) for e in range(s + 1, len(stages) + 1))
    return limits[bisect_left(limits, True, key=lambda limit: needed(delays, tail, forced, limit) <= count)]


def needed(delays: Sequence[float], tail: float, forced: frozenset[int], limit: float) -> float:
    """Fewest registers with no stretch slower than the limit, each as late as it can be; infinite if none do."""
    if max((*delays, tail)) > limit:
        return math.inf
    registers, stretch = 0, 0.0
    for stage, delay in enumerate((*delays, tail)):
        if stretch + delay > limit or stage - 1 in forced:
            registers, stretch = registers + 1, 0.0
        stretch += delay
    return registers

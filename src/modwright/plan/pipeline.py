# SPDX-License-Identifier: Apache-2.0
"""Placement of the registers of a pipeline: the choice that makes its slowest stretch shortest."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

ADDER_BASE = 2.0
ADDER_BIT = 0.035
LOOKUP = 1.4
BLOCK = 3.9
WAY = 1.5
"""Delays in ns on ECP5 speed 6, for balancing only, never reported: an adder's route, first and last cell, and its
carry a bit (nextpnr: 1.15 + 0.45 + 0.44, and 0.07 for two bits); a LUT with its route (0.24 + 1.15); a multiplier block
without output register (setup 3.49 plus the rest of its route); the surplus of a route into or out of a block over
another route (1.4 to 3.5 instead of 0.4 to 1.3)."""

SELECT = 2 * LOOKUP
"""Estimated delay of a multiplexer of operands, in ns."""


def adder(width: int, operands: int = 2) -> float:
    """Estimated delay of a sum: carry-save levels for more than two operands, then one carry chain."""
    levels = 0
    while operands > 2:
        operands -= operands // 3
        levels += 1
    return ADDER_BASE + ADDER_BIT * width + LOOKUP * levels


def place_registers(
    delays: Sequence[float], count: int, *, tail: float, forced: frozenset[int] = frozenset()
) -> tuple[int, ...]:
    """Choose after which of the stages the `count` registers go.

    Parameters
    ----------
    delays : sequence of float
        Estimated delay of each stage, in order; a register may follow each.
    count : int
        Number of registers to place. Any beyond the number of stages go behind the first stage, the multiplier
        blocks, which have registers inside or can be retimed.
    tail : float
        Delay of what follows the last stage, up to the next register.
    forced : frozenset of int
        Stages that must be followed by a register; at most `count`.

    Returns
    -------
    tuple of int
        Number of registers behind each stage; of equal choices the one with the earliest registers.
    """
    if count < len(forced):
        raise ValueError(f"{count} registers cannot follow {len(forced)} stages")

    surplus = max(0, count - len(delays))
    limit = _slowest(delays, count, tail, forced)
    placed: list[int] = []
    stretch = 0.0
    for stage, delay in enumerate(delays):
        left = count - surplus - sum(placed)
        stretch += delay
        behind = frozenset(s - stage - 1 for s in forced if s > stage)
        here = left > 0 and stretch <= limit and registers_needed(delays[stage + 1 :], tail, behind, limit) < left
        placed.append(int(here))
        stretch = 0.0 if here else stretch
    return tuple(n + surplus * (stage == 0) for stage, n in enumerate(placed))


def _slowest(delays: Sequence[float], count: int, tail: float, forced: frozenset[int]) -> float:
    """Delay of the slowest stretch in the best placement: the least of all stretches that is long enough."""
    stages = [*delays, tail]
    limits = sorted(sum(stages[s:e]) for s in range(len(stages)) for e in range(s + 1, len(stages) + 1))
    return limits[bisect_left(limits, True, key=lambda limit: registers_needed(delays, tail, forced, limit) <= count)]


def registers_needed(delays: Sequence[float], tail: float, forced: frozenset[int], limit: float) -> float:
    """Fewest registers with no stretch slower than `limit`, each as late as it can be; infinite if a stage is slower.

    The parameters are those of `place_registers`.
    """
    if max((*delays, tail)) > limit:
        return math.inf
    registers, stretch = 0, 0.0
    for stage, delay in enumerate((*delays, tail)):
        if stretch + delay > limit or stage - 1 in forced:
            registers, stretch = registers + 1, 0.0
        stretch += delay
    return registers

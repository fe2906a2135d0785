# SPDX-License-Identifier: Apache-2.0
"""Where the registers of a pipeline go: the choice that makes its slowest stretch shortest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ..errors import ParameterError

ADDER_BASE = 1.9
ADDER_BIT = 0.023
LOOKUP = 1.1
BLOCK = 3.9
"""Delays in ns on ECP5 speed 6, for balancing only, never reported: an adder's routing and first cell, its carry a
bit (a 132-bit adder between registers closes at 5.6 ns), a LUT with its route, a multiplier block without output
register (setup 3.49 ns plus its route)."""


def adder(width: int, operands: int = 2) -> float:
    """Estimated delay of a sum: carry-save levels for more than two operands, then one carry chain."""
    levels = 0
    while operands > 2:
        operands -= operands // 3
        levels += 1
    return ADDER_BASE + ADDER_BIT * width + LOOKUP * levels


def place_registers(
    delays: Sequence[float], count: int, *, tail: float, forced: frozenset[int] = frozenset(), what: str
) -> tuple[bool, ...]:
    """Choose after which of the stages the `count` registers go.

    Parameters
    ----------
    delays : sequence of float
        Estimated delay of each stage, in order; a register may follow each.
    count : int
        Number of registers to place.
    tail : float
        Delay of what follows the last stage, up to the next register.
    forced : frozenset of int
        Stages that must be followed by a register.
    what : str
        Name of the pipeline, for the error.

    Returns
    -------
    tuple of bool
        Whether a register follows each stage; of equal choices the one with the earliest registers.

    Raises
    ------
    ParameterError
        When there are fewer stages than registers, or more forced ones.
    """
    if not len(forced) <= count <= len(delays):
        raise ParameterError(
            f"the pipeline of {what} cannot have {count + 1} clocks of latency",
            rule=f"{len(forced) + 1} <= latency <= {len(delays) + 1}",
            hint=f"a latency from {len(forced) + 1} to {len(delays) + 1}",
        )

    def slowest(chosen: tuple[int, ...]) -> float:
        worst = stretch = 0.0
        for stage, delay in enumerate(delays):
            stretch += delay
            if stage in chosen:
                worst, stretch = max(worst, stretch), 0.0
        return max(worst, stretch + tail)

    candidates = (c for c in combinations(range(len(delays)), count) if forced <= set(c))
    best = min(candidates, key=slowest)
    return tuple(stage in best for stage in range(len(delays)))

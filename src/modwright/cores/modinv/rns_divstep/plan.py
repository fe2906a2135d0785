# SPDX-License-Identifier: Apache-2.0
"""Products of the rowers in a round of divsteps and their cycles: found by placing them in a table of period R.

Cycle 0 of a round is the one in which the hats of f can be read; those of g follow two cycles later. The path from
there to the next f bounds the length of a round: low bits, divsteps, matrix. The other products are placed in between.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ....base.errors import ParameterError
from ....engines.inversion.engine import TREE_CYCLES, InversionEngine


@dataclass(frozen=True)
class RoundTimes:
    """Cycles of a round.

    Parameters
    ----------
    period : int
        R.
    steps : int
        First cycle of the divsteps.
    matrix : int
        First product of the next f; those of the next g follow.
    scale : tuple of (int, int)
        Products of f and g with 2^-k.
    sums : tuple of (int, int)
        First products of D' and E'.
    low : tuple of (int, int)
        Products for the low bits of D' and E'.
    update : tuple of (int, int)
        First products of the next d and e.
    """

    period: int
    steps: int
    matrix: int
    scale: tuple[int, int]
    sums: tuple[int, int]
    low: tuple[int, int]
    update: tuple[int, int]


FIRST_F, FIRST_G = 0, 2
"""Cycles in which the hats of f and g can be read."""


def low_cycles(engine: InversionEngine) -> int:
    """Cycles from a product for low bits to the one in which those are valid, and stored in a register."""
    return engine.latency + TREE_CYCLES


def round_times(engine: InversionEngine, steps_cycles: int) -> RoundTimes:
    """Cycles of the shortest round.

    Raises
    ------
    ParameterError
        When even a round with all parts in sequence has no room for all products.
    """
    steps = FIRST_G + low_cycles(engine) + 1
    least = steps + steps_cycles + 1 + 1 + engine.travel + engine.result_cycles
    most = least + len(fields(RoundTimes)) * (engine.result_cycles + low_cycles(engine))
    for period in range(least, most + 1):
        found = _Table(engine, period, steps).place()
        if found is not None:
            return found
    raise ParameterError(
        f"no round of {least} to {most} cycles has room for all products",
        rule="a round has a cycle for every product",
        left=least,
        right=most,
        hint="another latency, or fewer divsteps in a round",
    )


class _Table:
    """Table of the cycles modulo R with a product in every rower, and of those with a write."""

    def __init__(self, engine: InversionEngine, period: int, steps: int) -> None:
        self.engine, self.period, self.steps = engine, period, steps
        self.matrix = period - 1 - engine.result_cycles
        taken = [FIRST_F, FIRST_G, *range(self.matrix, self.matrix + 4)]
        self.products = {cycle % period for cycle in taken}
        self.writes = {FIRST_F, FIRST_G}

    def place(self) -> RoundTimes | None:
        """Place all other products as early as possible; None where one comes too late."""
        after = self.engine.result_cycles
        first = self.matrix + 4
        sums = (self._pair(first, stored=True), self._pair(first, stored=True))
        low, update = [], []
        for start in sums:
            low.append(self._single(start + 1 + after + 1))
            update.append(self._pair(low[-1] + low_cycles(self.engine) + 2 + self.engine.travel, stored=True))
        scale = (self._single(FIRST_F + 1, stored=True), self._single(FIRST_G + 1, stored=True))
        times = RoundTimes(self.period, self.steps, self.matrix, scale, sums, (low[0], low[1]), (update[0], update[1]))
        return times if self._fits(times) else None

    def _fits(self, times: RoundTimes) -> bool:
        """Check that every value is valid when it is read, and not replaced before."""
        R, after = self.period, self.engine.result_cycles
        written = [start + 1 + after for start in times.update]
        last_use, next_use = max(times.sums) + 1, min(times.sums) + R
        old = all(last_use <= cycle < next_use for cycle in written)
        matrix = all(start + 1 <= self.steps + R + self.engine.travel for start in times.sums)
        scaled = all(start + after < self.matrix for start in times.scale)
        sums = all(u + 1 <= s + 1 + after + R for s, u in zip(times.sums, times.update, strict=True))
        return old and matrix and scaled and sums

    def _single(self, first: int, *, stored: bool = False) -> int:
        return self._free(first, 1, stored)

    def _pair(self, first: int, *, stored: bool = False) -> int:
        return self._free(first, 2, stored)

    def _free(self, first: int, count: int, stored: bool) -> int:
        """The first cycles with room for `count` consecutive products, and for their result if it is stored."""
        for start in range(first, first + 2 * self.period):
            cycles = {(start + n) % self.period for n in range(count)}
            write = (start + count - 1 + self.engine.result_cycles) % self.period
            if len(cycles) < count or cycles & self.products or (stored and write in self.writes):
                continue
            self.products |= cycles
            if stored:
                self.writes.add(write)
            return start
        return first + 2 * self.period  # no room: `_fits` says so

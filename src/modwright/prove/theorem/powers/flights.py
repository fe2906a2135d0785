# SPDX-License-Identifier: Apache-2.0
"""Products that the multiplier has in flight: its handshakes in the cycles of an exponentiation.

Either one product at a time is in flight, in the cycles of the multiplier's own operation, or several are, in the
cycles in which control gives them.
"""

from __future__ import annotations

from typing import Protocol

from ..decide import UndecidedError
from ..netlist import Netlist
from .cycle import Cycle


class OverlapError(UndecidedError):
    """A product starts before the one before it has ended."""


class Flights(Protocol):
    """Handshakes of the multiplier now; results are always taken."""

    @property
    def span(self) -> int:
        """Cycles of a product by itself."""
        ...

    @property
    def bits(self) -> tuple[int, int]:
        """Whether operands are accepted in this cycle, and whether a result is valid."""
        ...

    @property
    def result(self) -> int:
        """The number of the product whose result is valid."""
        ...

    @property
    def idle(self) -> bool:
        """Whether no product is in flight."""
        ...

    def step(self, offered: int) -> None:
        """Go to the next cycle; operands that are offered and accepted start a product."""
        ...

    def skip(self) -> int:
        """Pass the cycles whose handshakes are those of the last one, in which nothing around the multiplier changes;
        their number."""
        ...

    def copy(self) -> Flights:
        """The same state once more."""
        ...


class OneAtATime:
    """Flights of a multiplier that has one product at a time, or that gets no other before its result.

    Parameters
    ----------
    multiplier : Netlist
    cycle : Cycle
        An operation of it.
    """

    def __init__(self, multiplier: Netlist, cycle: Cycle) -> None:
        self.span, self._done = len(cycle.rows), cycle.done
        self._rows = [cycle.bits(multiplier, k) for k in range(self.span)]
        self._at: int | None = None
        self._started = 0

    @property
    def bits(self) -> tuple[int, int]:
        """Whether operands are accepted in this cycle, and whether a result is valid."""
        return self._rows[self._at or 0]

    @property
    def result(self) -> int:
        """The number of the product whose result is valid."""
        return self._started - 1

    @property
    def idle(self) -> bool:
        """Whether no product is in flight."""
        return self._at is None

    def step(self, offered: int) -> None:
        """Go to the next cycle.

        Raises
        ------
        OverlapError
            When a product starts before the one before it has ended.
        """
        at, starts = self._at, offered and self.bits[0]
        if starts and at is not None and at <= min(self._done, self.span - 2):
            raise OverlapError("a product starts before the one before it has ended")
        if starts:
            self._at, self._started = 1, self._started + 1
        elif at is not None:
            self._at = at + 1 if at + 1 < self.span else None

    def skip(self) -> int:
        """Pass the cycles whose handshakes are those of the last one; their number."""
        before = self._at
        while self._at is not None and self._at + 1 < self.span and self._rows[self._at] == self._rows[self._at - 1]:
            self._at += 1
        return 0 if before is None or self._at is None else self._at - before

    def copy(self) -> OneAtATime:
        """The same state once more."""
        found = object.__new__(OneAtATime)
        found.__dict__ |= self.__dict__
        return found

# SPDX-License-Identifier: Apache-2.0
"""Machine that a data-flow graph is placed on, and the places that operations get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .dataflow import INVERSE, MARK, MULTIPLICATIONS, OUT, ZERO, Operation


@dataclass(frozen=True)
class Timing:
    """One kind of multiplication.

    Parameters
    ----------
    interval : int
        Cycles from its start to the next one's.
    latency : int
        The result is valid in cycle start + latency - 1, and in that cycle only.
    banks : tuple of (str, int, int)
        Operand registers in the order of the operands, each with the first and last cycle, from the start, in which it
        is read; a square reads its one operand from the first two.
    """

    interval: int
    latency: int
    banks: tuple[tuple[str, int, int], ...]

    @property
    def readable(self) -> int:
        """Cycles from the start to the first one in which the reduced result can be read."""
        return self.latency + 1


@dataclass(frozen=True)
class Machine:
    """Machine that a graph is placed on.

    Parameters
    ----------
    timings : mapping of str to Timing
        By kind of multiplication.
    units : int
        Multipliers.
    iterations : int
        Iterations of an inversion.
    forwards : bool
        Registers can be filled with a value in the cycle in which it is written.
    alone : bool
        An inversion works in the registers of the adder: no sum passes from its operand to its result.
    """

    timings: Mapping[str, Timing]
    units: int
    iterations: int
    forwards: bool = False
    alone: bool = False

    def delay(self, kind: str) -> int:
        """Least cycles from the first read of the last operand to the result's first read."""
        if kind in MULTIPLICATIONS:
            return self.timings[kind].readable + 1
        if kind == INVERSE:
            return self.iterations + 2
        return 1 if kind in (ZERO, MARK, OUT) else 3


@dataclass(frozen=True)
class Read:
    """A read of operand `index` in a cycle, for a register of a multiplier, the adder's operands, or a flag."""

    cycle: int
    index: int
    target: str


@dataclass(frozen=True)
class Placed:
    """One operation in time.

    Parameters
    ----------
    operation : Operation
    start : int
        Cycle in which the multiplier starts, the adder adds, the flag's operand is read, the inversion begins.
    unit : int
        Multiplier.
    reads : tuple of Read
    iterations : tuple of int
        Cycles of an inversion's iterations.
    written : int
        Cycle at whose end the value is written, or the flag set.
    """

    operation: Operation
    start: int
    unit: int = 0
    reads: tuple[Read, ...] = ()
    iterations: tuple[int, ...] = ()
    written: int = 0

    @property
    def readable(self) -> int:
        """First cycle in which it can be read."""
        return self.written + 1

    @property
    def last(self) -> int:
        """Last cycle in which it does something."""
        return max(self.start, self.written)

    @property
    def adds(self) -> int | None:
        """Cycle in which it passes the adder."""
        kind = self.operation.kind
        if kind in (ZERO, MARK, OUT, INVERSE):
            return None
        return self.written - 1


@dataclass
class Table:
    """Reservations: the resource that is taken in each cycle, modulo the period of a loop."""

    period: int = 0
    taken: dict[str, set[int]] = field(default_factory=dict)

    def _cycle(self, cycle: int) -> int:
        return cycle % self.period if self.period else cycle

    def free(self, resource: str, first: int, last: int | None = None) -> bool:
        """Whether a resource is free in all cycles of a range."""
        taken = self.taken.get(resource)
        if last is None:
            return not taken or self._cycle(first) not in taken
        if self.period and last - first >= self.period:
            return False
        if not taken:
            return True
        if not self.period:
            return taken.isdisjoint(range(first, last + 1))
        begin = first % self.period
        end = begin + last + 1 - first  # below two periods
        wrapped = range(max(0, end - self.period))
        return taken.isdisjoint(range(begin, min(end, self.period))) and taken.isdisjoint(wrapped)

    def reserve(self, resource: str, first: int, last: int | None = None) -> None:
        """Reserve it."""
        cycles = range(first, (first if last is None else last) + 1)
        self.taken.setdefault(resource, set()).update(map(self._cycle, cycles))


class NoPlaceError(ValueError):
    """The operations do not fit, in this order, into a loop of this period."""

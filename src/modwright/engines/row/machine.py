# SPDX-License-Identifier: Apache-2.0
"""Placing a data-flow graph in time on a row multiplier, a pipelined adder, and words with one port to read.

With its first operand's address in the control word of cycle c, and the second operand's in that of cycle c + 1:

    cycle   words                        sum                          product
    c       address                      -                            -
    c + 1   address register             -                            -
    c + 2   read                         -                            -
    c + 3   its output register          -                            -
    c + 4   operand                      -                            the operation starts
    c + 5   second operand               sums over chunks             digits of X move
    c + 6   -                            conversion: 4 cycles         (`engines.orup.cycles`)
    v + 1   result                       v = c + 9                    v = c + 3 + cycles of the loop + 4

The control word of cycle v writes the result, in cycle v + 1, and that of cycle v + 1 can read it. A flag of an operand
that is read in cycle c is set at the end of cycle c + 7, that of a sum's sign at the end of cycle v + 1. A flag that
exchanges addresses has to be known a cycle before that of the control word.

Where contexts take turns, each has a control word every `contexts` cycles of the clock, and cycles here are those of
one context. A control word reads in the first of its cycles of the clock, and does all else in its last one. So a
distance on the clock is rounded down to whole cycles. A second operand is a cycle of the clock later for each further
context; a product has that cycle more, a sum twice as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ladder.dataflow import (
    BELOW,
    FACTOR,
    GIVEN,
    INTEGER,
    MARK,
    MULTIPLICATIONS,
    OUT,
    RUN,
    SCALE,
    TAKE,
    WHOLE,
    ZERO,
    Operation,
)
from ..ladder.machine import Machine, NoPlaceError, Placed, Read, Timing
from ..ladder.placement import BUS, Placer
from ..orup.cycles import CONVERSION, first
from ..orup.interleaved import InterleavedParameters
from .parameters import RowParameters, factor_digits, short_digits

FOUND = 4
"""Cycles from a control word to the operand that it reads."""
ADDED = FOUND + 2
"""Cycles from the first operand's control word to the sums over chunks."""
SUM_AHEAD = 3
"""Cycles from the field that says that it is a sum to these."""
WRITTEN = 1
"""Cycles from the control word that writes to the write."""
SUMMED = ADDED + CONVERSION - WRITTEN
"""Cycles from the first operand's control word to the one that writes the sum."""
COMPARED = FOUND + 3
"""Cycles from an operand's control word to the comparison with 0 and M~."""
PAIR = 2
"""Digits of X that move in a cycle."""
LOADED = 6
"""Cycles from the field with the number of what comes in to the one with its write."""
CLEARED = 2
"""Cycles from the field that clears the converter for it to the one with its write."""
TAKEN = FOUND + 1
"""Cycles from the control word that reads what divsteps take to their first step."""
RESULT, DIGITS, ROW, LOAD = "result", "digits of X", "row of blocks", "load"


def steps_of(row: InterleavedParameters, kind: str) -> int:
    """Steps of S that a product takes: digits, and d + 1 of them 0 at the end."""
    shorter = {SCALE: short_digits(row), FACTOR: factor_digits(row), INTEGER: factor_digits(row), WHOLE: 0}
    return shorter[kind] + row.d + 1 if kind in shorter else row.digits


def moving_cycles(row: InterleavedParameters, kind: str) -> int:
    """Cycles in which digits of X move; of a short number, as many as are read."""
    return -(-min(row.N, steps_of(row, kind)) // PAIR)


def product_cycles(row: RowParameters, kind: str) -> int:
    """Cycles from the first operand's control word to the one that writes the product."""
    cycles = FOUND + first(row) + steps_of(row, kind) * row.slots + CONVERSION - WRITTEN
    return (cycles + row.contexts - 1) // row.contexts


@dataclass(frozen=True)
class RowMachine(Machine):
    """Machine with one row multiplier, in cycles of one context."""

    row: RowParameters | None = None

    def turns(self, cycles: int) -> int:
        """Cycles of one context in a distance on the clock."""
        return cycles if self.row is None else cycles // self.row.contexts

    @property
    def later(self) -> int:
        """Cycles of the clock by which a second operand comes later than right behind the first."""
        return 0 if self.row is None else self.row.contexts - 1

    @property
    def slots(self) -> int:
        """Cycles from a step of S of a product to its next one."""
        return 1 if self.row is None else self.turns(self.row.slots)

    @property
    def strobe(self) -> int:
        """Cycles from the control word that reads an operand to the one that takes it."""
        return self.turns(FOUND - 1)

    @property
    def operand(self) -> int:
        """Cycles to the operand."""
        return self.strobe + 1

    @property
    def adds(self) -> int:
        """Cycles from the first operand's control word to the one that says that it is that of a sum."""
        return self.turns(ADDED - SUM_AHEAD + 2 * self.later)

    @property
    def summed(self) -> int:
        """Cycles from the first operand's control word to the one that writes the sum."""
        return self.turns(SUMMED + 2 * self.later)

    @property
    def compared(self) -> int:
        """Cycles from an operand's control word to the one that takes its comparison with 0 and M~."""
        return self.turns(COMPARED)

    @property
    def loaded(self) -> int:
        """Cycles from the field with the number of what comes in to the one with its write."""
        return self.turns(LOADED)

    @property
    def cleared(self) -> int:
        """Cycles from the field that clears the converter for it to the one with its write."""
        return self.turns(CLEARED)

    @property
    def taken(self) -> int:
        """Cycles from the control word that reads what divsteps take to their first step."""
        return self.strobe + TAKEN - FOUND + 1

    def delay(self, kind: str) -> int:
        """Cycles from the first operand's control word to the first one that can read the result."""
        if kind in MULTIPLICATIONS:
            return self.timings[kind].readable
        compared = self.compared + 1
        looks = {MARK: 1, GIVEN: self.loaded + 1, TAKE: self.taken, ZERO: compared, OUT: compared}
        if kind == RUN:
            assert self.row is not None
            return self.row.K
        return looks.get(kind, self.summed + 1)


def machine_of(row: RowParameters) -> RowMachine:
    """Machine on which the graphs are placed."""
    timings = {kind: Timing(steps_of(row, kind), product_cycles(row, kind), ()) for kind in MULTIPLICATIONS}
    return RowMachine(timings, 1, 0, row=row)


class RowPlacer(Placer):
    """Placement of operations one after the other, each in the first cycle that is free for it."""

    machine: RowMachine

    def _earliest(self, operation: Operation, index: int) -> int:
        cycle, flag = super()._earliest(operation, index), operation.operands[index].flag
        return max(cycle, self.placed[flag].readable + 1) if flag in self.placed else cycle

    def _soonest(self, operation: Operation, ready: Sequence[int]) -> int:
        """First cycle that the operands allow, whatever is free."""
        return max((cycle - index for index, cycle in enumerate(ready)), default=0)

    def place_at(self, operation: Operation, cycle: int) -> Placed:
        """Place an operation in a cycle that is known to be free for it.

        Raises
        ------
        NoPlaceError
            When it is not.
        """
        found = self.place(operation, cycle)
        if found.start != cycle:
            raise NoPlaceError(f"{self.graph.name}: {operation.text} cannot start in cycle {cycle}")
        return found

    def _reads(self, operation: Operation, cycle: int, ready: Sequence[int]) -> tuple[Read, ...] | None:
        """Reads of both operands, or of one twice; None where the port is taken or an operand is not ready."""
        count = 1 if operation.kind in (ZERO, OUT, TAKE) else 2
        if not self.table.free(BUS, cycle, cycle + count - 1):
            return None
        indices = [min(index, len(operation.operands) - 1) for index in range(count)]
        if any(cycle + at < ready[index] for at, index in enumerate(indices)):
            return None
        return tuple(Read(cycle + at, index, "") for at, index in enumerate(indices))

    def _sum(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        reads = self._reads(operation, cycle, ready)
        written = cycle + self.machine.summed
        if reads is None or not self.table.free(RESULT, written):
            return None
        return Placed(operation, cycle, reads=reads, written=written)

    def _look(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        written = cycle + self.machine.delay(operation.kind) - 1
        if operation.kind == GIVEN:
            free = self.table.free(LOAD, cycle) and self.table.free(RESULT, written)
            return Placed(operation, cycle, written=written) if free else None
        if operation.kind == RUN and self.period and written >= self.period:
            return None  # the first round of a loop would begin with the last cycles of none
        if operation.kind in (MARK, RUN):
            return Placed(operation, cycle, written=written)
        reads = self._reads(operation, cycle, ready)
        return None if reads is None else Placed(operation, cycle, reads=reads, written=written)

    def _multiplication(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        reads, written = self._reads(operation, cycle, ready), cycle + self.machine.timings[operation.kind].latency
        if reads is None or not self.table.free(RESULT, written):
            return None
        if not self.table.free(DIGITS, *self._digits(operation, cycle)):
            return None
        if not all(self.table.free(ROW, at) for at in self._row(operation, cycle)):
            return None
        return Placed(operation, cycle, reads=reads, written=written)

    def _digits(self, operation: Operation, cycle: int) -> tuple[int, int]:
        row = self.machine.row
        assert row is not None
        begin = cycle + self.machine.operand
        return begin, begin + moving_cycles(row, operation.kind)

    def _row(self, operation: Operation, cycle: int) -> list[int]:
        """Cycles of the steps of S."""
        row = self.machine.row
        assert row is not None
        begin = cycle + self.machine.turns(FOUND + first(row))
        steps = [begin + index * self.machine.slots for index in range(steps_of(row, operation.kind))]
        period = self.table.period
        # a step that meets one of the same operation in a later round of a loop would not be seen in the table
        if period and len({step % period for step in steps}) < len(steps):
            raise ValueError(f"a loop of {period} cycles is shorter than a product")
        return steps

    def reserve(self, placement: Placed) -> None:
        """Reserve what an operation in time needs."""
        operation = placement.operation
        for read in placement.reads:
            self.table.reserve(BUS, read.cycle)
        if operation.makes_value or operation.kind == BELOW:
            self.table.reserve(RESULT, placement.written)
        if operation.kind == GIVEN:
            self.table.reserve(LOAD, placement.start)
        if operation.kind in MULTIPLICATIONS:
            self.table.reserve(DIGITS, *self._digits(operation, placement.start))
            for cycle in self._row(operation, placement.start):
                self.table.reserve(ROW, cycle)

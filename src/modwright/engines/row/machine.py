# SPDX-License-Identifier: Apache-2.0
"""Placing a data-flow graph in time on a row multiplier, a pipelined adder, and words with one port to read.

With its first operand's address in the control word of cycle c, and the second operand's in that of cycle c + 1:

    cycle   words                        sum                          product
    c       address                      -                            -
    c + 1   read                         -                            -
    c + 2   operand                      -                            the operation starts
    c + 3   second operand               sums over chunks             digits of X move
    c + 4   -                            conversion: 4 cycles         (`engines.orup.cycles`)
    v       result                       v = c + 8                    v = c + 2 + cycles of the loop + 4

A result is written in cycle v + 1, and can be read by a control word from that cycle on. A flag of an operand that is
read in cycle c is set at the end of cycle c + 5, that of a sum's sign at the end of cycle v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ladder.dataflow import BELOW, MARK, MULTIPLICATIONS, OUT, ZERO, Operation
from ..ladder.machine import Machine, Placed, Read, Timing
from ..ladder.placement import BUS, Placer
from ..orup.cycles import CONVERSION, finished, first
from ..orup.interleaved import InterleavedParameters

FOUND = 2
"""Cycles from a control word to the operand that it reads."""
ADDED = FOUND + 2
"""Cycles from the first operand's control word to the sums over chunks."""
SUMMED = ADDED + CONVERSION
"""Cycles from the first operand's control word to the sum."""
COMPARED = FOUND + 3
"""Cycles from an operand's control word to the comparison with 0 and M~."""
RESULT, DIGITS, ROW = "result", "digits of X", "row of blocks"


def product_cycles(row: InterleavedParameters) -> int:
    """Cycles from the first operand's control word to the product."""
    return FOUND + finished(row) + CONVERSION


@dataclass(frozen=True)
class RowMachine(Machine):
    """Machine with one row multiplier."""

    row: InterleavedParameters | None = None

    def delay(self, kind: str) -> int:
        """Cycles from the first operand's control word to the first one that can read the result."""
        if kind in MULTIPLICATIONS:
            return self.timings[kind].readable
        return 1 if kind == MARK else COMPARED + 1 if kind in (ZERO, OUT) else SUMMED + 1


def machine_of(row: InterleavedParameters) -> RowMachine:
    """Machine on which the graphs are placed."""
    timing = Timing(row.digits, product_cycles(row), ())
    return RowMachine(dict.fromkeys(MULTIPLICATIONS, timing), 1, 0, row=row)


class RowPlacer(Placer):
    """Placement of operations one after the other, each in the first cycle that is free for it."""

    machine: RowMachine

    def _soonest(self, operation: Operation, ready: Sequence[int]) -> int:
        """First cycle that the operands allow, whatever is free."""
        return max((cycle - index for index, cycle in enumerate(ready)), default=0)

    def _reads(self, operation: Operation, cycle: int, ready: Sequence[int]) -> tuple[Read, ...] | None:
        """Reads of both operands, or of one twice; None where the port is taken or an operand is not ready."""
        count = 1 if operation.kind in (ZERO, OUT) else 2
        if not self.table.free(BUS, cycle, cycle + count - 1):
            return None
        indices = [min(index, len(operation.operands) - 1) for index in range(count)]
        if any(cycle + at < ready[index] for at, index in enumerate(indices)):
            return None
        return tuple(Read(cycle + at, index, "") for at, index in enumerate(indices))

    def _sum(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        reads = self._reads(operation, cycle, ready)
        if reads is None or not self.table.free(RESULT, cycle + SUMMED):
            return None
        return Placed(operation, cycle, reads=reads, written=cycle + SUMMED)

    def _look(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        if operation.kind == MARK:
            return Placed(operation, cycle, written=cycle)
        reads = self._reads(operation, cycle, ready)
        return None if reads is None else Placed(operation, cycle, reads=reads, written=cycle + COMPARED)

    def _multiplication(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        reads, written = self._reads(operation, cycle, ready), cycle + self.machine.timings[operation.kind].latency
        if reads is None or not self.table.free(RESULT, written):
            return None
        if not self.table.free(DIGITS, *self._digits(cycle)):
            return None
        if not all(self.table.free(ROW, at) for at in self._row(cycle)):
            return None
        return Placed(operation, cycle, reads=reads, written=written)

    def _digits(self, cycle: int) -> tuple[int, int]:
        row = self.machine.row
        assert row is not None
        return cycle + FOUND, cycle + FOUND + row.N

    def _row(self, cycle: int) -> list[int]:
        """Cycles of the steps of S."""
        row = self.machine.row
        assert row is not None
        begin = cycle + FOUND + first(row)
        steps = [begin + index * row.slots for index in range(row.digits)]
        period = self.table.period
        # a step that meets one of the same operation in a later round of a loop would not be seen in the table
        if period and len({step % period for step in steps}) < len(steps):
            raise ValueError(f"a loop of {period} cycles is shorter than a product")
        return steps

    def reserve(self, placement: Placed) -> None:
        """Reserve what an operation in time needs."""
        kind = placement.operation.kind
        for read in placement.reads:
            self.table.reserve(BUS, read.cycle)
        if placement.operation.makes_value or kind == BELOW:
            self.table.reserve(RESULT, placement.written)
        if kind in MULTIPLICATIONS:
            self.table.reserve(DIGITS, *self._digits(placement.start))
            for cycle in self._row(placement.start):
                self.table.reserve(ROW, cycle)

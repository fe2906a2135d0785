# SPDX-License-Identifier: Apache-2.0
"""Placing a data-flow graph in time on a multiply-accumulate of columns, an adder of limbs, and words in limbs.

With the address of a limb in the control word of cycle c:

    cycle   words                 multiply-accumulate               sum
    c       address               -                                 -
    c + 1   address register      -                                 -
    c + 2   read                  -                                 -
    c + 3   limb                  -                                 limb
    c + 4   -                     limbs of a and b                  limb, or its complement
    c + 5   -                     products (`engines.columns`)      the sum with it
    v + 1   written               v = c + 12: word of the column    v = c + 4: word of the limb

and of limbs in halves v = c + 14 and v = c + 5 (`WordParameters.left`, `.summed`).

The control word of cycle v writes a limb, in cycle v + 1, and that of cycle v + 1 can read it. A value counts as read
from its limb 0 on, limb k two cycles later each or more; so it counts as written where limb k is written 2k cycles
later at the latest. A product reads limb k ten cycles after limb k - 1 or later. The word of a column can
be a factor in the cycle in which it is written, or when it is in the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..columns.placement import earliest
from ..columns.program import RESULT as OUT_OF_COLUMN
from ..columns.program import Column, Limb
from ..ladder.dataflow import (
    ADD,
    BELOW,
    DIFFERENCE,
    GIVEN,
    MARK,
    MULTIPLICATIONS,
    OUT,
    REDUCE,
    RUN,
    SUBTRACT,
    TAKE,
    ZERO,
    Operation,
)
from ..ladder.machine import Machine, Placed, Read, Timing
from .divsteps import ENTRY_LIMBS, PACE
from .parameters import FOUND, WordParameters
from .rows import OPERANDS, columns_of

TAKEN = FOUND
"""Cycles from the control word of a limb that leaves to the one that takes it."""
STEPPED = FOUND
"""Cycles from the control word behind the one that reads what divsteps take to their first step."""
LOADED = 3
"""Cycles from the field with the number of what comes in to the one with its write."""
APART = 2
"""Cycles from limb to limb of an operand, at least."""
LONGEST_WAIT = 64
"""Cycles that a column may wait for its place, before another start is tried for the product."""
MAC, PORT, WRITES, CONTEXT, LOAD = "multiply-accumulate", "read port", "write port", "context", "load"

FIRST, SECOND = 0, 1
CONSTANT = -1
LIFTED, MODULUS, DOUBLED = "m4", "m", "m2"
"""Values that sums, tests and reductions read next to their operands."""


@dataclass(frozen=True)
class Term:
    """Limb that a sum reads: an operand's, or one of a constant; added, or its complement.

    Parameters
    ----------
    index : int
        Number of the operand; of a constant, its name counts.
    constant : str
    minus : bool
    """

    index: int
    constant: str = ""
    minus: bool = False


TERMS: Mapping[str, tuple[Term, ...]] = {
    ADD: (Term(FIRST), Term(SECOND)),
    SUBTRACT: (Term(FIRST), Term(CONSTANT, LIFTED), Term(SECOND, minus=True)),
    DIFFERENCE: (Term(FIRST), Term(SECOND, minus=True)),
    REDUCE: (Term(FIRST), Term(CONSTANT, MODULUS, minus=True)),
    BELOW: (Term(FIRST), Term(CONSTANT, MODULUS, minus=True)),
    ZERO: (
        Term(FIRST, minus=True),
        *(term for name in (MODULUS, DOUBLED) for term in (Term(FIRST), Term(CONSTANT, name, minus=True))),
    ),
    OUT: (Term(FIRST),) * APART,
}
"""Limbs that an operation reads, the same for each limb of its operands."""
FRESH_TERMS = {ZERO: (0, 1, 3)}
"""Terms with which a sum begins, where these are not the first of each limb alone."""


@dataclass(frozen=True)
class ColumnPlace:
    """A column in time: the cycle of its first product's control word."""

    column: Column
    start: int

    @property
    def end(self) -> int:
        """Cycle of its last product's control word."""
        return self.start + self.column.cycles - 1


@dataclass(frozen=True)
class LimbRead(Read):
    """A read of one limb of an operand."""

    limb: int = 0


@dataclass(frozen=True)
class WordPlaced(Placed):
    """An operation in time, with its columns, its context, and the cycles of the control words that write its limbs."""

    columns: tuple[ColumnPlace, ...] = ()
    writes: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        """Last cycle in which it does something."""
        return max(self.start, self.written, *self.writes)


@dataclass(frozen=True)
class WordMachine(Machine):
    """Machine with one multiply-accumulate; `steps` divsteps are one run of the unit."""

    words: WordParameters | None = None
    steps: int = 0

    @property
    def p(self) -> WordParameters:
        """Parameters of the limbs."""
        assert self.words is not None
        return self.words

    def delay(self, kind: str) -> int:
        """Cycles from the first operand's control word to the first one that can read the result."""
        if kind in MULTIPLICATIONS:
            return self.timings[kind].readable
        looks = {MARK: 1, TAKE: 1, GIVEN: LOADED + ENTRY_LIMBS}
        if kind == RUN:
            return STEPPED + PACE * (self.steps - 1) + 1
        if kind in looks:
            return looks[kind]
        return self.p.s * len(TERMS[kind]) + self.p.compared


def machine_of(p: WordParameters, steps: int = 0) -> WordMachine:
    """Machine on which the graphs are placed."""
    timings = {kind: Timing(cycles_of(p, kind), alone(p, kind), ()) for kind in OPERANDS}
    return WordMachine(timings, 1, 0, words=p, steps=steps)


def cycles_of(p: WordParameters, kind: str) -> int:
    """Cycles of the multiply-accumulate for a product."""
    return sum(column.cycles for column in columns_of(p.s, kind))


def alone(p: WordParameters, kind: str) -> int:
    """Cycles of a product with nothing in its way, until its result counts as written."""
    closed, limbs, at, written = 0, dict[Limb, int](), 0, list[int]()
    for column in columns_of(p.s, kind):
        at = max(at, earliest(column, closed, limbs, p.word_cycles))
        while not are_there(p, column, at, limbs):
            at += 1
        end = at + column.cycles - 1
        closed = end if column.stores else closed
        if column.leaves is not None:
            limbs[column.leaves] = end
            written += [end + p.left] if column.leaves.bank == OUT_OF_COLUMN else []
        at = end + 1
    return counted(written)


def are_there(p: WordParameters, column: Column, start: int, limbs: Mapping[Limb, int]) -> bool:
    """Whether the limbs of t that a column reads have just left, or are in the memory."""
    gaps = (start + at - limbs[a] for at, (a, _) in enumerate(column.products) if a in limbs)
    return all(gap == p.word_cycles or gap >= p.stored_cycles for gap in gaps)


def offset_of(operation: Operation, index: int, s: int) -> int:
    """Cycles from the start to the first read of an operand of s limbs, at least."""
    if operation.kind in MULTIPLICATIONS:
        return _first_reads(s, operation.kind)[index]
    terms = TERMS.get(operation.kind, ())
    return next((at for at, term in enumerate(terms) if term.index == index and not term.constant), 0)


@cache
def _first_reads(s: int, kind: str) -> tuple[int, ...]:
    """Products before the first one that reads each operand."""
    numbers = OPERANDS[kind]
    read = [{numbers.get(limb.bank) for limb in pair} for column in columns_of(s, kind) for pair in column.products]
    return tuple(
        next(at for at, found in enumerate(read) if number in found) for number in range(1 + max(numbers.values()))
    )


def counted(writes: Sequence[int]) -> int:
    """Cycle in which a value counts as written, from those of its limbs."""
    return max(cycle - APART * limb for limb, cycle in enumerate(writes))


def is_result(column: Column) -> bool:
    """Whether the word of a column is a limb of the result."""
    return column.leaves is not None and column.leaves.bank == OUT_OF_COLUMN

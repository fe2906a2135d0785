# SPDX-License-Identifier: Apache-2.0
"""Control words of graphs that are placed on columns and an adder of limbs; see `machine` for the cycles.

field                       in the cycle
read_a, read_b, read        of an address: of a limb at the multiply-accumulate's inputs, and at the adder
forward, multiply, ..       2 and 3 later: limbs go to the multiply-accumulate; its strobes and the context
minus                       3 later: the limb comes to the adder as its complement
opens, carries, one         4 later: a sum begins; with the carry of the limb below; with 1
test, test_first            7 later, of limbs in halves 8: the candidate of a test, and whether its limb is the first
f_taken, g_taken            2 later: the limb comes to the divsteps
reset_steps, steps          divsteps begin; a divstep
load                        number of what comes in, a limb a cycle
write, into, source         v: a limb is written, to an address, from the multiply-accumulate or from the adder
outside                     v - 1: a limb from outside is
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..columns.digits import ABOVE, STORED
from ..columns.program import Limb, T
from ..ladder.control import GraphWords
from ..ladder.dataflow import BELOW, GIVEN, MARK, MULTIPLICATIONS, OUT, RUN, TAKE, ZERO
from ..ladder.machine import Placed, Read
from .divsteps import PACE
from .machine import FRESH_TERMS, STEPPED, TERMS, ColumnPlace, Term, WordPlaced, is_result
from .parameters import FOUND, WordParameters
from .rows import CONSTANT_BANKS, OPERANDS

TESTS = 3
"""Cycles from the control word that writes a sum to the one that says which candidate is compared."""
FROM_COLUMN, FROM_SUM, FROM_OUTSIDE = 0, 1, 2
"""Sources of a limb that is written."""
ALL_OPERANDS = 1
"""Value of `load` that reads all limbs of operands and constants; those above it read an entry of a matrix."""
CARRIED_IN = 1
"""Carry into a sum with a complement."""


@dataclass
class WordWords(GraphWords):
    """One graph with its words, and the writing of its control words.

    Parameters
    ----------
    p : WordParameters or None
    constants : mapping of str to int
        Words of the constants that sums and columns read.
    given : mapping of str to int
        Values of the field `load`, by what comes in.
    first_t : int
        Word of the limbs that columns of the first context leave.
    """

    p: WordParameters | None = None
    constants: Mapping[str, int] = field(default_factory=dict[str, int])
    given: Mapping[str, int] = field(default_factory=dict[str, int])
    first_t: int = 0

    @property
    def places(self) -> int:
        """Limbs of a word in the memory."""
        assert self.p is not None
        return self.p.places

    @property
    def left(self) -> int:
        """Cycles from the last product of a column to the write of its word."""
        assert self.p is not None
        return self.p.left

    @property
    def tests(self) -> int:
        """Cycles from the control word of a limb to the one that says which candidate is compared."""
        assert self.p is not None
        return self.p.summed + TESTS

    def _operation(self, placement: Placed) -> None:
        assert isinstance(placement, WordPlaced)
        kind, name = placement.operation.kind, placement.operation.name
        if kind in (MARK, RUN):
            for cycle in range(placement.start + STEPPED * (kind == RUN), placement.written + 1, PACE):
                self._set(cycle, **{name: 1})
        elif kind == GIVEN:
            self._set(placement.start, load=self.given[name])
            self._limbs(placement, FROM_OUTSIDE)
        elif kind in MULTIPLICATIONS:
            for place in placement.columns:
                self._column(placement, place)
            self._limbs(placement, FROM_COLUMN)
        elif kind == TAKE:
            self._read_limb(placement.reads[0], placement, 0, "read")
            self._set(placement.start + FOUND - 1, **{name: 1})
        else:
            self._sum(placement)

    # --- limbs

    def _read_limb(self, read: Read, placement: Placed, limb: int, port: str) -> None:
        """Address of a limb of an operand, and what exchanges bits of its word's number."""
        fields = self._read_fields(read, placement.operation.operands[read.index])
        of, address = port.removeprefix("read"), fields["read"] * self.places + limb
        self._set(read.cycle, **{port: address, f"flip{of}": fields["flip"], f"fresh{of}": fields["fresh"]})

    def _limbs(self, placement: WordPlaced, source: int) -> None:
        """Writes of the limbs of a result."""
        word = self.homes[placement.operation.name]
        for limb, cycle in enumerate(placement.writes):
            self._write(cycle, word * self.places + limb)
            self._set(cycle, source=int(source == FROM_SUM), into_flip=self._exchange(word, cycle))
            self._set(cycle - 1, outside=int(source == FROM_OUTSIDE))

    def _write(self, cycle: int, address: int) -> None:
        self._set(cycle, write=1, into=address, tail=int(self._tail(cycle)))

    # --- sums

    def _sum(self, placement: WordPlaced) -> None:
        kind, operation = placement.operation.kind, placement.operation
        assert self.p is not None
        terms, reads = TERMS[kind], iter(placement.reads)
        for number in range(self.p.s * len(terms)):
            limb, at = divmod(number, len(terms))
            cycle, term = placement.start + number, terms[at]
            if term.constant:
                self._set(cycle, read=self.constants[term.constant] * self.places + limb)
            else:
                self._read_limb(next(reads), placement, limb, "read")
            self._add(kind, cycle, limb, at, term)
            if kind == OUT and at == 0:
                self._set(cycle + placement.written - self._last(placement), **{operation.name: limb + 1})
        if kind == ZERO:
            flag = self.names.zeros.index(operation.name)
            self._set(placement.written, zero=flag, tail_flag=int(self._tail(placement.written)))
        elif kind == BELOW:
            self._set(placement.written, range=self.names.ranges[operation.operands[0].value])
        elif operation.makes_value:
            self._limbs(placement, FROM_SUM)

    def _last(self, placement: WordPlaced) -> int:
        """Cycle of the last limb that is read."""
        assert self.p is not None
        return placement.start + self.p.s * len(TERMS[placement.operation.kind]) - 1

    def _add(self, kind: str, cycle: int, limb: int, at: int, term: Term) -> None:
        """Strobes of the adder for a limb."""
        fresh = FRESH_TERMS.get(kind, (0,))
        terms = TERMS[kind]
        chained = kind != ZERO
        begins = chained and limb == 0 and any(other.minus for other in terms)
        self._set(cycle + FOUND - 1, minus=int(term.minus))
        if at in fresh:
            self._set(cycle + FOUND, opens=1, carries=int(chained and limb > 0), one=CARRIED_IN * int(begins))
        if kind == ZERO and term.minus:
            candidate = sum(other.minus for other in terms[: at + 1])
            self._set(cycle + self.tests, test=candidate, test_first=int(limb == 0))

    # --- columns

    def _column(self, placement: WordPlaced, place: ColumnPlace) -> None:
        """Products of a column, its strobes, and the word of t that it leaves."""
        column, context = place.column, placement.unit
        for at, pair in enumerate(column.products):
            cycle = place.start + at
            self._set(cycle + FOUND - 1, multiply=1)
            self._input_a(placement, pair[0], cycle)
            self._input_b(placement, pair[1], cycle)
        for cycle in range(place.start, place.end + 1):
            self._set(cycle + FOUND, context=context)
        opening = column.opening
        self._set(place.start + FOUND, first=1, lower=int(opening is STORED), ones=int(opening is ABOVE))
        self._set(place.end + FOUND, close=1, store=int(column.stores))
        if column.leaves is not None and not is_result(column):
            self._write(place.end + self.left, self._place_of(context, column.leaves))

    def _input_a(self, placement: WordPlaced, limb: Limb, cycle: int) -> None:
        """Input a: a limb of an operand, or of t, which may just have left its column."""
        if limb.bank != T:
            self._factor(placement, limb, cycle, "read_a")
            return
        ends = (place.end for place in placement.columns if place.column.leaves == limb)
        left = max(end + self.left for end in ends if end + self.left < cycle + FOUND)
        if left + 1 == cycle + FOUND:
            self._set(cycle + FOUND - 1, forward=1)
        else:
            self._set(cycle, read_a=self._place_of(placement.unit, limb))

    def _place_of(self, context: int, limb: Limb) -> int:
        """Address of a limb of t."""
        return (self.first_t + context) * self.places + limb.index

    def _input_b(self, placement: WordPlaced, limb: Limb, cycle: int) -> None:
        if limb.bank in CONSTANT_BANKS:
            self._set(cycle, read_b=self.constants[limb.bank] * self.places + limb.index)
        else:
            self._factor(placement, limb, cycle, "read_b")

    def _factor(self, placement: WordPlaced, limb: Limb, cycle: int, port: str) -> None:
        """Limb of an operand."""
        index = OPERANDS[placement.operation.kind][limb.bank]
        self._read_limb(Read(cycle, index, port), placement, limb.index, port)

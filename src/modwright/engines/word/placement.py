# SPDX-License-Identifier: Apache-2.0
"""Placing operations in time on columns and an adder of limbs (`machine`), and their values in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..columns.placement import earliest
from ..columns.program import Limb
from ..ladder.dataflow import BELOW, GIVEN, MARK, MULTIPLICATIONS, OUT, RUN, TAKE, ZERO, Operation
from ..ladder.machine import NoPlaceError, Placed, Read
from ..ladder.placement import Placer
from ..ladder.words import Allocator
from .divsteps import ENTRY_LIMBS
from .machine import (
    CONTEXT,
    FIRST,
    LOAD,
    LOADED,
    LONGEST_WAIT,
    MAC,
    PORT,
    TAKEN,
    TERMS,
    WRITES,
    ColumnPlace,
    LimbRead,
    WordMachine,
    WordPlaced,
    are_there,
    counted,
    is_result,
    offset_of,
)
from .rows import OPERANDS, columns_of


@dataclass
class _Taken:
    """Cycles that an operation in the making takes itself, by resource, modulo the period."""

    placer: WordPlacer
    cycles: dict[str, set[int]] = field(default_factory=dict[str, set[int]])

    def take(self, resource: str, cycles: Iterable[int]) -> bool:
        """Take cycles; False where one of them is not free."""
        table, own = self.placer.table, self.cycles.setdefault(resource, set())
        for cycle in cycles:
            place = cycle % table.period if table.period else cycle
            if place in own or not table.free(resource, cycle):
                return False
            own.add(place)
        return True

    def free(self, resource: str, cycles: Iterable[int]) -> bool:
        """Whether cycles are free."""
        table, own = self.placer.table, self.cycles.get(resource, set())
        places = [(cycle % table.period if table.period else cycle, cycle) for cycle in cycles]
        return all(place not in own and table.free(resource, cycle) for place, cycle in places)


class WordPlacer(Placer):
    """Placement of operations one after the other, each in the first cycle that is free for it."""

    machine: WordMachine

    def _soonest(self, operation: Operation, ready: Sequence[int]) -> int:
        """First cycle that the operands allow, whatever is free."""
        return max([0, *(cycle - self._offset(operation, index) for index, cycle in enumerate(ready))])

    def _offset(self, operation: Operation, index: int) -> int:
        return offset_of(operation, index, self.machine.p.s)

    def _earliest(self, operation: Operation, index: int) -> int:
        """First cycle in which an operand can be read; divsteps take limb 0 alone."""
        value = operation.operands[index].value
        for name, ago in ((value, 0), (self.carried.get(value, ""), self.period)):
            source = self.placed.get(name)
            if operation.kind == TAKE and isinstance(source, WordPlaced):
                return source.writes[0] + 1 - ago
        return super()._earliest(operation, index)

    def _waits(self, reader: Placed) -> bool:
        """All but divsteps, for which `_fitting` looks at limb 0."""
        return reader.operation.kind != TAKE

    def _there_at(self, operation: Operation, cycle: int, ready: Sequence[int]) -> bool:
        return all(cycle + self._offset(operation, index) >= there for index, there in enumerate(ready))

    def _not_overwritten(self, name: str) -> int:
        """0: `_replaces` compares limb by limb."""
        del name
        return 0

    def _fitting(self, made: WordPlaced) -> WordPlaced | None:
        """An operation; None where it comes too late for what it reads or replaces, for itself a round later, for a
        flag, which is that of the next round behind this one, or for the first round, before which only one that is not
        there is masked."""
        operation = made.operation
        if self.period and max(made.writes) >= 2 * self.period:
            return None
        own = {value for value, source in self.carried.items() if source == operation.name}
        for read in made.reads:
            operand = operation.operands[read.index]
            if own & set(operand.values) and read.cycle < made.readable - self.period:
                return None
            if self.period and operand.flag and read.cycle >= self.period:
                return None
        for reader in self.placed.values():
            takes = not self._waits(reader) and own & set(reader.operation.operands[FIRST].values)
            if takes and reader.start + self.period <= made.writes[0]:
                return None
        fits = self._still_there(operation, made.reads) and self._replaces(operation.name, made.writes)
        return made if fits else None

    def _still_there(self, operation: Operation, reads: Iterable[Read]) -> bool:
        """Whether what the step before has left is read before this one writes what replaces it, and what this one has
        made before the next one does."""
        for read in reads:
            for value in operation.operands[read.index].values:
                for name, later in ((self.carried.get(value, ""), 0), (value, self.period)):
                    source = self.placed.get(name)
                    if not isinstance(source, WordPlaced) or not source.writes or (name == value and not later):
                        continue
                    if read.cycle >= source.writes[_limb(read)] + later:
                        return False
        return True

    def _replaces(self, name: str, writes: Sequence[int]) -> bool:
        """Whether limbs are written after the last reads of what they replace."""
        inputs = {value for value, source in self.carried.items() if source == name}
        for placed in self.placed.values():
            for read in placed.reads:
                read_here = inputs & set(placed.operation.operands[read.index].values)
                if read_here and writes[_limb(read)] <= read.cycle:
                    return False
        return True

    def _sum(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        """Reads of all limbs one after the other."""
        if not self._there_at(operation, cycle, ready):
            return None
        terms, p = TERMS[operation.kind], self.machine.p
        s = p.s
        length, taken = s * len(terms), _Taken(self)
        reads = tuple(
            LimbRead(cycle + len(terms) * limb + at, term.index, "", limb)
            for limb in range(s)
            for at, term in enumerate(terms)
            if not term.constant
        )
        if not taken.take(PORT, range(cycle, cycle + length)):
            return None
        if not operation.makes_value:
            behind = {ZERO: p.compared, BELOW: p.signed, OUT: TAKEN}[operation.kind]
            return WordPlaced(operation, cycle, reads=reads, written=cycle + length - 1 + behind)
        writes = tuple(cycle + len(terms) * (limb + 1) - 1 + p.summed for limb in range(s))
        if not taken.take(WRITES, writes):
            return None
        return self._fitting(WordPlaced(operation, cycle, reads=reads, written=counted(writes), writes=writes))

    def _look(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        if operation.kind in (ZERO, OUT):
            return self._sum(operation, cycle, ready)
        written = cycle + self.machine.delay(operation.kind) - 1
        if operation.kind in (MARK, RUN):
            # divsteps of a round before the first one would count
            runs_over = operation.kind == RUN and self.period and written >= self.period
            return None if runs_over else WordPlaced(operation, cycle, written=written)
        if operation.kind == GIVEN:
            return self._given(operation, cycle)
        if not self._there_at(operation, cycle, ready) or not self.table.free(PORT, cycle):
            return None
        return WordPlaced(operation, cycle, reads=(LimbRead(cycle, FIRST, ""),), written=written)

    def _given(self, operation: Operation, cycle: int) -> Placed | None:
        """Limbs that come in, one a cycle."""
        writes, taken = tuple(range(cycle + LOADED, cycle + LOADED + ENTRY_LIMBS)), _Taken(self)
        if not taken.take(LOAD, range(cycle, cycle + ENTRY_LIMBS)) or not taken.take(WRITES, writes):
            return None
        return WordPlaced(operation, cycle, written=counted(writes), writes=writes)

    def _multiplication(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        if not self._there_at(operation, cycle, ready):
            return None
        columns = self._columns(operation.kind, cycle)
        return None if columns is None else self._product(operation, columns)

    def place_at(self, operation: Operation, starts: Sequence[int]) -> Placed:
        """Place an operation in cycles that are known to be free for it: of a product, those of its columns.

        Raises
        ------
        NoPlaceError
            When they are not.
        """
        cycle, *_ = starts
        ready = tuple(self._earliest(operation, index) for index in range(len(operation.operands)))
        found = None
        if operation.kind not in MULTIPLICATIONS:
            found = self.place(operation, cycle)
        elif self._there_at(operation, cycle, ready):
            kinds = columns_of(self.machine.p.s, operation.kind)
            columns = tuple(ColumnPlace(column, start) for column, start in zip(kinds, starts, strict=True))
            found = self._product(operation, columns) if self._are_free(columns) else None
        latest = self._latest(operation.name)
        if found is None or found.start != cycle or (latest is not None and found.readable > latest):
            raise NoPlaceError(f"{self.graph.name}: {operation.text} cannot start in cycle {cycle}")
        if operation.kind in MULTIPLICATIONS:
            self.reserve(found)
            self.placed[operation.name] = found
        return found

    def _are_free(self, columns: Sequence[ColumnPlace]) -> bool:
        """Whether columns have places of their own, and find what they read."""
        taken, closed, limbs, p = _Taken(self), 0, dict[Limb, int](), self.machine.p
        for number, place in enumerate(columns):
            least = earliest(place.column, closed, limbs, p.word_cycles)
            if number and place.start < max(columns[number - 1].end + 1, least):
                return False
            if not taken.take(MAC, range(place.start, place.end + 1)):
                return False
            if place.column.leaves is not None and not taken.take(WRITES, (place.end + p.left,)):
                return False
            if not are_there(p, place.column, place.start, limbs):
                return False
            closed = place.end if place.column.stores else closed
            if place.column.leaves is not None:
                limbs[place.column.leaves] = place.end
        return True

    def _product(self, operation: Operation, columns: tuple[ColumnPlace, ...]) -> Placed | None:
        """A product with its columns; None where its result comes too early, or no context is free."""
        cycle, p = columns[0].start, self.machine.p
        writes = tuple(place.end + p.left for place in columns if is_result(place.column))
        last = columns[-1].end
        for context in range(self.machine.p.contexts):
            if self.table.free(f"{CONTEXT} {context}", cycle, last):
                reads = tuple(_reads(operation, columns))
                made = WordPlaced(operation, cycle, context, reads, (), counted(writes), columns, writes)
                return self._fitting(made)
        return None

    def _columns(self, kind: str, cycle: int) -> tuple[ColumnPlace, ...] | None:
        """Columns of a product that starts in a cycle, each as early as it can be; None where one has no place."""
        taken, closed, limbs, found = _Taken(self), cycle, dict[Limb, int](), list[ColumnPlace]()
        p = self.machine.p
        for column in columns_of(self.machine.p.s, kind):
            least = max(found[-1].end + 1, earliest(column, closed, limbs, p.word_cycles)) if found else cycle
            for start in range(least, least + (LONGEST_WAIT if found else 1)):
                place = ColumnPlace(column, start)
                if not taken.free(MAC, range(start, place.end + 1)):
                    continue
                if column.leaves is not None and not taken.free(WRITES, (place.end + p.left,)):
                    continue
                if are_there(p, column, start, limbs):
                    break
            else:
                return None
            taken.take(MAC, range(place.start, place.end + 1))
            found.append(place)
            closed = place.end if column.stores else closed
            if column.leaves is not None:
                taken.take(WRITES, (place.end + p.left,))
                limbs[column.leaves] = place.end
        return tuple(found)

    def reserve(self, placement: Placed) -> None:
        """Reserve what an operation in time needs."""
        assert isinstance(placement, WordPlaced)
        p = self.machine.p
        left = [place.end + p.left for place in placement.columns if place.column.leaves is not None]
        for cycle in left or placement.writes:
            self.table.reserve(WRITES, cycle)
        if not placement.columns:
            for cycle in self._ported(placement):
                self.table.reserve(PORT, cycle)
            if placement.operation.kind == GIVEN:
                self.table.reserve(LOAD, placement.start, placement.start + ENTRY_LIMBS - 1)
            return
        for place in placement.columns:
            self.table.reserve(MAC, place.start, place.end)
        self.table.reserve(f"{CONTEXT} {placement.unit}", placement.start, placement.columns[-1].end)

    def _ported(self, placement: Placed) -> range:
        """Cycles in which an operation reads limbs for the adder."""
        kind = placement.operation.kind
        count = self.machine.p.s * len(TERMS[kind]) if kind in TERMS else int(kind == TAKE)
        return range(placement.start, placement.start + count)


def _limb(read: Read) -> int:
    assert isinstance(read, LimbRead)
    return read.limb


def _reads(operation: Operation, columns: Iterable[ColumnPlace]) -> Iterable[LimbRead]:
    """Reads of the operands of a product, at both inputs."""
    numbers = OPERANDS[operation.kind]
    for place in columns:
        for at, pair in enumerate(place.column.products):
            for limb, port in zip(pair, "ab", strict=True):
                if limb.bank in numbers:
                    yield LimbRead(place.start + at, numbers[limb.bank], port, limb.index)


class WordAllocator(Allocator):
    """Assignment of values in limbs to words."""

    def span(self, value: str) -> tuple[int, int]:
        """Cycles in which the word is not free: from the write of its first limb on, to the last read."""
        placement = self.placed[value]
        assert isinstance(placement, WordPlaced)
        return min(placement.writes), max(*placement.writes, self.last_read(value))

# SPDX-License-Identifier: Apache-2.0
"""Placing a data-flow graph in time: on multipliers, one modular adder, and words with one port to read.

The machine. Words are read through one port, one a cycle, and the read port is what fills the operand registers of the
multipliers and the first operand of the adder; the adder's second operand is the read port itself.

    sum, difference   first operand read in cycle t - 1, second one in t, written in t + 1, readable from t + 2 on
    product           starts in s; its operands are read before they are first needed, and stay until they are needed no
                      more; the result passes the adder in cycle s + latency - 1, is written a cycle later, readable
                      from s + latency + 1 on
    inverse           operand read in t, then iterations in cycles in which no sum passes the adder, nor has passed it
                      in the cycle before, then one such cycle for the result; alone in the adder's registers
                      (`Machine.alone`), these cycles follow each other, and in t no sum passes either

A loop is placed in the same way with cycles counted modulo its period: what a step does from cycle `period` on
happens in the first cycles of the step behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .dataflow import INVERSE, LOOKS, MARK, MULTIPLICATIONS, ONE, OUT, SQUARE, ZERO, Graph, Operation
from .machine import Machine, NoPlaceError, Placed, Read, Table, Timing

BUS, ADDER = "read port", "adder"


class Placer:
    """Placement of operations one after the other, each in the first cycle that is free for it.

    Parameters
    ----------
    graph : Graph
    machine : Machine
    period : int
        Period of a loop; 0 for a graph that runs once.
    carried : mapping of str to str
        Map from an input or flag of a loop's step to the value or flag of the step before it.
    together : sequence of tuple of str
        Inputs of a loop that are exchanged as data says: each is valid when all are.
    ready : mapping of str to int
        First cycle in which an input can be read; 0 where it is not given.
    table : Table or None
        With what is taken already.
    """

    def __init__(
        self,
        graph: Graph,
        machine: Machine,
        *,
        period: int = 0,
        carried: Mapping[str, str] | None = None,
        together: Sequence[tuple[str, ...]] = (),
        ready: Mapping[str, int] | None = None,
        table: Table | None = None,
    ) -> None:
        self.graph, self.machine, self.period = graph, machine, period
        self.carried = dict(carried or {})
        self.groups = {name: group for group in together for name in group}
        self.ready = dict(ready or {})
        self.table = table or Table(period)
        self.placed: dict[str, Placed] = {}

    # --- first cycles of operands, and last cycles of results

    def _there(self, name: str) -> int:
        """First cycle in which a value can be read, or a flag or mark has passed."""
        if name in self.placed:
            return self.placed[name].readable
        cycle = self.ready.get(name, 0)
        for member in self.groups.get(name, (name,)):
            source = self.carried.get(member)
            if source in self.placed:
                cycle = max(cycle, self.placed[source].readable - self.period)
        return cycle

    def _latest(self, name: str) -> int | None:
        """Latest `readable` of what a loop carries to operations that are placed already."""
        inputs = {member for value, source in self.carried.items() if source == name for member in self._group(value)}
        cycles = [
            read.cycle
            for placed in self.placed.values()
            for read in placed.reads
            if self._waits(placed) and inputs & set(placed.operation.operands[read.index].values)
        ]
        cycles += [self.placed[value].start for value in inputs if value in self.placed]
        return min(cycles) + self.period if cycles else None

    def _waits(self, reader: Placed) -> bool:
        """Whether an operation reads values when they are whole."""
        del reader
        return True

    def _group(self, name: str) -> tuple[str, ...]:
        return self.groups.get(name, (name,))

    def _not_overwritten(self, name: str) -> int:
        """First cycle at whose end a carried value may be written: its input has been read."""
        inputs = {value for value, source in self.carried.items() if source == name}
        reads = [
            read.cycle
            for placed in self.placed.values()
            for read in placed.reads
            if inputs & set(placed.operation.operands[read.index].values)
        ]
        return max(reads, default=0)

    def _earliest(self, operation: Operation, index: int) -> int:
        """First cycle in which an operand can be read."""
        operand = operation.operands[index]
        if operand.flag:
            return max(self._there(name) for name in (*operand.values, operand.flag))
        early = operand.value in self.placed and self._forwards(operation, index)
        return self._there(operand.value) - early

    def _forwards(self, operation: Operation, index: int) -> bool:
        """Whether the operand goes to a register, and not through the adder or to a flag."""
        if not self.machine.forwards or operation.kind in (ZERO, OUT):
            return False
        return operation.kind in MULTIPLICATIONS or index == 0

    # --- one operation; `ready` is the first cycle in which each operand can be read

    def place(self, operation: Operation, begin: int = 0) -> Placed:
        """Place an operation whose operands are placed, in cycle `begin` or later.

        Raises
        ------
        NoPlaceError
            When the loop is too short.
        """
        least = max(begin, self._there(operation.after)) if operation.after else begin
        tries: Callable[[Operation, int, Sequence[int]], Placed | None]
        if operation.kind in MULTIPLICATIONS:
            tries = self._multiplication
        elif operation.kind == INVERSE:
            tries = self._inverse
        elif operation.kind in LOOKS:
            tries = self._look
        else:
            tries = self._sum
        ready = tuple(self._earliest(operation, index) for index in range(len(operation.operands)))
        latest = self._latest(operation.name)
        overwrites = self._not_overwritten(operation.name)
        limit = least + 4 * (self.period or 100_000)
        for cycle in range(max(least, self._soonest(operation, ready)), limit):
            found = tries(operation, cycle, ready)
            if found is None or found.written < overwrites:
                continue
            if latest is not None and found.readable > latest:
                break
            if self.period and found.last >= 2 * self.period:
                break  # a first round ignores what is left of one before it, and a second one nothing of two before
            self.reserve(found)
            self.placed[operation.name] = found
            return found
        raise NoPlaceError(f"{self.graph.name}: no place for {operation.text} in {self.period} cycles")

    def _soonest(self, operation: Operation, ready: Sequence[int]) -> int:
        """First cycle that the operands allow, whatever is free."""
        if operation.kind in MULTIPLICATIONS:
            loads = self._banks_of(operation, self.machine.timings[operation.kind])
            return max(ready[index] + 1 - first for index, _, first, _ in loads)
        if operation.kind in (ZERO, OUT, INVERSE):
            return ready[0]
        return max((cycle + 1 - index for index, cycle in enumerate(ready)), default=0)

    def _sum(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        """Cycle of the addition."""
        unary = len(operation.operands) == 1
        if operation.kind == ONE:
            if cycle == 0 or not self.table.free(ADDER, cycle):  # the first operand is cleared in the cycle before
                return None
            return Placed(operation, cycle, written=cycle + 1)
        first = cycle - 1
        if first < ready[0] or not self.table.free(BUS, first):
            return None
        if not unary and (cycle < ready[1] or not self.table.free(BUS, cycle)):
            return None
        if not self.table.free(ADDER, cycle):
            return None
        reads = [Read(first, 0, "a"), *([] if unary else [Read(cycle, 1, "b")])]
        return Placed(operation, cycle, reads=tuple(reads), written=cycle + 1)

    def _look(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        if operation.kind == MARK:
            return Placed(operation, cycle, written=cycle)
        if cycle < ready[0] or not self.table.free(BUS, cycle):
            return None
        return Placed(operation, cycle, reads=(Read(cycle, 0, operation.name),), written=cycle)

    def _multiplication(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        timing = self.machine.timings[operation.kind]
        if not self.table.free(ADDER, cycle + timing.latency - 1):
            return None
        for unit in range(self.machine.units):
            if not self.table.free(f"unit {unit}", cycle, cycle + timing.interval - 1):
                continue
            reads = self._loads(operation, timing, unit, cycle, ready)
            if reads is not None:
                return Placed(operation, cycle, unit, reads, written=cycle + timing.latency)
        return None

    @staticmethod
    def _banks_of(operation: Operation, timing: Timing) -> list[tuple[int, tuple[str, ...], int, int]]:
        """Index of each operand, the registers that it fills, and the first and last cycle in which they are read."""
        if operation.kind == SQUARE:
            (x, x_first, x_last), (y, y_first, y_last) = timing.banks[:2]
            return [(0, (x, y), min(x_first, y_first), max(x_last, y_last))]
        return [(index, (bank,), first, last) for index, (bank, first, last) in enumerate(timing.banks)]

    def _loads(
        self, operation: Operation, timing: Timing, unit: int, start: int, ready: Sequence[int]
    ) -> tuple[Read, ...] | None:
        """Each operand as late as it can be read."""
        reads: list[Read] = []
        for index, banks, first, last in self._banks_of(operation, timing):
            earliest = max(0, ready[index], start - timing.interval)
            for cycle in range(start + first - 1, earliest - 1, -1):
                if any(self._same(cycle, read.cycle) for read in reads) or not self.table.free(BUS, cycle):
                    continue
                if all(self.table.free(f"unit {unit} {bank}", cycle, start + last - 1) for bank in banks):
                    reads.append(Read(cycle, index, "".join(banks)))
                    break
            else:
                return None
        return tuple(reads)

    def _same(self, one: int, other: int) -> bool:
        return (one - other) % self.period == 0 if self.period else one == other

    def _inverse(self, operation: Operation, cycle: int, ready: Sequence[int]) -> Placed | None:
        """Place an inversion, which begins when nothing else is to be placed before its end.

        One that is alone in the adder's registers: a sum in the cycle before its operand has left them by then, and a
        sum in the cycle behind its result loads A in that of the result, which is the last one with U in it."""
        if cycle < ready[0] or not self.table.free(BUS, cycle):
            return None
        quiet, at = list[int](), cycle + 1
        if self.machine.alone:
            quiet = [*range(at, at + self.machine.iterations + 1)]
            if not self.table.free(ADDER, cycle, quiet[-1]):
                return None
        while len(quiet) <= self.machine.iterations:
            if self.table.free(ADDER, at - 1, at):
                quiet.append(at)
            at += 1
        return Placed(operation, cycle, reads=(Read(cycle, 0, "inverse"),), iterations=tuple(quiet), written=quiet[-1])

    def reserve(self, placement: Placed) -> None:
        """Reserve what an operation in time needs."""
        kind = placement.operation.kind
        for read in placement.reads:
            self.table.reserve(BUS, read.cycle)
        if placement.adds is not None:
            self.table.reserve(ADDER, placement.adds)
        for cycle in placement.iterations:
            self.table.reserve(ADDER, cycle)
        if kind == INVERSE and self.machine.alone:
            self.table.reserve(ADDER, placement.start)
        if kind not in MULTIPLICATIONS:
            return
        timing = self.machine.timings[kind]
        self.table.reserve(f"unit {placement.unit}", placement.start, placement.start + timing.interval - 1)
        for read in placement.reads:
            for bank, _, last in timing.banks:
                if bank in _banks(read.target):
                    self.table.reserve(f"unit {placement.unit} {bank}", read.cycle, placement.start + last - 1)

    # --- all of them

    def place_all(self, order: Iterable[str]) -> tuple[Placed, ...]:
        """All operations, in an order in which each comes behind those that it reads."""
        for name in order:
            self.place(self.graph.by_name[name])
        return tuple(self.placed.values())


def _banks(target: str) -> tuple[str, ...]:
    """Operand registers that one read fills."""
    return ("x", "y") if target == "xy" else (target,)


def by_height(graph: Graph, machine: Machine, first: Sequence[str] = ()) -> tuple[str, ...]:
    """An order for a graph that runs once: behind `first`, what has most behind it; what an inverse does not wait for
    goes before it."""
    height: dict[str, int] = {}
    for operation in reversed(graph.operations):
        behind = [reader for reader in graph.operations if operation.name in _reads(reader)]
        height[operation.name] = machine.delay(operation.kind) + max(
            (height[reader.name] for reader in behind), default=0
        )
    late: set[str] = set()
    for operation in graph.operations:
        if operation.kind == INVERSE or late & _reads(operation):
            late.add(operation.name)
    rank = {operation.name: number for number, operation in enumerate(graph.operations)}
    order = list(first)
    waiting = sorted(rank.keys() - set(first), key=lambda name: (name in late, -height[name], rank[name]))
    known = {*graph.inputs, *graph.flags, *first}
    while waiting:
        name = next(n for n in waiting if _reads(graph.by_name[n]) <= known)
        waiting.remove(name)
        order.append(name)
        known.add(name)
    return tuple(order)


def _reads(operation: Operation) -> set[str]:
    """Everything that must be placed before an operation."""
    names = {value for operand in operation.operands for value in operand.values}
    names |= {operand.flag for operand in operation.operands if operand.flag}
    return names | ({operation.after} if operation.after else set())


@dataclass(frozen=True)
class Loop:
    """A step, placed: its period, and its operations."""

    period: int
    placed: tuple[Placed, ...]

    @cached_property
    def tail(self) -> int:
        """Cycles behind the period in which the step still does something."""
        return max(0, 1 + max(placement.last for placement in self.placed) - self.period)


def left_behind(
    before: Placer, loop: Loop, state: Mapping[str, str], together: Iterable[tuple[str, ...]]
) -> tuple[dict[str, int], Table]:
    """Take what the last round of a loop leaves to what is placed behind it.

    Parameters
    ----------
    before : Placer
        One of the loop's graph, with nothing placed.
    loop : Loop
    state : mapping of str to str
        Values of the loop, under the names of those that are left.
    together : iterable of tuple of str
        Groups of values that are exchanged by data: each is valid when all are.

    Returns
    -------
    dict, Table
        Cycle in which each value is valid, and the resources in use, both counted from the end of the round.
    """
    for placement in loop.placed:
        before.reserve(placement)
    table = Table()
    for resource, cycles in before.table.taken.items():
        table.taken[resource] = {cycle - loop.period for cycle in cycles if cycle >= loop.period}
    made = {placement.operation.name: placement for placement in loop.placed}
    ready = {name: max(0, made[source].readable - loop.period) for name, source in state.items()}
    for group in together:
        ready |= dict.fromkeys(group, max(ready[name] for name in group))
    return ready, table


def place_loop(
    graph: Graph,
    machine: Machine,
    order: Sequence[str],
    carried: Mapping[str, str],
    together: Sequence[tuple[str, ...]],
    *,
    longest: int = 0,
) -> Loop:
    """The shortest loop into which the operations fit in this order.

    Raises
    ------
    NoPlaceError
        When there is none of at most `longest` cycles.
    """
    least = least_period(graph, machine)
    for period in range(least, (longest or 3 * least) + 1):
        placer = Placer(graph, machine, period=period, carried=carried, together=together)
        try:
            return Loop(period, placer.place_all(order))
        except NoPlaceError:
            continue
    raise NoPlaceError(f"{graph.name}: no loop of up to {longest or 3 * least} cycles in this order")


def least_period(graph: Graph, machine: Machine) -> int:
    """Lower bound of a loop's period: the multipliers' cycles, or the read port's."""
    multiplying = sum(
        machine.timings[operation.kind].interval for operation in graph.operations if operation.kind in MULTIPLICATIONS
    )
    reading = sum(1 if operation.kind == SQUARE else len(operation.operands) for operation in graph.operations)
    return max(-(-multiplying // machine.units), reading)

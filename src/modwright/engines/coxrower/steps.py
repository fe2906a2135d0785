# SPDX-License-Identifier: Apache-2.0
"""Steps of the cox-rower: products, reductions and extensions, each with its control fields.

A `StepBuilder` places them in time; the schedule checks that no two use one unit in one cycle, and the player issues
its microcode. A result is read in its first valid cycle: its readers start then.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...rns.extension import NONE
from ...schedule import StepList
from .engine import CoxrowerEngine

INPUT, HELD, RESULT, BUS, FILE, COMMON, SCALED, GIVEN = range(8)
"""Field `a`: source of an operand: the stream, the first of the waiting operands of the stream, which the next one
replaces, the rower's result, the bus, the stored result `pick`, or the common number; `SCALED` is the stream with a
constant as the other operand, `GIVEN` the rower's result with word `b` of those that come with the operands, or with
`guest` the stored result with the signed factor."""
ALONE, ADD, SAVED, DOUBLE = range(4)
"""Field `sum`: a product starts a sum, is added to it, to the first of the saved sums, or to twice the sum."""
COX_ADD = 1
"""Field `cox`: the row on the bus is added; for e = 0, 1 the codes after it start from the offset of extension e."""

COEFFICIENTS = "coefficients"
"""Memory of the constants that a rower multiplies by; one word is read for each product by a constant."""

Cycles = list[int]
"""Cycles of one event for each slot."""

Term = tuple[int, dict[str, int]]
"""Code of the field `sum` by which a product joins a sum, and the product's control fields."""


@dataclass
class StepBuilder(StepList):
    """Steps under construction.

    Parameters
    ----------
    engine : CoxrowerEngine
    """

    engine: CoxrowerEngine

    def named(self, name: str, slot: int) -> str:
        """Name of a step of one slot; that of the last slot has no number, as later steps wait for it."""
        return name if slot == self.engine.slots - 1 else f"{name}, slot {slot + 1}"

    def products(self, name: str, starts: Cycles, operands: list[int], *, after: tuple[str, ...] = ()) -> Cycles:
        """Sum products of two operands in each slot, one a cycle; return the cycles in which the sums can be read.

        `operands` has an entry for each product, of all slots in turn.
        """
        count = len(operands) // self.engine.slots
        for slot, start in enumerate(starts):
            for number in range(count):
                operand = operands[slot * count + number]
                cycle, last = start + number, number == count - 1
                title = self.named(name, slot) if last else f"{self.named(name, slot)}, product {number + 1}"
                following = int(operand == HELD)
                self.add(
                    title,
                    "multiply-accumulate",
                    cycle,
                    latency=self.engine.latency,
                    after=after,
                    a=operand,
                    following=following if self._queued else 0,
                )
                if number:
                    self.add(f"{title}: sum", "accumulator", cycle + self.engine.latency - 1, sum=ADD)
        return [start + count - 1 + self.engine.latency for start in starts]

    @property
    def _queued(self) -> bool:
        """Whether more than one pair of operands waits."""
        return self.engine.held > 1

    def scaled(
        self, name: str, starts: Cycles, operands: list[int], factor: int = 0, *, after: tuple[str, ...] = ()
    ) -> Cycles:
        """Multiply an operand by a constant in each slot; return the cycles in which the products can be read."""
        for slot, (start, operand) in enumerate(zip(starts, operands, strict=True)):
            self.add(
                self.named(name, slot),
                "multiply-accumulate",
                start,
                latency=self.engine.latency,
                after=after if slot == self.engine.slots - 1 else (),
                also=(COEFFICIENTS,),
                a=operand,
                b=self.engine.factor_address(factor, slot),
                following=int(operand == HELD and self._queued),
            )
        return [start + self.engine.latency for start in starts]

    def sum_of(self, name: str, start: int, terms: list[Term], base: int, *, after: tuple[str, ...] = ()) -> int:
        """Place products, one a cycle, and the reduction of their sum; return the cycle in which it can be read. Rowers
        have one slot."""
        engine = self.engine
        for number, (mode, fields) in enumerate(terms):
            title, cycle = f"{name}, product {number + 1}", start + number
            read = (COEFFICIENTS,) if "b" in fields else ()
            self.add(title, "multiply-accumulate", cycle, latency=engine.latency, after=after, also=read, **fields)
            if mode != ALONE:
                self.add(f"{title}: sum", "accumulator", cycle + engine.latency - 1, sum=mode)
        end = start + len(terms) - 1 + engine.latency
        return self.reduce(name, [end], base, after=(f"{name}, product {len(terms)}",))[0]

    def write(self, name: str, cycle: int, number: int, *, after: tuple[str, ...]) -> None:
        """Store the result that can be read in `cycle`."""
        self.add(name, "write", cycle, after=after, write=number + 1)

    def save(self, name: str, starts: Cycles, until: Cycles, *, after: tuple[str, ...]) -> None:
        """Save the sums that can be read in `starts`, for sums that start from them in cycles `until`."""
        for slot, start in enumerate(starts):
            self.add(self.named(name, slot), "save", start, after=after if slot == len(starts) - 1 else (), save=1)
        self.add(f"{name}: kept", "saved sums", starts[0], busy=until[-1] - starts[0])

    def reduce(self, name: str, starts: Cycles, base: int, *, after: tuple[str, ...], correct: bool = False) -> Cycles:
        """Reduce the sums that can be read in `starts`; return the cycles in which the results can be read."""
        cycles = self.engine.fold_cycles
        for slot, start in enumerate(starts):
            self.add(
                self.named(name, slot),
                "reduction",
                start,
                latency=cycles,
                after=after if slot == len(starts) - 1 else (),
                base=self.engine.choice(base, slot),
                correct=int(correct),
            )
        return [start + cycles for start in starts]

    def first_sums(self, starts: Cycles) -> Cycles:
        """Cycles in which the sums of an extension start whose hats can be read in `starts`."""
        first = self._on_bus(starts) + self.engine.bus_cycles + self.engine.latency - 1
        return [first + slot * self.engine.rows for slot in range(self.engine.slots)]

    def _on_bus(self, starts: Cycles) -> int:
        """Cycle in which the first row is on the bus; KBE with all hats at once needs no register before it."""
        return starts[-1] + (1 if self.engine.passes_through else 2)

    def hold(self, name: str, starts: Cycles, cycles: int, *, after: tuple[str, ...]) -> Cycles:
        """Hold the hats that can be read in `starts` for the bus; return the cycles in which an extension reads them.

        The hats of the first extension alone can wait, with one slot and row registers.
        """
        if not cycles:
            return starts
        assert len(starts) == 1 and not self.engine.passes_through
        self.add(name, "held hats", starts[0], busy=cycles, latency=cycles, after=after, hold=1)
        return [starts[0] + cycles]

    def extend(
        self,
        name: str,
        starts: Cycles,
        extension: int,
        *,
        after: tuple[str, ...],
        first: int = ALONE,
        offset_of: int | None = None,
    ) -> Cycles:
        """Extend the hats that can be read in `starts`, or were held until then; return the cycles of the results.

        The rows pass over the bus once for each slot; the cox adds them the first time, from the offset of this or of
        another extension on.
        """
        engine, begins = self.engine, COX_ADD + 1 + (extension if offset_of is None else offset_of)
        bus, rows, slots = self._on_bus(starts), engine.rows, engine.slots
        counted = engine.extensions[extension].fed != NONE
        every = rows * slots
        self._load(name, starts, extension, after)
        for turn in range(every):
            slot, row = divmod(turn, rows)
            cox = (COX_ADD if row else begins) if slot == 0 and counted else 0
            self._on_the_bus(name, bus, turn, cox, engine.into(extension, slot))
            issue, address = bus + engine.bus_cycles + turn, engine.weight_address(extension, row, slot)
            self.add(
                f"{name}: row {turn + 1}",
                "multiply-accumulate",
                issue,
                latency=engine.latency,
                also=(COEFFICIENTS,),
                a=BUS,
                b=address,
            )
            mode = ADD if row else first
            if mode != ALONE:
                self.add(f"{name}: sum {turn + 1}", "accumulator", issue + engine.latency - 1, sum=mode)
        ends = [cycle + rows for cycle in self.first_sums(starts)]
        read = [f"{name}: row {every}"]
        if counted:
            self._correct(name, bus + rows + engine.cox_cycles + engine.travel, ends, extension)
            read.append(f"{name}: h")
        return self.reduce(name, ends, 1 - extension, after=tuple(read), correct=counted)

    def weigh(self, name: str, start: int, factors: list[int], base: int, *, after: tuple[str, ...]) -> int:
        """Pass the results that can be read in `start` over the bus, and sum them times factors, one for each; rowers
        have one slot, rows one hat. Return the cycle in which the reduced sum can be read."""
        engine, bus = self.engine, self._on_bus([start])
        self._load(name, [start], 1 - base, after)
        for row, factor in enumerate(factors):
            self._on_the_bus(name, bus, row, 0, 0)
            issue, title = bus + engine.bus_cycles + row, f"{name}: row {row + 1}"
            address = engine.factor_address(factor, 0)
            self.add(
                title, "multiply-accumulate", issue, latency=engine.latency, also=(COEFFICIENTS,), a=BUS, b=address
            )
            if row:
                self.add(f"{name}: sum {row + 1}", "accumulator", issue + engine.latency - 1, sum=ADD)
        end = bus + engine.bus_cycles + len(factors) - 1 + engine.latency
        return self.reduce(name, [end], base, after=(f"{name}: row {len(factors)}",))[0]

    def count(self, name: str, start: int, extension: int, *, after: tuple[str, ...]) -> int:
        """Pass the hats that can be read in `start` over the bus for the cox alone, where rowers have one slot;
        return the cycle in which its sum can be read."""
        bus = self._on_bus([start])
        self._load(name, [start], extension, after)
        for row in range(self.engine.rows):
            self._on_the_bus(name, bus, row, COX_ADD if row else COX_ADD + 1 + extension, 0)
        return bus + self.engine.rows + self.engine.cox_cycles

    def _load(self, name: str, starts: Cycles, extension: int, after: tuple[str, ...]) -> None:
        """Load the results that can be read as rows, which shift in the following cycles."""
        every = self.engine.rows * self.engine.slots
        self._gather(name, starts)
        self.add(f"{name}: rows", "rows", starts[-1], busy=every, after=after, load=1, source=extension)
        for turn in range(1, every):
            self.add(f"{name}: shift {turn}", "shift", starts[-1] + turn, shift=1)

    def _on_the_bus(self, name: str, bus: int, turn: int, cox: int, into: int) -> None:
        """Place one row on the bus, the first one in cycle `bus`."""
        counts, read = ("cox accumulator",) if cox else (), (f"{name}: rows",)
        self.add(f"{name}: bus {turn + 1}", "bus", bus + turn, after=read, also=counts, cox=cox, into=into)

    def _correct(self, name: str, counted: int, ends: Cycles, extension: int) -> None:
        """Place the look-ups of -h·A, each in time for the reduction of its slot; h is stable until the last one."""
        engine = self.engine
        for slot, end in enumerate(ends):
            start = counted if slot == 0 else ends[slot - 1]
            self.add(
                self.named(f"{name}: h", slot),
                "correction",
                start,
                busy=max(1, end - start),
                after=(f"{name}: bus {engine.rows}",),
                correction=1 + extension * engine.slots + slot,
            )
        if engine.slots > 1:
            first = counted - engine.travel - engine.rows
            self.add(f"{name}: cox", "cox", first, busy=ends[-2] + 1 - first)

    def _gather(self, name: str, starts: Cycles) -> None:
        """Hold the results of all slots but the last until the last one's is valid."""
        early = starts[:-1]
        for slot, start in enumerate(early):
            self.add(f"{name}: gather {slot + 1}", "gather", start, gather=1)
        if early:
            self.add(f"{name}: gathered", "gathered results", early[0], busy=starts[-1] - early[0] + 1)

    def keep(self, name: str, starts: Cycles, until: int, *, after: tuple[str, ...]) -> None:
        """Store the results that can be read with the last slot's through cycle `until`; an extension gathers them."""
        self.add(name, "kept results", starts[-1], busy=max(1, until - starts[-1]), after=after, keep=1)

    def deliver(self, starts: Cycles, push: int, *, after: tuple[str, ...] = ()) -> None:
        """Deliver the results that can be read in `starts`; `push` is the cycle in which they leave."""
        self._gather("result", starts)
        self.add("push", "result", push, after=after, take=1)

    @property
    def free_of_conflicts(self) -> bool:
        """Whether no unit is used twice in one cycle."""
        taken: dict[str, int] = {}  # bit k for cycle k, by unit
        for step in self.steps:
            cycles = ((1 << step.busy) - 1) << step.start
            if cycles & taken.get(step.resource, 0):
                return False
            taken[step.resource] = cycles | taken.get(step.resource, 0)
        return True

# SPDX-License-Identifier: Apache-2.0
"""Microprograms of the cox-rower: the steps of products, reductions and extensions, each with its control fields.

A program places them in time; the schedule checks that none wants a unit that another one has, and the sequencer plays
it. A result is read in the very clock in which it is there: what reads it starts then.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...schedule import Step
from .engine import Engine

INPUT, HELD, RESULT, BUS = range(4)
"""Field `a`: an operand is the stream's, the stream's that was held, the rower's result, or made from the bus."""
ALONE, ADD, SAVED = range(3)
"""Field `sum`: a product starts a sum, is added to it, or is added to the one that was saved."""
COX_ADD = 1
"""Field `cox`: the row on the bus is added; for e = 0, 1 the codes after it start from the offset of extension e."""


@dataclass
class Program:
    """Steps under construction.

    Parameters
    ----------
    engine : Engine
    steps : list of Step
    """

    engine: Engine
    steps: list[Step] = field(default_factory=list)

    def _add(
        self,
        name: str,
        resource: str,
        start: int,
        *,
        busy: int = 1,
        latency: int = 1,
        after: tuple[str, ...] = (),
        **control: int,
    ) -> None:
        fields = {field: value for field, value in control.items() if value}
        self.steps.append(Step(name, resource, start, busy, latency, fields, after))

    def product(self, name: str, start: int, operand: int, factor: int = 0, *, after: tuple[str, ...] = ()) -> int:
        """A single product; the clock in which its sum can be read."""
        self._add(name, "multiply-accumulate", start, latency=self.engine.latency, after=after, a=operand, b=factor)
        return start + self.engine.latency

    def save(self, name: str, start: int, until: int, *, after: tuple[str, ...]) -> None:
        """Keep the sum that can be read now, for a sum that starts from it in clock `until`."""
        self._add(name, "saved sum", start, busy=until - start, after=after, save=1)

    def reduce(self, name: str, start: int, base: int, *, after: tuple[str, ...], correct: bool = False) -> int:
        """Reduce the sum that can be read now; the clock in which the result can be read."""
        clocks = self.engine.fold_clocks
        self._add(name, "reduction", start, latency=clocks, after=after, base=base, correct=int(correct))
        return start + clocks

    def first_operand(self, start: int) -> int:
        """Clock of the first product of an extension whose hats can be read in `start`."""
        return self._on_bus(start) + self.engine.bus_clocks

    def _on_bus(self, start: int) -> int:
        """Clock in which the first row is on the bus; super-residues take one more."""
        return start + self.engine.columns

    def extend(self, name: str, start: int, extension: int, *, after: tuple[str, ...], first: int = ALONE) -> int:
        """Extend the hats that can be read now; the clock in which the reduced result can be read."""
        engine = self.engine
        bus, rows = self._on_bus(start), engine.rows
        self._add(f"{name}: rows", "rows", start, busy=rows, after=after, load=1, source=extension)
        for row in range(1, rows):
            self._add(f"{name}: shift {row}", "shift", start + row, shift=1)
        for row in range(rows):
            cox = COX_ADD if row else COX_ADD + 1 + extension
            self._add(f"{name}: bus {row + 1}", "bus", bus + row, after=(f"{name}: rows",), cox=cox, into=1 - extension)
            issue, address = bus + engine.bus_clocks + row, engine.weight_address(extension, row)
            self._add(f"{name}: row {row + 1}", "multiply-accumulate", issue, latency=engine.latency, a=BUS, b=address)
            mode = ADD if row else first
            if mode != ALONE:
                self._add(f"{name}: sum {row + 1}", "accumulator", issue + engine.latency - 1, sum=mode)
        counted = bus + rows + engine.cox_clocks
        end = bus + engine.bus_clocks + rows - 1 + engine.latency
        last = f"{name}: bus {rows}"
        self._add(
            f"{name}: h", "correction", counted, busy=max(1, end - counted), after=(last,), correction=1 + extension
        )
        read = (f"{name}: h", f"{name}: row {rows}")
        return self.reduce(name, end, 1 - extension, after=read, correct=True)

    def keep(self, name: str, start: int, until: int, *, after: tuple[str, ...]) -> None:
        """Keep the result that can be read now through clock `until`."""
        self._add(name, "kept result", start, busy=max(1, until - start), after=after, keep=1)

    @property
    def free_of_conflicts(self) -> bool:
        """Whether no unit is wanted twice in one clock."""
        clocks = [(s.resource, s.start + k) for s in self.steps for k in range(s.busy)]
        return len(clocks) == len(set(clocks))

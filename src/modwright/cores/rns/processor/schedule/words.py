# SPDX-License-Identifier: Apache-2.0
"""Words of parts that follow each other, some of which the next part issues."""

from __future__ import annotations

from dataclasses import replace

from .....engines.coxrower.steps import FILE, StepBuilder, Term
from .....schedule import Step

COUNTED = 2
"""Cycles from the last hat on the bus to the sums over all hats: the residues of the hat, and the sum."""
STORED = "port of stored results"
"""The port of a block RAM that reads them, with the address a cycle before the product, and writes them."""


class Words(StepBuilder):
    """Steps of a part, and those that the next part executes for it."""

    @property
    def first(self) -> int:
        """First cycle of a word."""
        return 1 + self.engine.travel

    def sum_of(self, name: str, start: int, terms: list[Term], base: int, *, after: tuple[str, ...] = ()) -> int:
        """Place products and the reduction of their sum; return the cycle in which it can be read."""
        for number, (_, fields) in enumerate(terms):
            if self.engine.blocks and fields["a"] == FILE:
                self.add(f"{name}, product {number + 1}: read", STORED, start + number - 1)
        return super().sum_of(name, start, terms, base, after=after)

    def write(self, name: str, cycle: int, number: int, *, after: tuple[str, ...]) -> None:
        """Store the result that can be read in `cycle`."""
        super().write(name, cycle, number, after=after)
        if self.engine.blocks:
            self.add(f"{name}: port", STORED, cycle)

    def counted(self, name: str, start: int, residues: int) -> int:
        """Place readable hats on the bus and their small residues; return the cycle in which those are stored."""
        stored = self.count(f"{name} on the bus", start, 1, after=(name,)) - 1 + COUNTED
        self.add(f"small residues of {name}", "small residues", stored, small=residues)
        return stored

    def add_common(self, name: str, cycle: int, code: int) -> None:
        """Choose the number that rowers share in the next cycle."""
        self.add(f"coefficient of {name}", "decision", cycle, common=code)

    def passed_on(self, start: int) -> tuple[Step, ...]:
        """Remove the steps after the next part's start, and return them in its cycles."""
        last = start + self.engine.travel
        later = [step for step in self.steps if step.start > last]
        cut = [step for step in self.steps if step.start <= last < step.start + step.busy - 1]
        self.steps = [step for step in self.steps if step.start <= last and step not in cut]
        self.steps += [replace(step, busy=last + 1 - step.start, latency=1) for step in cut]
        rest = [replace(step, start=last + 1, busy=step.start + step.busy - last - 1, control={}) for step in cut]
        return tuple(
            replace(step, name=f"before: {step.name}", start=step.start - start, after=()) for step in (*rest, *later)
        )

# SPDX-License-Identifier: Apache-2.0
"""Words of parts that follow each other, some of which the next part issues."""

from __future__ import annotations

from dataclasses import replace

from .....engines.coxrower.steps import StepBuilder
from .....schedule import Step

COUNTED = 2
"""Cycles from the last hat on the bus to the sums over all hats: the residues of the hat, and the sum."""


class Words(StepBuilder):
    """Steps of a part, and those that the next part executes for it."""

    @property
    def first(self) -> int:
        """First cycle of a word."""
        return 1 + self.engine.travel

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

# SPDX-License-Identifier: Apache-2.0
"""Marks of what may differ between a core and a mutant in ternary simulation, where both may be unknown and yet alike.

A gate differs only where one of its inputs does, and the other one can be 1. So a word of a program that has no effect
in its cycle is decided without the operands: what a register takes then may differ, until it is written the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .circuit import FALSE, TRUE
from .packed import Mark
from .twins import D, Twins, literal_of


class Marks:
    """Marks of the gates that lead to results.

    Parameters
    ----------
    twins : Twins
    latches : sequence of int
        Latches of a state that the mutant has for itself.
    results : iterable of int
        Literals of the graph.
    own : sequence of int
        Variables of the graph for which the mutant takes the value of the core, see `Twins`.

    Attributes
    ----------
    latches : dict of int to int
        Literals of their marks.
    following : dict of int to int
        Literals of the marks of what they are in the next cycle.
    results : list of int
        Literals of the marks of the results.
    own : list of int
        Literals of the marks of what the mutant itself has for the variables of `own`.
    made : list of Mark
        Each after those that it depends on.
    """

    def __init__(
        self, twins: Twins[D], latches: Sequence[int], results: Iterable[int], own: Sequence[int] = ()
    ) -> None:
        self._twins = twins
        graph, self._first_latch = twins.design.graph, twins.design.first_latch
        self._first_gate = self._first_latch + len(graph.latches)
        self.latches = {k: twins.circuit.fresh() for k in latches}
        results = list(results)
        self._of: dict[int, int] = {}
        self.made: list[Mark] = []
        before = [literal for variable in own if variable >= self._first_gate for literal in self._gate(variable)]
        for variable in self._cone([*results, *before, *(graph.latches[k][0] for k in latches)]):
            self._of[variable] = self._mark(variable)
        self.following = {k: self._of[graph.latches[k][0] >> 1] for k in latches}
        self.results = [self._of[literal >> 1] for literal in results]
        self.own = [self._own(variable) for variable in own]

    def _cone(self, literals: Iterable[int]) -> list[int]:
        """The variables of the graph that lead to some literals within a cycle, in their order, the constant too."""
        gates, found = self._twins.design.graph.gates, {0}
        waiting = [literal >> 1 for literal in literals]
        while waiting:
            variable = waiting.pop()
            if variable not in found:
                found.add(variable)
                if variable >= self._first_gate and not self._alike(variable):
                    waiting += [literal >> 1 for literal in gates[variable - self._first_gate]]
        return sorted(found)

    def _gate(self, variable: int) -> tuple[int, int]:
        return self._twins.design.graph.gates[variable - self._first_gate]

    def _alike(self, variable: int) -> bool:
        cycle = self._twins.symbolic
        return cycle.core[variable] == cycle.mutant[variable]

    def _mark(self, variable: int) -> int:
        """The literal of a mark: one that is always set for what selects the mutant."""
        if self._alike(variable):
            return FALSE
        if variable < self._first_latch:
            return TRUE
        if variable < self._first_gate:
            latch = variable - self._first_latch
            return self.latches.get(latch, TRUE)
        return self._made(variable, self._twins.symbolic.mutant[variable])

    def _own(self, variable: int) -> int:
        if variable < self._first_gate:
            return self.latches[variable - self._first_latch]
        return self._made(variable, self._twins.symbolic.own[variable])

    def _made(self, variable: int, mutant: int) -> int:
        """The mark of a gate whose literal in the mutant is given."""
        cycle = self._twins.symbolic
        one, other = (
            (self._of[literal >> 1], literal_of(cycle.core, literal), literal_of(cycle.mutant, literal))
            for literal in self._gate(variable)
        )
        mark = Mark(self._twins.circuit.fresh(), (one, other), (cycle.core[variable], mutant))
        self.made.append(mark)
        return mark.literal

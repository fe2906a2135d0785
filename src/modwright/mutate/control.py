# SPDX-License-Identifier: Apache-2.0
"""What control of a core and a mutant can be in each cycle of an operation, by going through its reachable states.

The registers that read `o.ready` count results that wait; where no mutation reaches them, they are taken to be anything
in every cycle, which admits more than can happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from .circuit import TRUE
from .machine import Machine, State, TooManyError
from .twins import Twins, literal_of

MOST_STATES = 20_000
"""Reachable states that are gone through."""
MOST_CYCLES = 300
"""From an admission to its result."""
_MOST_INPUTS, _MOST_UNKNOWN = 8, 4
"""Bits that are free in every cycle, and those of the initial state that have no value."""


Copy = tuple[int, bool]
"""A latch of the core, or of the mutant (True)."""


@dataclass
class Window:
    """The cycles of an operation, from its admission to the one in which its result is kept.

    Parameters
    ----------
    constants : list of dict of (int, bool) to int
        By cycle: the value of a copy of a latch where it is the same in all states.
    admitting : list of str
        The states in which an operation can be admitted, a digit for each of `Control.copies`.
    """

    constants: list[dict[Copy, int]] = field(default_factory=list[dict[Copy, int]])
    admitting: list[State] = field(default_factory=list[State])


class Control:
    """The control of a core and a mutant that its operations depend on.

    Attributes
    ----------
    free : frozenset of int
        Latches that are taken to be anything.
    needed : frozenset of int
        Those that lead to an admission or to a word that is kept, the free ones among them.
    copies : list of (int, bool)
        The latches of control, of the mutant where they may differ.
    """

    def __init__(self, twins: Twins) -> None:
        self._twins, self._design = twins, twins.design
        self.free = self._free()
        self.needed = self._needed()
        self._latches = sorted(k for k in self.needed - self.free if self._design.control[k])
        self.copies = [(k, False) for k in self._latches] + [(k, True) for k in self._latches if k in twins.tainted]
        self._machine = self._made()

    def _free(self) -> frozenset[int]:
        ready = self._input("o__ready")
        circuit = self._twins.circuit
        return frozenset(
            k
            for k, (core, _) in enumerate(self._twins.following(self._twins.one))
            if self._design.control[k] and k not in self._twins.tainted and ready in circuit.support([core])
        )

    def _needed(self) -> frozenset[int]:
        """Latches that lead to an admission or to a word that is kept, but by way of the free ones."""
        graph, first = self._design.graph, self._design.first_latch
        first_gate = first + len(graph.latches)
        seen: set[int] = set()
        waiting = [literal >> 1 for literal in (self._design.ready, self._design.push, *self._design.result)]
        while waiting:
            variable = waiting.pop()
            if variable in seen or variable < first:
                continue
            seen.add(variable)
            if variable >= first_gate:
                waiting += [literal >> 1 for literal in graph.gates[variable - first_gate]]
            elif variable - first not in self.free:
                waiting.append(graph.latches[variable - first][0] >> 1)
        return frozenset(variable - first for variable in seen if variable < first_gate)

    def _input(self, name: str) -> int:
        return self._twins.inputs[self._design.inputs.index(name)]

    def _literal(self, copy: tuple[int, bool]) -> int:
        return self._twins.state[copy[1]][copy[0]]

    def _made(self) -> Machine | None:
        """The machine of control; None when it has too many inputs."""
        twins = self._twins
        following = twins.following(twins.one)
        state = [self._literal(copy) for copy in self.copies]
        taken = [following[k][mutant] for k, mutant in self.copies]
        self.reset, self._valid = self._input("rst"), self._input("i__valid")
        self.ready, self.push = (literal_of(twins.one.core, one) for one in (self._design.ready, self._design.push))
        self._wrong = twins.circuit.any_of(
            twins.circuit.unequal(twins.one.core[v], own) for v, own in twins.one.own.items()
        )
        used = {*twins.circuit.support([*taken, self.ready, self.push, self._wrong]), self.reset, self._valid}
        self._inputs = sorted(used - set(state))
        return Machine(twins.circuit, state, taken, self._inputs) if len(self._inputs) <= _MOST_INPUTS else None

    def window(self) -> Window | None:
        """The cycles of an operation; None when a handshake may differ, or a result is kept in no fixed cycle.

        Raises
        ------
        TooManyError
            When control has too many states.
        """
        machine = self._machine
        if machine is None:
            raise TooManyError
        states = machine.reachable(self._initial(), MOST_STATES)
        if machine.can(states, self._wrong):
            return None
        circuit = self._twins.circuit
        admitted = circuit.both(circuit.both(self._valid, self.ready), self.reset ^ 1)
        window = Window(admitting=sorted(machine.values(states, [self._literal(one) for one in self.copies], admitted)))
        window.constants.append(self._constants(machine, states, admitted))
        with_it, without = machine.after(states, admitted), machine.after(states, admitted ^ 1)
        while with_it and len(window.constants) <= MOST_CYCLES:
            window.constants.append(self._constants(machine, with_it, TRUE))
            if machine.can(with_it, self.push) and not machine.can(without, self.push):
                return window
            without = machine.after(without) | machine.after(with_it, self.reset)
            with_it = machine.after(with_it, self.reset ^ 1)
        return None

    def _initial(self) -> Iterable[State]:
        """The initial states, the same in core and mutant."""
        first = {k: self._design.graph.latches[k][1] or "0" for k in self._latches}
        unknown = [k for k, value in first.items() if value not in ("0", "1")]
        if len(unknown) > _MOST_UNKNOWN:
            raise TooManyError
        for values in product("01", repeat=len(unknown)):
            known = first | dict(zip(unknown, values, strict=True))
            yield "".join(known[k] for k, _ in self.copies)

    def _constants(self, machine: Machine, states: Iterable[State], condition: int) -> dict[tuple[int, bool], int]:
        """Latches that have one value in all of these states, where the condition is 1."""
        copies = [*self.copies, *((k, False) for k in self.free if self._literal((k, False)) in self._inputs)]
        if condition == TRUE:
            copies, rows = self.copies, states
        else:
            rows = machine.values(states, [self._literal(copy) for copy in copies], condition)
        columns: Sequence[tuple[str, ...]] = list(zip(*rows, strict=True))
        return {copy: int(column[0]) for copy, column in zip(copies, columns, strict=True) if len(set(column)) == 1}

# SPDX-License-Identifier: Apache-2.0
"""Values that control of a core and a mutant can have in each cycle of an operation, from its reachable states.

The registers that read `o.ready` count results that wait; where no mutation reaches them, they are assumed to be
arbitrary in every cycle, which admits more behaviours than are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from .machine import Machine, State, TooManyError
from .twins import Design, Twins, literal_of

MOST_STATES = 20_000
"""Most reachable states that are enumerated."""
MOST_CYCLES = 300
"""Most cycles from an admission to its result."""
_MOST_INPUTS, _MOST_UNKNOWN = 8, 4
"""Most bits that are free in every cycle, and most bits of the initial state without a value."""


Copy = tuple[int, bool]
"""A latch of the core, or of the mutant (True)."""


@dataclass(frozen=True)
class Window:
    """The cycles of an operation, from its admission to the one in which a queue takes a word of it.

    Parameters
    ----------
    constants : list of dict of (int, bool) to int
        Values by cycle of the copies of latches that are the same in all states.
    admitting : list of str
        The states in which an operation can be admitted, a digit for each of `Control.copies`.
    """

    constants: list[dict[Copy, int]]
    admitting: list[State]


class Control:
    """The control of a core and a mutant on which their operations depend.

    Attributes
    ----------
    free : frozenset of int
        Latches that are assumed to be arbitrary.
    needed : frozenset of int
        Latches that can affect an admission or a stored word, the free ones included.
    copies : list of (int, bool)
        The latches of control, of the mutant where they may differ.
    """

    def __init__(self, twins: Twins[Design]) -> None:
        self._twins, self._design = twins, twins.design
        self.free = self._free()
        self.needed = self._needed()
        latches = sorted(k for k in self.needed - self.free if self._design.control[k])
        self.copies = sorted(
            (k, mutant) for k in latches for mutant in (False, True) if not mutant or k in twins.tainted
        )
        circuit, self._following = twins.circuit, twins.following(twins.symbolic)
        self._reset = self._input("rst")
        ready, *self._pushes = (literal_of(twins.symbolic.core, bits) for bits in self._design.strict)
        self._admitted = circuit.both(circuit.both(self._input("i__valid"), ready), self._reset ^ 1)
        self._wrong = circuit.any_of(
            circuit.unequal(twins.symbolic.core[v], own) for v, own in twins.symbolic.own.items()
        )

    def _free(self) -> frozenset[int]:
        ready = self._input("o__ready")
        circuit = self._twins.circuit
        return frozenset(
            k
            for k, (core, _) in enumerate(self._twins.following(self._twins.symbolic))
            if self._design.control[k] and k not in self._twins.tainted and ready in circuit.support([core])
        )

    def _needed(self) -> frozenset[int]:
        """Latches that can affect an admission or a stored word, other than through the free ones."""
        graph, first = self._design.graph, self._design.first_latch
        first_gate = first + len(graph.latches)
        seen: set[int] = set()
        waiting = [literal >> 1 for literal in self._design.strict]
        waiting += [literal >> 1 for _, word in self._design.queues for literal in word]
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

    def windows(self) -> list[Window]:
        """The cycles of an operation up to that in which each queue takes a word of it; none when a handshake may
        differ, or a queue takes its word in no fixed cycle.

        Raises
        ------
        TooManyError
            When control has too many states.
        """
        machine = self._machine()
        states = machine.reachable(self._initial(), MOST_STATES)
        if machine.can(states, self._wrong):
            return []
        lengths = [self._length(machine, states, push) for push in self._pushes]
        return [] if None in lengths else [self._window(machine, states, n) for n in lengths if n is not None]

    def _machine(self) -> Machine:
        state = [self._literal(copy) for copy in self.copies]
        following = [self._following[k][changed] for k, changed in self.copies]
        used = self._twins.circuit.support([*following, self._admitted, *self._pushes, self._wrong])
        inputs = sorted({*used, self._reset} - set(state))
        if len(inputs) > _MOST_INPUTS:
            raise TooManyError
        return Machine(self._twins.circuit, state, following, inputs)

    def _length(self, machine: Machine, states: set[State], push: int) -> int | None:
        """Cycles from an admission to the only one in which a queue takes a word; None where that is not fixed."""
        if not machine.can(states, self._twins.circuit.both(push, self._admitted ^ 1)):
            return 0
        if not machine.can(states, push ^ 1):  # it takes a word in every cycle
            return None
        with_it, without = (machine.after(states, self._admitted ^ k) for k in (0, 1))
        for cycles in range(1, MOST_CYCLES):
            if machine.can(with_it, push) and not machine.can(without, push):
                return cycles
            without = machine.after(without) | machine.after(with_it, self._reset)
            with_it = machine.after(with_it, self._reset ^ 1)
        return None

    def _window(self, machine: Machine, states: set[State], length: int) -> Window:
        free = ((k, False) for k in sorted(self.free))
        known = [*self.copies, *(copy for copy in free if machine.reads(self._literal(copy)))]
        rows = machine.values(states, [self._literal(copy) for copy in known], self._admitted)
        window = Window([_constants(known, rows)], sorted({row[: len(self.copies)] for row in rows}))
        states = machine.after(states, self._admitted)
        for _ in range(length):
            window.constants.append(_constants(self.copies, states))
            states = machine.after(states, self._reset ^ 1)
        return window

    def _initial(self) -> Iterator[State]:
        """The initial states, the same in core and mutant."""
        first = {k: self._design.graph.latches[k][1] or "0" for k, _ in self.copies}
        unknown = [k for k, value in first.items() if value not in ("0", "1")]
        if len(unknown) > _MOST_UNKNOWN:
            raise TooManyError
        for values in product("01", repeat=len(unknown)):
            known = first | dict(zip(unknown, values, strict=True))
            yield "".join(known[k] for k, _ in self.copies)


def _constants(copies: Sequence[Copy], states: Iterable[State]) -> dict[Copy, int]:
    """Copies that have the same value in all of the states."""
    columns: Sequence[tuple[str, ...]] = list(zip(*states, strict=True))
    return {copy: int(column[0]) for copy, column in zip(copies, columns, strict=False) if len(set(column)) == 1}

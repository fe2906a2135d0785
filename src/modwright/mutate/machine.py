# SPDX-License-Identifier: Apache-2.0
"""A small state machine, all of whose reachable states are enumerated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from .circuit import TRUE, Circuit

State = str
"""A digit for each bit of the state."""
_LANES = 1 << 12
"""States that are evaluated together."""


class TooManyError(Exception):
    """Error for more states than are enumerated."""


class Machine:
    """A machine given by its circuit.

    Parameters
    ----------
    circuit : Circuit
    state, following : sequence of int
        Literals of the bits of the state, which are inputs of the circuit, and of their next values.
    inputs : sequence of int
        Other inputs of the circuit in the fan-in of `following`; each is arbitrary in every cycle.
    """

    def __init__(self, circuit: Circuit, state: Sequence[int], following: Sequence[int], inputs: Sequence[int]) -> None:
        self._circuit, self._state, self._following, self._inputs = circuit, state, following, inputs
        self._combinations = 1 << len(inputs)

    def reachable(self, initial: Iterable[State], most: int) -> set[State]:
        """Every state that is reachable from the initial ones.

        Raises
        ------
        TooManyError
            When there are more than `most`.
        """
        found = set(initial)
        fresh = set(found)
        while fresh:
            fresh = self.after(fresh) - found
            found |= fresh
            if len(found) > most:
                raise TooManyError
        return found

    def after(self, states: Iterable[State], condition: int = TRUE) -> set[State]:
        """The states that follow, for all inputs with which a literal is 1."""
        return set(self._rows(states, self._following, condition))

    def values(self, states: Iterable[State], literals: Sequence[int], condition: int = TRUE) -> set[State]:
        """Combined values of literals, for all of the states and all inputs with which `condition` is 1."""
        return set(self._rows(states, literals, condition))

    def reads(self, literal: int) -> bool:
        """Whether a literal is one of the other inputs."""
        return literal in self._inputs

    def can(self, states: Iterable[State], literal: int) -> bool:
        """Whether a literal is 1 for one of the states and some inputs."""
        return bool(self.values(states, [], literal))

    def _rows(self, states: Iterable[State], literals: Sequence[int], condition: int) -> Iterator[State]:
        outputs = [condition, *literals]
        cone = self._circuit.cone(outputs)
        waiting = iter(states)
        while some := list(islice(waiting, max(1, _LANES // self._combinations))):
            lanes = len(some) * self._combinations
            inputs = self._lanes(some)
            found = self._circuit.evaluated_in(cone, outputs, inputs, lanes)
            columns = [format(value, f"0{lanes}b") for value in found]
            yield from ("".join(row[1:]) for row in set(zip(*columns, strict=True)) if row[0] == "1")

    def _lanes(self, states: Sequence[State]) -> dict[int, int]:
        """Values of the inputs of the circuit: each state with each combination of the other inputs."""
        count = len(states)
        again = sum(1 << count * k for k in range(self._combinations))
        found = {
            literal: int("".join(column), 2) * again
            for literal, column in zip(self._state, zip(*states, strict=True), strict=True)
        }
        ones = (1 << count) - 1
        rows = product((0, 1), repeat=len(self._inputs))
        for place, row in enumerate(rows):
            for literal, value in zip(self._inputs, row, strict=True):
                found[literal] = found.get(literal, 0) | (ones * value << count * place)
        return found

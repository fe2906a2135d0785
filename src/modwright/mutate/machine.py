# SPDX-License-Identifier: Apache-2.0
"""A small state machine, all of whose reachable states are enumerated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from .circuit import TRUE, Circuit

State = str
"""A digit for each bit of the state."""
_LANES = 1 << 12
"""States that are looked at in one go."""


class TooManyError(Exception):
    """Raised at more states than are searched."""


class Machine:
    """A machine given by its circuit.

    Parameters
    ----------
    circuit : Circuit
    state, following : sequence of int
        Literals: inputs of the circuit that are the bits of the state, and what they are in the next cycle.
    inputs : sequence of int
        The other inputs of the circuit that lead to `following`; each may be anything in every cycle.
    """

    def __init__(self, circuit: Circuit, state: Sequence[int], following: Sequence[int], inputs: Sequence[int]) -> None:
        self._circuit, self._state, self._following, self._inputs = circuit, state, following, inputs
        self._combinations = 1 << len(inputs)

    def reachable(self, initial: Iterable[State], most: int) -> set[State]:
        """Every state from the initial ones on.

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
        """Values of some literals together, for all of these states and all inputs with which `condition` is 1."""
        return set(self._rows(states, literals, condition))

    def reads(self, literal: int) -> bool:
        """Whether a literal is one of the other inputs."""
        return literal in self._inputs

    def can(self, states: Iterable[State], literal: int) -> bool:
        """Whether a literal is 1 for one of these states and any inputs."""
        return bool(self.values(states, [], literal))

    def _rows(self, states: Iterable[State], literals: Sequence[int], condition: int) -> Iterator[State]:
        wanted = [condition, *literals]
        cone = self._circuit.cone(wanted)
        waiting = iter(states)
        while some := list(islice(waiting, max(1, _LANES // self._combinations))):
            lanes = len(some) * self._combinations
            inputs = self._lanes(some)
            found = self._circuit.play(cone, wanted, inputs, lanes)
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

# SPDX-License-Identifier: Apache-2.0
"""Every state that a circuit can reach, where states that agree in some of their bits, the *key*, are one.

A bit of a state is 0, 1 or unknown, as in `ternary`. From a joined state follow those that follow each of its states,
and possibly more; so what holds in all of the joined states holds in all that are reached. That is abstract
interpretation with a partition of the states (P. Cousot, R. Cousot: Abstract Interpretation, POPL 1977; L. Mauborgne,
X. Rival: Trace Partitioning in Abstract Interpretation Based Static Analyzers, ESOP 2005), here by the values of
control.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..base.store import Store
from .circuit import TRUE, Circuit
from .packed import Mark, Packed, Pair, library, pointer
from .ternary import Bit, State

MEMORY = 1
"""GiB that states take at most, without the table by which they are found, where nothing else is said."""
MOST_STATES = (1 << 31) - (1 << 20)
"""Most states, whose numbers `states.cpp` has in 32 bits with a sign; those of a last block are found beyond them."""
_VISITS = 64
"""Cycles that are evaluated for each state that is allowed, on the average: a few values of its inputs, a few times."""


class TooManyError(Exception):
    """Error for more states than are enumerated."""


@dataclass(frozen=True)
class Latch:
    """A bit of a state.

    Parameters
    ----------
    literal, following : int
        The literal of the bit, an input of the circuit, and that of its next value.
    initial : (int, int)
        The initial value, in one lane.
    """

    literal: int
    following: int
    initial: Bit


@dataclass(frozen=True)
class Rest:
    """States from which nothing is looked for until the next reset.

    Parameters
    ----------
    zeros : sequence of int
        Places of the bits of a state that are 0 in each of them, one at least.
    every : sequence of (int, int)
        A state that contains all of them.
    """

    zeros: Sequence[int]
    every: State


class States:
    """The states of a circuit.

    Parameters
    ----------
    circuit : Circuit
    key, others : sequence of Latch
        Bits of the state, in which states agree that are joined, and the other ones.
    never : sequence of (int, int)
        Pairs of literals that shall never be both 1.
    store : Store
        Where what evaluates the circuit is kept, once it is compiled.
    marks : sequence of Mark
        Each after those that it depends on; their literals may be among `following` and `never`.
    memory : int
        GiB that the states may take.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    """

    def __init__(
        self,
        circuit: Circuit,
        key: Sequence[Latch],
        others: Sequence[Latch],
        never: Sequence[Pair],
        store: Store,
        marks: Sequence[Mark] = (),
        memory: int = MEMORY,
    ) -> None:
        latches = [*key, *others]
        pairs = [literal for pair in never for literal in pair]
        self._packed = Packed(
            circuit, [latch.literal for latch in latches], [latch.following for latch in latches], pairs, marks
        )
        self._key, self._initial = len(key), [latch.initial for latch in latches]
        self._never, self._most_bytes = self._packed.literals(pairs), memory << 30
        self._states = library(store).states
        self._states.restype = ctypes.c_long

    def count(
        self, choices: Sequence[Mapping[int, Bit]], most: int | None = None, rest: Rest | None = None
    ) -> int | None:
        """The number of states; None where both literals of a pair can be 1.

        Parameters
        ----------
        choices : sequence of mapping of int to (int, int)
            Combinations of values of some inputs, by literal, each of which is possible in every cycle; any other input
            is unknown; the last one is a reset.
        most : int or None
            Most states.
        rest : Rest or None
            States whose successors are left out, but for that of a reset.

        Raises
        ------
        TooManyError
            When there are more, or when they take more than `memory`.
        """
        first = _row(self._initial)
        room = min(MOST_STATES, self._most_bytes // max(1, len(first) * first.itemsize))
        most = room if most is None else min(most, room)
        inputs = [literal for literal in choices[0] if literal in self._packed.inputs]
        combinations = list(dict.fromkeys(tuple(choice[literal] for literal in inputs) for choice in choices))
        values = array("i", [number for choice in combinations for bit in choice for number in bit])
        places = array("i", [self._packed.inputs.index(literal) for literal in inputs])
        zeros = array("i", rest.zeros if rest is not None else ())
        every = _row(rest.every) if rest is not None else first
        found = self._states(
            *(self._packed.machine, self._key, pointer(first), len(inputs), pointer(places)),
            *(len(combinations), pointer(values), len(self._never) // 2, pointer(self._never)),
            *(len(zeros), pointer(zeros), pointer(every)),
            *(ctypes.c_long(most), ctypes.c_long(_VISITS * most)),
        )
        if found == _TOO_MANY:
            raise TooManyError
        return found if found >= 0 else None


_TOO_MANY = -2


def _row(state: State) -> array[int]:
    """A state in one lane, as `states.cpp` has it: words, one at least."""
    bits = sum((one | zero << 1) << 2 * place for place, (one, zero) in enumerate(state))
    return array("Q", [bits >> at & (1 << 64) - 1 for at in range(0, max(1, 2 * len(state)), 64)])


def always(literal: int) -> Pair:
    """The pair of a literal that shall never be 1."""
    return literal, TRUE

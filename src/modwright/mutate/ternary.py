# SPDX-License-Identifier: Apache-2.0
"""A circuit evaluated in many lanes at once, with bits that are 0, 1 or unknown.

A bit is held as the lanes in which it can be 1, and those in which it can be 0; a lane is in both where it is unknown.
That is ternary simulation (Eichelberger, IBM J. Res. Dev. 9(2), 1965; Seger and Bryant, Formal Methods in System Design
6, 1995): a bit that the evaluation knows has that value for all values of the unknown bits.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..base.store import Store
from .circuit import Circuit
from .packed import Mark, Packed, Pair, library, pointer

Bit = tuple[int, int]
"""The lanes in which a bit can be 1, and those in which it can be 0."""
State = list[Bit]
KNOWN: tuple[Bit, Bit] = ((0, 1), (1, 0))
"""The bits 0 and 1."""
UNKNOWN: Bit = (1, 1)
SAME: Bit = KNOWN[0]
"""The bit of a mark of what is the same in core and mutant; where that is not known, it is unknown."""

_BYTES = 64
"""Size of a block of lanes."""


@dataclass(frozen=True)
class Stopped:
    """Cycle in which each lane stopped.

    Parameters
    ----------
    state : list of (int, int)
        State of each lane in the cycle in which it stopped.
    cycles : int
        Cycles of the slowest lane; with a difference, those to the first one.
    differs, unsure : int
        Lanes in which a handshake differs; and those in which one is not known, or is 1 and should not be.
    met : list of (int, int)
        The state of one lane that contains those of all lanes in all cycles.
    open : bool
        The run ended as a bit that was to be known is not; `state` is that of the cycle.
    """

    state: State
    cycles: int
    differs: int
    unsure: int
    met: State
    open: bool


class Ternary:
    """A sequential circuit.

    Parameters
    ----------
    circuit : Circuit
    state, following : sequence of int
        Literals of the bits of the state, which are inputs of the circuit, and of their next values.
    seen : sequence of int
        Other literals whose values are returned.
    store : Store
        Where what evaluates it is kept, once it is compiled.
    marks : sequence of Mark
        Each after those that it depends on; their literals may be among `following` and `seen`.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    """

    def __init__(
        self,
        circuit: Circuit,
        state: Sequence[int],
        following: Sequence[int],
        seen: Sequence[int],
        store: Store,
        marks: Sequence[Mark] = (),
    ) -> None:
        self._packed = Packed(circuit, state, following, seen, marks)
        self.gates = self._packed.gates
        """Number of gates that are evaluated."""
        self._inputs, self._states, self._seen = self._packed.inputs, len(state), [*seen]
        self._looks = self._packed.literals(seen)
        self._lanes = library(store).run
        self._lanes.restype = ctypes.c_long

    def cycle(self, state: State, known: Mapping[int, Bit], lanes: int) -> tuple[dict[int, Bit], State]:
        """Evaluate one cycle: the values of `seen` by literal, and the state after it.

        Parameters
        ----------
        state : list of (int, int)
        known : mapping of int to (int, int)
            Values of inputs by literal; any other input is unknown.
        lanes : int
            Number of lanes.
        """
        run, bits, out = self._laid(state, known, lanes)
        self._run(run, bits, out, 1, None, array("Q", bytes(16 * self._states)))
        return dict(zip(self._seen, run.bits(out), strict=True)), run.bits(bits)[: self._states]

    def until(
        self,
        state: State,
        known: Mapping[int, Bit],
        lanes: int,
        most: int,
        stop: Pair,
        never: Pair,
        apart: Mapping[int, int] | None = None,
    ) -> Stopped:
        """Each lane at the first cycle in which a handshake is 1 in core and mutant, with the same inputs in each.

        Parameters
        ----------
        state, known, lanes
            See `cycle`.
        most : int
            Most cycles; a lane that has not stopped by then is unsure.
        stop, never : (int, int)
            Literals of the handshake, and of another one that is 0 until then.
        apart : mapping of int to int or None
            Places in the state that have to be known, each after a number of cycles; of one block of lanes at most.
        """
        run, bits, out = self._laid(state, known, lanes)
        met = array("Q", bytes(16 * self._states))
        cycles, differs, unsure = self._run(run, bits, out, most, (stop, never), met, apart or {})
        ever = [int(lanes != 0) for lanes in met]
        together = list(zip(ever[::2], ever[1::2], strict=True))
        done = cycles if cycles >= 0 else -1 - cycles
        return Stopped(run.bits(bits)[: self._states], done, differs, unsure, together, cycles < 0)

    def _laid(self, state: State, known: Mapping[int, Bit], lanes: int) -> tuple[_Run, bytearray, bytearray]:
        run = _Run(lanes)
        bits = run.packed(
            [*state, *(known.get(literal, (run.ones, run.ones)) for literal in self._inputs[self._states :])]
        )
        return run, bits, bytearray(2 * run.size * len(self._seen))

    def _run(
        self,
        run: _Run,
        bits: bytearray,
        out: bytearray,
        cycles: int,
        watched: tuple[Pair, Pair] | None,
        met: array[int],
        apart: Mapping[int, int] = MappingProxyType({}),
    ) -> tuple[int, int, int]:
        stop, never = (self._packed.literals(pair) for pair in watched or ((0, 0), (0, 0)))
        pairs = array("i", [number for row in apart.items() for number in row])
        left, differs, unsure = run.packed_lanes(run.ones), bytearray(run.size), bytearray(run.size)
        found = self._lanes(
            *(self._packed.machine, len(self._seen), *map(pointer, (self._looks, bits, out, met))),
            *(len(apart), pointer(pairs)),
            *(ctypes.c_long(run.size // 8), ctypes.c_long(cycles), ctypes.c_long(watched is not None)),
            *map(pointer, (stop, never, left, differs, unsure)),
        )
        return found, int.from_bytes(differs, "little"), int.from_bytes(unsure, "little")


class _Run:
    """Lanes as bytes: whole blocks, the last of which are not used."""

    def __init__(self, lanes: int) -> None:
        self.ones = (1 << lanes) - 1
        self.size = -(-lanes // (8 * _BYTES)) * _BYTES

    def packed_lanes(self, lanes: int) -> bytearray:
        return bytearray(lanes.to_bytes(self.size, "little"))

    def packed(self, state: Sequence[Bit]) -> bytearray:
        return bytearray(b"".join(lanes.to_bytes(self.size, "little") for bit in state for lanes in bit))

    def bits(self, packed: bytearray) -> State:
        size = self.size
        lanes = [int.from_bytes(packed[at : at + size], "little") & self.ones for at in range(0, len(packed), size)]
        return list(zip(lanes[::2], lanes[1::2], strict=True))


def joined(states: Sequence[State]) -> State:
    """The smallest state that contains all of the given ones."""
    first, *others = states
    found = list(first)
    for state in others:
        found = [(a | c, b | d) for (a, b), (c, d) in zip(found, state, strict=True)]
    return found


def inside(state: State, other: State) -> bool:
    """Whether a state is contained in another one, lane by lane."""
    return all(not (a & ~c or b & ~d) for (a, b), (c, d) in zip(state, other, strict=True))


def spread(states: Sequence[State], lanes: int) -> State:
    """States of one lane, each repeated in equally many lanes, the first one in the lowest."""
    ones = [((1 << lanes) - 1) << lanes * k for k in range(len(states))]
    found = []
    for bits in zip(*states, strict=True):
        one = sum(mask for mask, (a, _) in zip(ones, bits, strict=True) if a)
        found.append((one, sum(mask for mask, (_, b) in zip(ones, bits, strict=True) if b)))
    return found


def gathered(state: State) -> State:
    """The state of one lane that contains those of all lanes."""
    return [(int(a != 0), int(b != 0)) for a, b in state]


def initial_bit(text: str) -> Bit:
    """The initial value of a latch of a graph, in one lane; one without is unknown."""
    return KNOWN[int(text or "0")] if text in ("", "0", "1") else UNKNOWN

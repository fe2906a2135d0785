# SPDX-License-Identifier: Apache-2.0
"""A circuit evaluated in many lanes at once, with bits that are 0, 1 or unknown.

A bit is held as the lanes in which it can be 1, and those in which it can be 0; a lane is in both where it is unknown.
That is ternary simulation (Eichelberger, IBM J. Res. Dev. 9(2), 1965; Seger and Bryant, Formal Methods in System Design
6, 1995): a bit that the evaluation knows has that value for all values of the unknown bits.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ..base.store import Store, digest_of
from ..simulate import toolchain
from .circuit import Circuit

Bit = tuple[int, int]
"""The lanes in which a bit can be 1, and those in which it can be 0."""
State = list[Bit]
Pair = tuple[int, int]
"""A literal of the core, and that of the mutant."""
SAME: Bit = (0, 1)
"""The bit of a mark of what is the same in core and mutant; where that is not known, it is unknown."""

_SOURCE = Path(__file__).with_name("lanes.cpp")
_BYTES = 64
"""Size of a block of lanes."""


@dataclass(frozen=True)
class Mark:
    """The mark of a gate that is not one gate in core and mutant: whether its value may differ.

    A gate of unknown inputs that are the same is unknown, and the same.

    Parameters
    ----------
    literal : int
        An input of the circuit that stands for the mark.
    inputs : tuple of (int, int, int)
        For both inputs of the gate: the literal of the mark, and those in core and mutant.
    gate : (int, int)
        Literals of the gate itself.
    """

    literal: int
    inputs: tuple[tuple[int, int, int], tuple[int, int, int]]
    gate: Pair

    @property
    def values(self) -> tuple[int, ...]:
        """The literals that it depends on, in the order of `lanes.cpp`."""
        return (*self.inputs[0], *self.inputs[1], *self.gate)


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
        outputs = [*following, *seen, *(literal for mark in marks for literal in mark.values)]
        given = {*state, *(mark.literal for mark in marks)}
        self._inputs = [*state, *(literal for literal in circuit.support(outputs) if literal not in given)]
        gates = [(variable, gate) for variable in circuit.cone(outputs) if (gate := circuit.gate(variable)) is not None]
        self.gates = len(gates)
        """Number of gates that are evaluated."""
        variables = [literal >> 1 for literal in self._inputs] + [variable for variable, _ in gates]
        variables += [mark.literal >> 1 for mark in marks]
        self._places = {0: 0} | {variable: place for place, variable in enumerate(variables, 1)}
        self._states, self._seen = len(state), [*seen]
        self._pairs = self._literals(literal for _, gate in gates for literal in gate)
        self._marks, self._marked = len(marks), self._literals(literal for mark in marks for literal in mark.values)
        self._following, self._looks = self._literals(following), self._literals(seen)
        self._lanes = ctypes.CDLL(str(_library(store))).run
        self._lanes.restype = ctypes.c_long

    def _literals(self, literals: Iterable[int]) -> array[int]:
        return array("i", [2 * self._places[literal >> 1] | literal & 1 for literal in literals])

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
        run, bits, out = self._packed(state, known, lanes)
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
        run, bits, out = self._packed(state, known, lanes)
        met = array("Q", bytes(16 * self._states))
        cycles, differs, unsure = self._run(run, bits, out, most, (stop, never), met, apart or {})
        ever = [int(lanes != 0) for lanes in met]
        together = list(zip(ever[::2], ever[1::2], strict=True))
        done = cycles if cycles >= 0 else -1 - cycles
        return Stopped(run.bits(bits)[: self._states], done, differs, unsure, together, cycles < 0)

    def _packed(self, state: State, known: Mapping[int, Bit], lanes: int) -> tuple[_Run, bytearray, bytearray]:
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
        stop, never = (self._literals(pair) for pair in watched or ((0, 0), (0, 0)))
        pairs = array("i", [number for row in apart.items() for number in row])
        left, differs, unsure = run.packed_lanes(run.ones), bytearray(run.size), bytearray(run.size)
        found = self._lanes(
            *(len(self._inputs), self.gates, _pointer(self._pairs), self._marks, _pointer(self._marked)),
            *(self._states, _pointer(self._following)),
            *(len(self._seen), _pointer(self._looks), _pointer(bits), _pointer(out), _pointer(met)),
            *(len(apart), _pointer(pairs)),
            *(ctypes.c_long(run.size // 8), ctypes.c_long(cycles), ctypes.c_long(watched is not None)),
            *map(_pointer, (stop, never, left, differs, unsure)),
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


def _pointer(data: array[int] | bytearray) -> ctypes.c_void_p:
    """The address of the bytes; valid while the object lives and is not resized."""
    if not len(data):
        return ctypes.c_void_p()
    kind = ctypes.c_char * (len(data) * (data.itemsize if isinstance(data, array) else 1))
    return ctypes.c_void_p(ctypes.addressof(kind.from_buffer(data)))


def _library(store: Store) -> Path:
    """The shared library of `lanes.cpp`, from the store or compiled now."""
    root, compiler = toolchain.tools()
    key = digest_of(toolchain.identity(root, compiler), _SOURCE.read_text(encoding="utf-8"))

    def make(folder: Path) -> None:
        objects = toolchain.compile_units(store, [(_SOURCE, toolchain.FAST)], folder, precompiled=False)
        toolchain.link(objects, folder / "lanes.so", folder)
        for file in objects:
            file.unlink()

    return store.folder("lanes", key, make) / "lanes.so"


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

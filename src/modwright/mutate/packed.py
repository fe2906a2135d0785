# SPDX-License-Identifier: Apache-2.0
"""A circuit and its marks as arrays of numbers, for the compiled code that evaluates it; see `lanes.h`."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.store import Store, digest_of
from ..simulate import toolchain
from .circuit import Circuit

_SOURCES = [Path(__file__).with_name(name) for name in ("lanes.cpp", "states.cpp")]
_HEADER = Path(__file__).with_name("lanes.h")

Pair = tuple[int, int]
"""A literal of the core, and that of the mutant."""


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
        """The literals that it depends on, in the order of `lanes.h`."""
        return (*self.inputs[0], *self.inputs[1], *self.gate)


class _Machine(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("inputs", "gates", "marks", "states")] + [
        (name, ctypes.c_void_p) for name in ("pairs", "marked", "following")
    ]


class Packed:
    """A sequential circuit.

    Parameters
    ----------
    circuit : Circuit
    state, following : sequence of int
        Literals of the bits of the state, which are inputs of the circuit, and of their next values.
    seen : sequence of int
        Other literals that are looked at.
    marks : sequence of Mark
        Each after those that it depends on; their literals may be among `following` and `seen`.

    Attributes
    ----------
    inputs : list of int
        Literals of the inputs, the bits of the state first.
    states, gates : int
        Numbers of bits of the state, and of gates.
    """

    def __init__(
        self,
        circuit: Circuit,
        state: Sequence[int],
        following: Sequence[int],
        seen: Sequence[int],
        marks: Sequence[Mark] = (),
    ) -> None:
        outputs = [*following, *seen, *(literal for mark in marks for literal in mark.values)]
        given = {*state, *(mark.literal for mark in marks)}
        self.inputs = [*state, *(literal for literal in circuit.support(outputs) if literal not in given)]
        gates = [(variable, gate) for variable in circuit.cone(outputs) if (gate := circuit.gate(variable)) is not None]
        self.states, self.gates = len(state), len(gates)
        variables = [literal >> 1 for literal in self.inputs] + [variable for variable, _ in gates]
        variables += [mark.literal >> 1 for mark in marks]
        self._places = {0: 0} | {variable: place for place, variable in enumerate(variables, 1)}
        self._kept = (
            self.literals(literal for _, gate in gates for literal in gate),
            self.literals(literal for mark in marks for literal in mark.values),
            self.literals(following),
        )
        sizes = (len(self.inputs), self.gates, len(marks), self.states)
        self._machine = _Machine(*sizes, *map(pointer, self._kept))

    @property
    def machine(self) -> object:
        """The first argument of a function of the library; valid while this lives."""
        return ctypes.byref(self._machine)

    def literals(self, literals: Iterable[int]) -> array[int]:
        """Literals of the circuit as those of the arrays."""
        return array("i", [2 * self._places[literal >> 1] | literal & 1 for literal in literals])


def pointer(data: array[int] | bytearray) -> ctypes.c_void_p:
    """The address of the bytes; valid while the object lives and is not resized."""
    if not len(data):
        return ctypes.c_void_p()
    kind = ctypes.c_char * (len(data) * (data.itemsize if isinstance(data, array) else 1))
    return ctypes.c_void_p(ctypes.addressof(kind.from_buffer(data)))


def library(store: Store) -> ctypes.CDLL:
    """The compiled code, from the store or compiled now.

    Raises
    ------
    ToolMissingError
        Without Verilator or a compiler.
    """
    root, compiler = toolchain.tools()
    texts = [path.read_text(encoding="utf-8") for path in (_HEADER, *_SOURCES)]

    def make(folder: Path) -> None:
        units = [(source, toolchain.FAST) for source in _SOURCES]
        objects = toolchain.compile_units(store, units, folder, precompiled=False)
        toolchain.link(objects, folder / "lanes.so", folder)
        for file in objects:
            file.unlink()

    folder = store.folder("lanes", digest_of(toolchain.identity(root, compiler), texts), make)
    return ctypes.CDLL(str(folder / "lanes.so"))

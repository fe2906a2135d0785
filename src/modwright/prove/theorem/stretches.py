# SPDX-License-Identifier: Apache-2.0
"""Stretches of cycles: what is known before one is followed, and control in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .netlist import Netlist, Runs, UnsupportedError
from .ternary import Simulation, Word, after_reset, gather

VALID, READY, ACCEPTED, TAKEN, RESET, CLOCK = "i_valid", "o_ready", "i_ready", "o_valid", "rst", "clk"
HANDSHAKES = (VALID, READY, RESET, CLOCK)


def check_streams(netlist: Netlist, results: Sequence[str] = ()) -> None:
    """Check that the handshakes of both streams, the reset, and some fields of results are ports.

    Raises
    ------
    UnsupportedError
        When one of them is missing.
    """
    outputs = {ACCEPTED, TAKEN, *(f"o_{name}" for name in results)}
    missing = {VALID, READY, RESET} - set(netlist.inputs) | outputs - set(netlist.outputs)
    if missing:
        raise UnsupportedError(f"the ports are not those of the core: {', '.join(sorted(missing))}")


@dataclass(frozen=True)
class Context:
    """The known state at the start of a stretch of cycles, valid for any history and any other inputs.

    Parameters
    ----------
    registers : mapping of int to Word
        Known bits of registers.
    inputs : mapping of str to Word
        Handshakes in the first cycle.
    forced : mapping of int to Word
        Bits of sources in the first cycle that define the stretch.
    """

    registers: Mapping[int, Word]
    inputs: Mapping[str, Word]
    forced: Mapping[int, Word]


@dataclass(frozen=True)
class Resting:
    """A register that holds a number in all cycles of an operation but some.

    Parameters
    ----------
    number : int
    first, end : int
        Bounds of the cycles in which it may hold another value: `first` to `end` - 1.
    """

    number: int
    first: int
    end: int


def payload_inputs(netlist: Netlist) -> list[str]:
    """Names of the input ports that are not handshakes."""
    return [name for name in netlist.inputs if name not in HANDSHAKES]


def alone(netlist: Netlist, cycles: int, taken: int) -> list[list[Word]]:
    """Every source in the cycles of a single operation after reset.

    Parameters
    ----------
    netlist : Netlist
    cycles : int
    taken : int
        Cycle from which the reader is ready.
    """
    simulation = Simulation(netlist, after_reset(netlist, RESET))
    found: list[list[Word]] = []
    for cycle in range(cycles):
        inputs = {VALID: (int(cycle == 0), 1), READY: (int(cycle >= taken), 1), RESET: (0, 1)}
        found.append(list(simulation.settle(inputs, {})))
        simulation.clock()
    return found


def around(netlist: Netlist, cycles: int, context: Context) -> list[list[Word]]:
    """Every source in the cycles of a stretch."""
    simulation = Simulation(netlist, context.registers)
    found: list[list[Word]] = []
    for cycle in range(cycles):
        first = cycle == 0
        inputs = {RESET: (0, 1)} | (dict(context.inputs) if first else {})
        found.append(list(simulation.settle(inputs, context.forced if first else {})))
        simulation.clock()
    return found


def bit_of(netlist: Netlist, port: str) -> dict[int, Word]:
    """The bit at an output port, set to 1, for `Context.forced`."""
    ((source, low, _),) = netlist.outputs[port]
    return {source: (1 << low, 1 << low)} if source >= 0 else {}


def transfer(netlist: Netlist, registers: Mapping[int, Word]) -> Context:
    """The context of an operation: its input transfer is in the first cycle."""
    return Context(registers, {VALID: (1, 1)}, bit_of(netlist, ACCEPTED))


def waiting(netlist: Netlist) -> Context:
    """The context of a result that is valid, and that the reader refuses."""
    return Context({}, {READY: (0, 1)}, bit_of(netlist, TAKEN))


def known_bit(runs: Runs, values: Sequence[Word]) -> int | None:
    """The bit at a port; None where it is unknown."""
    value, known = gather(runs, values)
    return value & 1 if known & 1 else None

# SPDX-License-Identifier: Apache-2.0
"""Counters that run by themselves, as the turn of an operation's slot: all their states, from reset on.

No input but the reset reaches such a register. So an operation begins with all of them in one of the states that they
go through after reset, over and over: its phase.
"""

from __future__ import annotations

from collections.abc import Iterable

from .idle import control_registers
from .netlist import MEMORY, REGISTER, Netlist, Runs
from .ternary import Simulation, Word, after_reset
from .unroll import RESET

MOST_PHASES = 64
"""Most states; a core with operations in turn has up to 11 slots."""


def phases_of(netlist: Netlist) -> list[dict[int, Word]]:
    """Registers that run by themselves in each state from the first cycle after reset on; one empty state where they
    do not return to the first one."""
    registers = _by_themselves(netlist)
    simulation = Simulation(netlist, after_reset(netlist, RESET))
    found: list[dict[int, Word]] = []
    while len(found) <= MOST_PHASES:
        state = {source: simulation.values[source] for source in registers}
        if found and state == found[0]:
            return found
        found.append(state)
        simulation.settle({RESET: (0, 1)}, {})
        simulation.clock()
    return [{}]


def _by_themselves(netlist: Netlist) -> set[int]:
    """Registers of control that depend on no others and on no input but the reset."""
    registers = {cell.out: cell for cell in netlist.registers}
    found = set(control_registers(netlist))
    needed = {source: leaves_of(netlist, registers[source].ports["D"]) - {netlist.inputs[RESET]} for source in found}
    while True:
        others = {source for source in found if not needed[source] <= found}
        if not others:
            return found
        found -= others


def leaves_of(netlist: Netlist, runs: Runs, stops: Iterable[int] = ()) -> set[int]:
    """Registers, inputs and written memories on which bits depend in the same cycle, and sources to stop at."""
    seen, queue, found = set[int](), [source for source, _, _ in runs if source >= 0], set[int]()
    stops = set(stops)
    while queue:
        source = queue.pop()
        if source in seen:
            continue
        seen.add(source)
        cell = netlist.drivers.get(source)
        if cell is None or cell.kind == REGISTER or cell.written or source in stops:
            found.add(source)
            continue
        ports = (cell.ports["RD_ADDR"],) if cell.kind == MEMORY else cell.ports.values()
        queue += [inner for port in ports for inner, _, _ in port if inner >= 0]
    return found

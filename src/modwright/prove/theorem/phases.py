# SPDX-License-Identifier: Apache-2.0
"""Counters that run by themselves, as the turn of an operation's slot, or that input transfers step, as the place of an
operation's operands: all their states, from reset on.

No input but the reset reaches a register that runs by itself. So an operation begins with all of them in one of the
states that they go through after reset, over and over: its phase. Registers of the other kind keep their words in
every cycle without an input transfer, and in one with it take words that follow from those before. So the k-th
operation begins with the k-th of their states: its phase is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .idle import control_registers
from .netlist import MEMORY, REGISTER, Netlist, Runs
from .stretches import RESET
from .ternary import Simulation, Word, after_reset, ones

MOST_PHASES = 64
"""Most states; a core with operations in turn has up to 11 slots."""
State = dict[int, Word]
"""Words of some registers."""


@dataclass(frozen=True)
class Phases:
    """States of control in which operations begin.

    Parameters
    ----------
    states : list of State
        Each is followed by the next one, and the last by the first.
    counted : bool
        Whether an input transfer leads to the next one, and not every cycle.
    """

    states: list[State]
    counted: bool


def phases_of(netlist: Netlist, strobes: Collection[int]) -> Phases:
    """The phases of registers that run by themselves, or else of those that input transfers step.

    Parameters
    ----------
    netlist : Netlist
    strobes : collection of int
        Sources of the bits that are 1 in an input transfer; nothing else reads the handshake.
    """
    states = _running(netlist)
    return Phases(states, counted=False) if len(states) > 1 else Phases(_stepped(netlist, strobes), counted=True)


def _running(netlist: Netlist) -> list[State]:
    """Registers that run by themselves in each state from the first cycle after reset on; one empty state where they
    do not return to the first one."""
    registers = _closed(netlist, set(control_registers(netlist)), ())
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


def _stepped(netlist: Netlist, strobes: Collection[int]) -> list[State]:
    """Registers that input transfers step, in each state from reset on; one empty state where they do not return to the
    first one."""
    registers = _closed(netlist, set(control_registers(netlist)), strobes)
    while registers:
        state = {source: word for source, word in after_reset(netlist, RESET).items() if source in registers}
        found: list[State] = []
        while state not in found and len(found) <= MOST_PHASES:
            found.append(state)
            same = _after(netlist, state, strobes, 0)
            changed = {s for s, word in state.items() if same[s] != word or word[1] != ones(netlist.widths[s])}
            if changed:
                registers = _closed(netlist, registers - changed, strobes)
                break
            state = _after(netlist, state, strobes, 1)
        else:
            return found if state == found[0] else [{}]
    return [{}]


def _after(netlist: Netlist, state: State, strobes: Collection[int], bit: int) -> State:
    """Registers after a cycle with or without an input transfer, whatever the others hold."""
    simulation = Simulation(netlist, state)
    simulation.settle({RESET: (0, 1)}, dict.fromkeys(strobes, (bit, 1)))
    simulation.clock()
    return {source: simulation.values[source] for source in state}


def _closed(netlist: Netlist, some: set[int], strobes: Collection[int]) -> set[int]:
    """Those of some registers that depend on no others, and on no input but the reset and some strobes."""
    registers = {cell.out: cell for cell in netlist.registers}
    given = {netlist.inputs[RESET], *strobes}
    needed = {source: leaves_of(netlist, registers[source].ports["D"], strobes) - given for source in some}
    found = set(some)
    while others := {source for source in found if not needed[source] <= found}:
        found -= others
    return found


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

# SPDX-License-Identifier: Apache-2.0
"""Control of a netlist apart from the rest, with some of its bits given from outside: all states that can be reached.

A state has a word of each register, with bits that are not known, so that one state stands for many. Given bits
are chosen by whoever explores; what is known of the others in a state is so in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from .counters import Bit
from .netlist import Cell, Netlist, UnsupportedError
from .stretches import RESET
from .ternary import Simulation, Word, after_reset, gather

MOST_STATES = 20_000
"""Most states of one exploration; control of 256 bits has some hundred to some thousand."""


State = TypeVar("State", bound=Hashable)
"""State of whoever gives bits."""


class Control:
    """The part of a netlist on which some bits depend, where some sources are given.

    Parameters
    ----------
    netlist : Netlist
    bits : iterable of Bit
        The bits that are observed.
    given : iterable of int
        Sources that are given from outside; nothing that they depend on is needed for them.

    Attributes
    ----------
    first : tuple of Word
        Registers after reset.
    """

    def __init__(self, netlist: Netlist, bits: Iterable[Bit], given: Iterable[int]) -> None:
        stops, start = set(given), after_reset(netlist, RESET)
        cells, queue = dict[int, Cell](), [source for source, _ in bits]
        while queue:
            source = queue.pop()
            cell = netlist.drivers.get(source)
            if cell is None or source in stops or source in cells:
                continue
            if cell.written:
                raise UnsupportedError(f"control depends on words of {netlist.names[source]}")
            cells[source] = cell
            queue += [inner for port in cell.ports.values() for inner, _, _ in port if inner >= 0]
        self._registers = [cell for cell in netlist.registers if cell.out in cells]
        self.first = tuple(start[cell.out] for cell in self._registers)
        logic = tuple(cell for cell in netlist.logic if cell.out in cells)
        self._simulation = Simulation(replace(netlist, logic=logic, registers=(), memories=()), {})

    def step(self, state: Sequence[Word], given: Mapping[int, Word]) -> tuple[list[Word], tuple[Word, ...]]:
        """Every source in a cycle, and the registers after it."""
        values = self._simulation.values
        for cell, word in zip(self._registers, state, strict=True):
            values[cell.out] = word
        for source in given:
            values[source] = 0, 0
        values = self._simulation.settle({RESET: (0, 1)}, given)
        return values, tuple(gather(cell.ports["D"], values) for cell in self._registers)


def explore(
    control: Control,
    first: Iterable[State],
    choices: Callable[[State], Iterator[tuple[Mapping[int, Word], State]]],
    fault: Callable[[State, Sequence[Word]], str | None],
) -> str:
    """Go through all states; the first fault, or an empty text.

    Parameters
    ----------
    control : Control
    first : iterable
        States of whoever gives bits, in the first cycle after reset.
    choices : callable
        Function of such a state: words that may be given, by their sources, each with the state in the next cycle.
    fault : callable
        Function of the state after a cycle and every source in it: the fault, an empty text where there is none, or
        None where the choice is not possible.
    """
    queue = [(state, control.first) for state in first]
    seen = set(queue)
    while queue:
        state, registers = queue.pop()
        for given, following in choices(state):
            values, after = control.step(registers, given)
            wrong = fault(following, values)
            if wrong:
                return wrong
            if wrong is not None and (following, after) not in seen:
                seen.add((following, after))
                queue.append((following, after))
        if len(seen) > MOST_STATES:
            return f"more than {MOST_STATES:,} states"
    return ""

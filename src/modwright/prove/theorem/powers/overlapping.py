# SPDX-License-Identifier: Apache-2.0
"""Several products in flight: the control of the multiplier in every cycle of an exponentiation.

Control is what operands do not reach. It is simulated next to the exponentiation, and goes through the states of each
product from its first cycle to its result. These stretches are few, as control repeats itself; in each of them the
product is proved, whatever the words of the others are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..decide import UndecidedError
from ..netlist import Netlist
from ..stretches import ACCEPTED, READY, RESET, TAKEN, VALID, known_bit, payload_inputs
from ..ternary import Simulation, Word, after_reset, common
from .cycle import AFTER, MOST_STATES

MOST_STRETCHES = 64
"""Most stretches of control in which a product is proved."""
Row = tuple[Word, ...]
"""Words of control in a cycle."""
Stretch = tuple[Row, ...]
"""Control in the cycles of a product, from its operands to its result."""
State = tuple[tuple[Word, ...], tuple[tuple[Word, ...], ...]]
"""Registers of control, and the contents of its memories."""


class Control:
    """The control of a multiplier: what follows on a state, worked out once for each state.

    Parameters
    ----------
    multiplier : Netlist
    longest : int
        Most cycles of a product.
    """

    def __init__(self, multiplier: Netlist, longest: int) -> None:
        reached = multiplier.tainted(payload_inputs(multiplier))
        self.sources = [source for source in range(len(multiplier.widths)) if source not in reached]
        self.netlist = replace(
            multiplier,
            logic=tuple(cell for cell in multiplier.logic if cell.out not in reached),
            registers=tuple(cell for cell in multiplier.registers if cell.out not in reached),
            memories=tuple(cell for cell in multiplier.memories if cell.out not in reached),
        )
        self._handshakes: dict[State, tuple[int, int]] = {}
        self._next: dict[tuple[State, int], tuple[Row, State]] = {}
        self.idle = self.resting(self._state(Simulation(self.netlist, after_reset(self.netlist, RESET))))
        self.span = self._span(longest)

    def _span(self, longest: int) -> int:
        """Cycles of a product by itself."""
        flights = Overlapping(self, self.idle)
        flights.step(1)
        for cycle in range(1, longest + 1):
            if flights.bits[1]:
                return cycle + AFTER
            flights.step(0)
        raise UndecidedError(f"no product within {longest} cycles")

    def handshakes(self, state: State) -> tuple[int, int]:
        """Whether operands are accepted in a state, and whether a result is valid, whether operands are offered or
        not."""
        if state not in self._handshakes:
            values = self._settled(state, (0, 0)).values
            found = [known_bit(self.netlist.outputs[name], values) for name in (ACCEPTED, TAKEN)]
            if None in found:
                raise UndecidedError("a handshake of the multiplier is not known between products in flight")
            self._handshakes[state] = found[0] or 0, found[1] or 0
        return self._handshakes[state]

    def after(self, state: State, offered: int) -> tuple[Row, State]:
        """Control in a state, and the state after it."""
        if (state, offered) not in self._next:
            simulation = self._settled(state, (offered, 1))
            row = tuple(simulation.values[source] for source in self.sources)
            simulation.clock()
            self._next[state, offered] = row, self._state(simulation)
        return self._next[state, offered]

    def resting(self, state: State) -> State:
        """The bits of a state that are known as long as nothing comes in."""
        while True:
            _, other = self.after(state, 0)
            both = (
                tuple(common(pair) for pair in zip(state[0], other[0], strict=True)),
                tuple(
                    tuple(common(pair) for pair in zip(*words, strict=True))
                    for words in zip(state[1], other[1], strict=True)
                ),
            )
            if both == state:
                return state
            state = both

    def words(self, row: Row) -> list[Word]:
        """A word for each source; those that operands reach are unknown."""
        found: list[Word] = [(0, 0)] * len(self.netlist.widths)
        for source, word in zip(self.sources, row, strict=True):
            found[source] = word
        return found

    def _settled(self, state: State, valid: Word) -> Simulation:
        """All words of a cycle."""
        registers, memories = (
            [cell.out for cell in cells] for cells in (self.netlist.registers, self.netlist.memories)
        )
        simulation = Simulation(self.netlist, dict(zip(registers, state[0], strict=True)))
        simulation.contents |= dict(zip(memories, state[1], strict=True))
        simulation.settle({VALID: valid, READY: (1, 1), RESET: (0, 1)}, {})
        return simulation

    def _state(self, simulation: Simulation) -> State:
        """The registers and memories of a simulation."""
        return (
            tuple(simulation.values[cell.out] for cell in self.netlist.registers),
            tuple(tuple(simulation.contents[cell.out]) for cell in self.netlist.memories),
        )


@dataclass
class Trace:
    """Control of an exponentiation's products so far.

    Parameters
    ----------
    offers : list of int
        Whether operands were offered, by cycle.
    bits : list of tuple of int
        Handshakes of the multiplier, by cycle.
    rows : list of Row
        Control, by cycle.
    starts, ends : list of int
        Cycles in which products start, and in which results are valid.
    """

    offers: list[int] = field(default_factory=list[int])
    bits: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    rows: list[Row] = field(default_factory=list[Row])
    starts: list[int] = field(default_factory=list[int])
    ends: list[int] = field(default_factory=list[int])

    def copy(self) -> Trace:
        """The same once more."""
        return Trace(list(self.offers), list(self.bits), list(self.rows), list(self.starts), list(self.ends))

    def stretches(self) -> Iterator[Stretch]:
        """Control of each product; results come in the order of the operands.

        Raises
        ------
        UndecidedError
            When a product is in flight.
        """
        if len(self.starts) != len(self.ends):
            raise UndecidedError("a product is in flight as the power is valid")
        for start, end in zip(self.starts, self.ends, strict=True):
            yield tuple(self.rows[start : end + 1])


class Overlapping:
    """Flights by the control of a multiplier, from a state of it.

    Parameters
    ----------
    control : Control
    state : State
    """

    def __init__(self, control: Control, state: State) -> None:
        self.control, self.state, self.trace = control, state, Trace()

    @property
    def span(self) -> int:
        """Cycles of a product by itself."""
        return self.control.span

    @property
    def bits(self) -> tuple[int, int]:
        """Whether operands are accepted in this cycle, and whether a result is valid."""
        return self.control.handshakes(self.state)

    @property
    def result(self) -> int:
        """The number of the product whose result is valid."""
        return len(self.trace.ends)

    @property
    def idle(self) -> bool:
        """Whether no product is in flight."""
        return len(self.trace.starts) == len(self.trace.ends)

    def step(self, offered: int) -> None:
        """Go to the next cycle; operands that are offered and accepted start a product."""
        (accepts, done), trace = self.bits, self.trace
        row, self.state = self.control.after(self.state, offered)
        if done:
            trace.ends.append(len(trace.rows))
        if offered and accepts:
            trace.starts.append(len(trace.rows))
        trace.offers.append(offered)
        trace.bits.append((accepts, done))
        trace.rows.append(row)
        if len(trace.ends) > len(trace.starts):
            raise UndecidedError("the multiplier has a result of no product")

    def skip(self) -> int:
        """Pass the cycles without a result whose handshakes are those of the last one; their number."""
        trace, cycles = self.trace, 0
        while not self.idle and self.bits == trace.bits[-1]:
            if self.bits[1] or (trace.offers[-1] and self.bits[0]):  # another result, or another product
                break
            self.step(trace.offers[-1])
            cycles += 1
            if cycles > self.span:
                raise UndecidedError("a product has no result")
        return cycles

    def copy(self) -> Overlapping:
        """The same state once more."""
        found = Overlapping(self.control, self.state)
        found.trace = self.trace.copy()
        return found


def stretches_of(control: Control, traces: Sequence[Trace]) -> list[Stretch]:
    """Stretches of control of all products, in whatever idle state an exponentiation begins.

    The handshakes in each of these states must be those of the first one, after reset.

    Raises
    ------
    UndecidedError
        Where they are others, or control goes through too many idle states.
    """
    found = {stretch for trace in traces for stretch in trace.stretches()}
    states, place = [control.idle], 0
    while place < len(states):
        for trace in traces:
            flights = Overlapping(control, states[place])
            for offered, bits in zip(trace.offers, trace.bits, strict=True):
                if flights.bits != bits:
                    raise UndecidedError("the cycles of a product depend on the exponentiation before it")
                flights.step(offered)
            found |= set(flights.trace.stretches())
            after = control.resting(flights.state)
            if after not in states:
                states.append(after)
        place += 1
        if len(states) > MOST_STATES or len(found) > MOST_STRETCHES:
            raise UndecidedError(f"control has more than {MOST_STATES} idle states, or {MOST_STRETCHES} stretches")
    return sorted(found, key=len)

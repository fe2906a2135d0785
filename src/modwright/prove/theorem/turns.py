# SPDX-License-Identifier: Apache-2.0
"""One operation among others that take turns: its phase, and the queues in which its words wait for a later cycle.

The registers that run by themselves are known at the input transfer, for each phase. A word that is read from a queue
is the one that the operation put there; this is a lemma, see `queueing`. All other memories are read at addresses that
the phase decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .counters import Queue, events_in
from .netlist import Cell, Netlist, Runs, UnsupportedError, part
from .phases import Phases
from .pieces import Node, Piece, Value
from .possible import Possible
from .stretches import HANDSHAKES, READY, RESET, VALID, around, transfer
from .ternary import Simulation, Word, after_reset, gather, ones, width_of
from .unroll import Unrolled
from .words import Words


@dataclass(frozen=True)
class Use:
    """The cycles of an operation in which a queue has its word.

    Parameters
    ----------
    put : int
        Cycle in which the word is put.
    taken : int or None
        Cycle in which it is taken; None where the reader of the results takes it.
    """

    put: int
    taken: int | None


@dataclass(frozen=True)
class Elsewhere:
    """A write of a memory that does not reach a place in one cycle of each operation of a phase.

    Parameters
    ----------
    enables, address : Runs
        Bits of the writing port.
    place : int
    cycle : int
    phase : int
    name : str
        Cell of the memory.
    port : int
    """

    enables: Runs
    address: Runs
    place: int
    cycle: int
    phase: int
    name: str
    port: int

    @property
    def sources(self) -> set[int]:
        """Sources of the port's bits."""
        return {source for source, _, _ in (*self.enables, *self.address) if source >= 0}

    def holds(self, values: Sequence[Word]) -> bool:
        """Whether no bit is written to the place, by what is known of the port."""
        enables, known = gather(self.enables, values)
        where, sure = gather(self.address, values)
        nothing = not enables and known == ones(width_of(self.enables))
        return nothing or bool((where ^ self.place) & sure)


def alone_from(netlist: Netlist, phases: Phases, phase: int, cycles: int) -> list[list[Word]]:
    """Every source in the cycles of a single operation of a phase that comes in after reset and is never taken."""
    start = after_reset(netlist, RESET)
    if phases.counted:
        start, phase = start | phases.states[phase], 0
    simulation = Simulation(netlist, start)
    found: list[list[Word]] = []
    for cycle in range(-phase, cycles):
        inputs = {VALID: (int(cycle == 0), 1), READY: (0, 1), RESET: (0, 1)}
        row = list(simulation.settle(inputs, {}))
        if cycle >= 0:
            found.append(row)
        simulation.clock()
    return found


def inputs_of(unrolled: Unrolled) -> dict[str, Node]:
    """Operands by field; one of several words by word."""
    ports = ((name, source) for name, source in unrolled.netlist.inputs.items() if name not in HANDSHAKES)
    words = (piece[0] for name, source in ports for piece in unrolled.input(name, unrolled.netlist.widths[source]))
    return {node.name.removeprefix("i_"): node for node in words if node is not None}


class Turn(Unrolled):
    """Values of sources in the cycles of an operation of one phase.

    Parameters
    ----------
    netlist : Netlist
    phases : Phases
    phase : int
        Number of its state of the registers that make up the phase, at the input transfer.
    cycles : int
        Cycles that are followed.
    queues : mapping of int to Queue
    words : Words
        Builder of the words, the same for all phases: equal words are the same nodes.
    words_of : mapping of str to int

    Attributes
    ----------
    uses : dict of int to Use
        Queues that the operation uses.
    reads : dict of int to set of int
        Cycles in which their words are read.
    elsewhere : set of Elsewhere
        Writes that are assumed not to reach a place, where phases are counted.
    """

    def __init__(
        self,
        netlist: Netlist,
        phases: Phases,
        phase: int,
        cycles: int,
        queues: Mapping[int, Queue],
        words: Words,
        words_of: Mapping[str, int],
    ) -> None:
        known = around(netlist, cycles, transfer(netlist, phases.states[phase]))
        alone = alone_from(netlist, phases, phase, cycles)
        super().__init__(netlist, known, alone, words_of=words_of, words=words)
        self.queues, self._possible = queues, Possible(netlist, known)
        self._rows_alone, self._phase, self._counted = alone, phase, phases.counted
        self.uses: dict[int, Use] = {}
        self.reads: dict[int, set[int]] = {}
        self.elsewhere: set[Elsewhere] = set()

    def result(self, runs: Runs) -> Value:
        """The word at an output port while the result is the first: each part as it was put into its queue."""
        found: list[Piece] = []
        for source, low, bits in runs:
            queue = self.queues.get(source)
            if queue is None:
                raise UnsupportedError(f"{self.netlist.names[source]} of the result does not wait in a queue")
            put = self.use_of(queue, taken=False).put
            found += self.port(part(queue.memory.ports["WR_DATA"], low, bits), put)
        return self.words.join(found)

    def use_of(self, queue: Queue, *, taken: bool) -> Use:
        """The cycles in which the operation puts its word, and takes it where the reader does not."""
        source, name = queue.memory.out, self.netlist.names[queue.memory.out]
        if source not in self.uses:
            put = events_in(self.netlist, queue.put.event, self._rows_alone)
            out = events_in(self.netlist, queue.taken.event, self._rows_alone) if taken else [-1]
            if put is None or out is None or len(put) != 1 or len(out) != 1:
                raise UnsupportedError(f"an operation does not use {name} once")
            self.uses[source] = Use(put[0], out[0] if taken else None)
        if (self.uses[source].taken is not None) != taken:
            raise UnsupportedError(f"{name} has words of results and others")
        return self.uses[source]

    def _memory(self, cell: Cell, cycle: int) -> Value:
        queue = self.queues.get(cell.out)
        if queue is None:
            return super()._memory(cell, cycle)
        use = self.use_of(queue, taken=True)
        self.reads.setdefault(cell.out, set()).add(cycle)
        return self._port(cell.ports["WR_DATA"], use.put)

    def _written(self, cell: Cell, port: int, address: int, cycle: int) -> Value | None:
        width, bits = cell.parameters["WIDTH"], cell.parameters["ABITS"]
        to = part(cell.ports["WR_ADDR"], port * bits, bits)
        where = self._possible.words(to, cycle)
        enables = part(cell.ports["WR_EN"], port * width, width)
        if (where is not None and address not in where) or self._possible.words(enables, cycle) == {0}:
            return None
        passes = Elsewhere(enables, to, address, cycle, self._phase, cell.name, port)
        if self._counted and not passes.sources & self.tainted and passes.holds(self.alone[cycle]):
            self.elsewhere.add(passes)
            return None
        return super()._written(cell, port, address, cycle)

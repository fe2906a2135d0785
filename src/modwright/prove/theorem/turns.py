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
from .pieces import Node, Piece, Value
from .possible import Possible
from .ternary import Simulation, Word, after_reset
from .unroll import HANDSHAKES, READY, RESET, VALID, Unrolled, around, transfer
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


def alone_from(netlist: Netlist, phase: int, cycles: int) -> list[list[Word]]:
    """Every source in the cycles of a single operation that comes in some cycles after reset and is never taken."""
    simulation = Simulation(netlist, after_reset(netlist, RESET))
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
    state : mapping of int to Word
        Registers that run by themselves, at the input transfer.
    alone : list of list of Word
        Every source in each cycle of one operation of this phase after reset.
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
    """

    def __init__(
        self,
        netlist: Netlist,
        state: Mapping[int, Word],
        alone: Sequence[Sequence[Word]],
        queues: Mapping[int, Queue],
        words: Words,
        words_of: Mapping[str, int],
    ) -> None:
        known = around(netlist, len(alone), transfer(netlist, state))
        super().__init__(netlist, known, alone, words_of=words_of, words=words)
        self.queues, self._possible = queues, Possible(netlist, known)
        self._rows_alone = [list(row) for row in alone]
        self.uses: dict[int, Use] = {}
        self.reads: dict[int, set[int]] = {}

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
        where = self._possible.words(part(cell.ports["WR_ADDR"], port * bits, bits), cycle)
        enables = part(cell.ports["WR_EN"], port * width, width)
        if (where is not None and address not in where) or self._possible.words(enables, cycle) == {0}:
            return None
        return super()._written(cell, port, address, cycle)

# SPDX-License-Identifier: Apache-2.0
"""Counters that one bit of control steps, and memories between two of them: queues.

A register is a counter if its next word, for each of its words up to the last one, is that word where the bit is 0, and
the next number where it is 1. A queue is a memory whose writing address is a counter of the words that were put, and
whose reading address is one of those that were taken, both from the same number on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .netlist import CONSTANT, REGISTER, Cell, Netlist, Runs
from .stretches import RESET, payload_inputs
from .ternary import Simulation, Word, after_reset, gather, ones

WIDEST = 6
"""Most bits of a counter; its words are tried one by one."""

Bit = tuple[int, int]
"""Source, and the place of a bit in it."""


@dataclass(frozen=True)
class Counter:
    """A register that counts.

    Parameters
    ----------
    source : int
    event : tuple of int
        The bit with which it steps.
    size : int
        Words that it goes through, from 0 on.
    start : int
        Word after reset.
    """

    source: int
    event: Bit
    size: int
    start: int


@dataclass(frozen=True)
class Queue:
    """A memory that is a queue.

    Parameters
    ----------
    memory : Cell
    put, taken : Counter
        Counters of its addresses.
    always : bool
        Whether the place after the last word is written in every cycle, and not only when a word is put.
    """

    memory: Cell
    put: Counter
    taken: Counter
    always: bool

    @property
    def room(self) -> int:
        """Words that may wait at once."""
        return self.put.size - self.always


def queues_of(netlist: Netlist) -> dict[int, Queue]:
    """The queues of a netlist, by their sources."""
    tainted = netlist.tainted(payload_inputs(netlist))
    counters: dict[Runs, Counter | None] = {}
    found: dict[int, Queue] = {}
    for memory in netlist.memories:
        p = memory.parameters
        if (p["WR_PORTS"], p["RD_PORTS"]) != (1, 1):
            continue
        ends: list[Counter | None] = []
        for name in ("WR_ADDR", "RD_ADDR"):
            runs = memory.ports[name]
            if runs not in counters:
                counters[runs] = counter_of(netlist, runs)
            ends.append(counters[runs])
        put, taken = ends
        if put is None or taken is None or {put.source, put.event[0], taken.source, taken.event[0]} & tainted:
            continue
        always = _always(netlist, memory, put)
        same = (put.size, put.start) == (taken.size, taken.start)
        if same and put.size <= p["SIZE"] and always is not None:
            found[memory.out] = Queue(memory, put, taken, always)
    return found


def _always(netlist: Netlist, memory: Cell, put: Counter) -> bool | None:
    """Whether a memory is written in every cycle, or else exactly when a word is put; None for anything else."""
    runs, full = memory.ports["WR_EN"], ones(memory.parameters["WIDTH"])
    if len(runs) == 1 and runs[0][0] == CONSTANT:
        return True if runs[0][1] == full else None
    written = [_following(netlist, runs, {}, (put.event, bit)) for bit in (0, 1)]
    return False if written == [(0, full), (full, full)] else None


def counter_of(netlist: Netlist, runs: Runs) -> Counter | None:
    """The counter whose whole word some bits are; None for anything else."""
    source, low, bits = runs[0]
    cell = netlist.drivers.get(source)
    if len(runs) > 1 or cell is None or cell.kind != REGISTER or low or bits != netlist.widths[source]:
        return None
    start, known = after_reset(netlist, RESET)[source]
    if known != ones(bits) or bits > WIDEST:
        return None
    for event in _choosing(netlist, cell):
        size = _size(netlist, cell, event)
        if size > start:
            return Counter(source, event, size, start)
    return None


def _size(netlist: Netlist, cell: Cell, event: Bit) -> int:
    """Words that a register goes through if a bit steps it; 0 if it does not count so."""
    full = ones(netlist.widths[cell.out])
    for word in range(full + 1):
        same, after = (_following(netlist, cell.ports["D"], {cell.out: (word, full)}, (event, bit)) for bit in (0, 1))
        if same != (word, full) or after not in ((word + 1, full), (0, full)):
            return 0
        if after[0] == 0:
            return word + 1
    return 0


def _following(netlist: Netlist, runs: Runs, start: dict[int, Word], given: tuple[Bit, int]) -> Word:
    """The word of some bits where one bit is given, for all others."""
    (source, place), value = given
    cone = replace(netlist, logic=tuple(_cone(netlist, runs, source)), memories=())
    values = Simulation(cone, start).settle({RESET: (0, 1)}, {source: (value << place, 1 << place)})
    return gather(runs, values)


def _cone(netlist: Netlist, runs: Runs, stop: int) -> Iterator[Cell]:
    """Cells on which bits depend in the same cycle, in their order; not those before a source."""
    seen, queue = {stop}, [source for source, _, _ in runs]
    while queue:
        source = queue.pop()
        cell = netlist.drivers.get(source)
        if source not in seen and cell is not None and cell.kind != REGISTER and not cell.written:
            seen.add(source)
            queue += [inner for port in cell.ports.values() for inner, _, _ in port]
    yield from (cell for cell in netlist.logic if cell.out in seen and cell.out != stop)


def _choosing(netlist: Netlist, register: Cell) -> Iterator[Bit]:
    """Bits that choose the next word of a register."""
    queue, seen = list(register.ports["D"]), set[int]()
    while queue:
        source, _, _ = queue.pop()
        cell = netlist.drivers.get(source)
        if cell is None or cell.kind != "$mux" or source in seen:
            continue
        seen.add(source)
        ((chooser, low, _),) = cell.ports["S"]
        if chooser >= 0 and chooser != netlist.inputs[RESET]:
            yield chooser, low
        queue += [*cell.ports["A"], *cell.ports["B"]]


def events_in(netlist: Netlist, event: Bit, rows: list[list[Word]]) -> list[int] | None:
    """Cycles in which a bit is 1; None where it is not known in one."""
    values = [gather(((*event, 1),), row) for row in rows]
    return [cycle for cycle, (value, _) in enumerate(values) if value] if all(known for _, known in values) else None

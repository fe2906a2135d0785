# SPDX-License-Identifier: Apache-2.0
"""Results that wait in queues: how many, whether `o_valid` says so, and whether operations are taken again.

Operations are counted, from their input transfer to the cycle in which their result is put into its queue, and from
there to the reader. A result is put in any cycle in which some operation has none yet: that is more than what happens.
Of the bits on which `i_ready` depends, those that the reader does not affect are unknown, so operations come in at any
distance. What is left has few states. All of them are gone through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from .counters import Bit, Queue
from .exploring import Control, explore
from .netlist import Netlist, Runs, UnsupportedError
from .phases import leaves_of
from .stretches import ACCEPTED, READY, RESET, TAKEN, known_bit
from .ternary import Word, after_reset
from .watching import Transfers

State = tuple[int, int, bool, bool, bool]
"""Operations without a result, and results that wait. Then of the cycle before: whether an operation came in, whether
results waited, and whether there was neither an operation nor a result."""


def prove_waiting(netlist: Netlist, transfers: Transfers, queues: Sequence[Queue], push: Bit) -> str:
    """The fault of the results in some queues, all of them put at the latest with `push`; empty without one."""
    ((source, low, _),) = netlist.outputs[ACCEPTED]
    taken = _taken(netlist)
    if any(queue.taken.event[0] not in taken for queue in queues):
        return "a queue of results gives a word without a transfer, or none with one"
    found = _Counts(netlist, transfers, min(queue.room for queue in queues), push)
    return found.wrong() or _stuck(netlist, transfers, (source, low), found.limiting)


def _taken(netlist: Netlist) -> set[int]:
    """Sources that are 1 when a result is transferred, and only then."""
    sides = {((netlist.inputs[READY], 0, 1),), netlist.outputs[TAKEN]}
    conjunctions = (cell for cell in netlist.logic if cell.kind in ("$and", "$logic_and"))
    return {cell.out for cell in conjunctions if {cell.ports["A"], cell.ports["B"]} == sides}


class _Counts:
    """Exploration of the numbers of operations and results.

    Attributes
    ----------
    limiting : tuple of int
        Registers on which `i_ready` depends and that the reader affects.
    """

    def __init__(self, netlist: Netlist, transfers: Transfers, room: int, push: Bit) -> None:
        self.netlist, self.strobes, self.room, self.push = netlist, transfers.strobes, room, push
        self.accepted, self.valid = netlist.outputs[ACCEPTED], netlist.outputs[TAKEN]
        affected = _affected(netlist, netlist.inputs[READY], {*transfers.strobes, push[0]})
        leaves = _sources(netlist, self.accepted, affected, transfers.strobes)
        self.limiting = tuple(sorted(leaves & affected))
        self.free = tuple(sorted(leaves - affected))
        self.start = after_reset(netlist, RESET)

    def wrong(self) -> str:
        """The fault; an empty text where there is none."""
        bits = [run[:2] for run in (*self.accepted, *self.valid)] + [(source, 0) for source in self.limiting]
        given = (*self.strobes, *self.free, self.push[0], self.netlist.inputs[READY])
        try:
            control = Control(self.netlist, bits, given)
        except UnsupportedError as error:
            return str(error)
        return explore(control, [(0, 0, False, False, True)], self._choices, self._fault)

    def _choices(self, state: State) -> Iterator[tuple[Mapping[int, Word], State]]:
        flying, waits, *_ = state
        for came, due, ready in product((0, 1), (0, 1) if flying else (0,), (0, 1)):
            given = dict.fromkeys(self.strobes, (came, 1)) | dict.fromkeys(self.free, (0, 0))
            given |= {self.push[0]: (due << self.push[1], 1 << self.push[1])}
            given |= {self.netlist.inputs[READY]: (ready, 1)}
            left = waits + due - (ready if waits else 0)
            yield given, (flying + came - due, left, bool(came), waits > 0, flying == waits == 0)

    def _fault(self, following: State, values: Sequence[Word]) -> str | None:
        flying, waits, came, waited, idle = following
        if came and known_bit(self.accepted, values) == 0:
            return None
        if known_bit(self.valid, values) != int(waited):
            return "o_valid is not high exactly while a result waits"
        if flying + waits > self.room:
            return "more operations come in than results find room"
        if idle and any(values[source] != self.start[source] for source in self.limiting):
            return "an empty core does not limit operations as after reset"
        return ""


def _sources(netlist: Netlist, accepted: Runs, affected: set[int], strobes: Sequence[int]) -> set[int]:
    """Registers on which `i_ready` depends; one that the reader affects, among others, gives way to its own sources."""
    known = {*strobes, netlist.inputs[READY], netlist.inputs[RESET]}
    found = set[int]()
    for leaf in leaves_of(netlist, accepted):
        own = leaves_of(netlist, netlist.drivers[leaf].ports["D"], known) - known if leaf in affected else {leaf}
        found |= own if own - affected else {leaf}
    return found


def _affected(netlist: Netlist, source: int, stops: set[int]) -> set[int]:
    """Sources that one reaches, through registers too, but not through some."""
    users: dict[int, set[int]] = {}
    for out, cell in netlist.drivers.items():
        for runs in cell.ports.values():
            for inner, _, _ in runs:
                users.setdefault(inner, set()).add(out)
    found, queue = {source}, [source]
    while queue:
        new = users.get(queue.pop(), set()) - found - stops
        found |= new
        queue += new
    return found


def _stuck(netlist: Netlist, transfers: Transfers, accepted: Bit, limiting: Sequence[int]) -> str:
    """Whether an empty core does not take operations some cycles after the last one; empty where it does."""
    control = Control(netlist, [accepted], (*transfers.strobes, *limiting))
    start = after_reset(netlist, RESET)
    given = dict.fromkeys(transfers.strobes, (0, 1))
    registers: tuple[Word, ...] = ((0, 0),) * len(control.first)
    for _ in range(max(transfers.forbidden, default=0) + 1):
        _, registers = control.step(registers, given)
    given |= {source: start[source] for source in limiting}
    _, registers = control.step(registers, given)  # `i_ready` may be a register
    values, _ = control.step(registers, given)
    value, known = values[accepted[0]]
    return "" if known >> accepted[1] & value >> accepted[1] & 1 else "an empty core does not take operations"

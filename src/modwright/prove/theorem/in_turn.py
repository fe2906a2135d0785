# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores whose operations take turns: words of one operation in each phase, and its queues.

The words are those of every phase, so they are decided once. Lemmas make up for what one operation cannot know of the
others; docs/proof.md, "Operations in turn", has the whole argument:

- input transfers have no distance that is forbidden: `i_ready` is low at it after every transfer;
- words are put into queues, and taken from them, in one cycle of each operation and at no other time; so the word that
  is read is the operation's own, and no later one has been written over it;
- control bits have the values that are assumed, in each phase;
- results wait in their queues as stated, see `waiting`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .contract import Claim
from .counters import Bit, Queue, queues_of
from .decide import Operation, UndecidedError
from .netlist import MEMORY, Netlist, UnsupportedError
from .phases import Phases, phases_of
from .pieces import Value
from .stretches import ACCEPTED, TAKEN, known_bit, payload_inputs
from .ternary import Word
from .turns import Elsewhere, Turn, Use, inputs_of
from .waiting import prove_waiting
from .watching import FEW, Event, Held, Transfers, prove_watched, strobes_of
from .words import Words


@dataclass(frozen=True)
class Turns:
    """Knowledge of the operations of a core.

    Parameters
    ----------
    phases : Phases
    ready : int
        Cycle of an operation in which its result is put into its queue.
    transfers : Transfers
    queues : sequence of Queue
        Queues that an operation uses.
    uses : mapping of int to Use
        The cycles in which it does so, by the source of the queue.
    held : sequence of Held
        Control bits that are assumed, in each phase.
    elsewhere : sequence of Elsewhere
        Writes that are assumed not to reach a place.
    alone : list of list of Word
        Every source in the cycles of one operation.
    """

    phases: Phases
    ready: int
    transfers: Transfers
    queues: Sequence[Queue]
    uses: Mapping[int, Use]
    held: Sequence[Held]
    elsewhere: Sequence[Elsewhere]
    alone: Sequence[Sequence[Word]]


def takes_turns(netlist: Netlist) -> bool:
    """Whether results wait in several memories."""
    outputs = [runs for name, runs in netlist.outputs.items() if name not in (ACCEPTED, TAKEN)]
    cells = [netlist.drivers.get(source) for source in {source for runs in outputs for source, _, _ in runs}]
    return sum(cell is not None and cell.kind == MEMORY and cell.written for cell in cells) > 1


def operation_in_turn(netlist: Netlist, claim: Claim, latency: int) -> tuple[Operation, Turns]:
    """The words of an operation, the same in every phase, and what has to be proved of the others.

    Raises
    ------
    UnsupportedError
        When some of it has no rule.
    UndecidedError
        When the words are not those of the core, or differ with the phase.
    """
    strobes = strobes_of(netlist)
    queues, phases, words = queues_of(netlist), phases_of(netlist, strobes), Words()
    found: list[tuple[Turn, dict[str, Value]]] = []
    held: list[Held] = []
    elsewhere: list[Elsewhere] = []
    for phase in range(len(phases.states)):
        turn = Turn(netlist, phases, phase, latency + 1, queues, words, claim.words)
        runs = ((name, runs) for name, runs in netlist.outputs.items() if name not in (ACCEPTED, TAKEN))
        found.append((turn, {name.removeprefix("o_"): turn.result(run) for name, run in runs}))
        held += [Held((source, bit), cycle, phase, value) for (source, bit, cycle), value in turn.assumed.items()]
        elsewhere += turn.elsewhere
    turn, outputs = found[0]
    if any(outputs != other or turn.uses != following.uses for following, other in found):
        raise UndecidedError("the words of an operation differ with its phase")
    inputs = inputs_of(turn)
    missing = claim.fields - set(outputs) | claim.inputs - set(inputs)
    if missing:
        raise UndecidedError(f"the ports are not those of the core: {', '.join(sorted(missing))}")
    forbidden = frozenset.intersection(*(_forbidden(netlist, each) for each, _ in found))
    interval = next(distance for distance in range(1, latency + 2) if distance not in forbidden)
    transfers = Transfers(strobes, forbidden, interval, len(phases.states), phases.counted)
    ready = max(use.put for use in turn.uses.values())
    used = [queues[source] for source in turn.uses]
    for each, _ in found:
        _check_reads(netlist, each, interval)
    turns = Turns(phases, ready, transfers, used, turn.uses, held, elsewhere, turn.alone)
    return Operation(turn, inputs, outputs), turns


def _forbidden(netlist: Netlist, turn: Turn) -> frozenset[int]:
    """Cycles of an operation in which no other one comes in."""
    ready = [known_bit(netlist.outputs[ACCEPTED], row) for row in turn.around]
    return frozenset(cycle for cycle, bit in enumerate(ready) if cycle and bit == 0)


def _check_reads(netlist: Netlist, turn: Turn, interval: int) -> None:
    """Check that words are read while they are the first of their queue, and have not been written over.

    At the cycle of a reading, operations before have taken theirs, as they came in at least `interval` cycles before;
    and those after this one have put fewer words than the queue has places.
    """
    for source, cycles in turn.reads.items():
        use, queue, name = turn.uses[source], turn.queues[source], netlist.names[source]
        if use.taken is None or any(not use.put < cycle <= use.taken < cycle + interval for cycle in cycles):
            raise UnsupportedError(f"{name} is read in a cycle in which its first word may be another")
        if (use.taken - use.put) // interval >= queue.room:
            raise UnsupportedError(f"words of {name} may be written over before they are read")


def streams_in_turn(netlist: Netlist, turns: Turns) -> str:
    """The fault of control, queues and streams; an empty text where they are proved."""
    events = {Event(queue.put.event, turns.uses[queue.memory.out].put) for queue in turns.queues}
    for queue in turns.queues:
        taken = turns.uses[queue.memory.out].taken
        events |= set() if taken is None else {Event(queue.taken.event, taken)}
    single, held = (set[Event](), turns.held) if turns.transfers.counted else _single(netlist, turns)
    events |= single
    results = [queue for queue in turns.queues if turns.uses[queue.memory.out].taken is None]
    last = {queue.put.event for queue in results if turns.uses[queue.memory.out].put == turns.ready}
    if len(last) != 1:
        return "results are put into their queues with several bits"
    tainted = netlist.tainted(payload_inputs(netlist))
    sources = {assumed.bit[0] for assumed in (*events, *held)} | {*turns.transfers.strobes}
    sources |= {source for passes in turns.elsewhere for source in passes.sources}
    if sources & tainted:
        return f"{netlist.names[min(sources & tainted)]} depends on operands"
    try:
        return prove_waiting(netlist, turns.transfers, results, last.pop()) or prove_watched(
            netlist, turns.transfers, sorted(events, key=lambda event: event.bit), held, turns.elsewhere
        )
    except UnsupportedError as error:
        return str(error)


def _single(netlist: Netlist, turns: Turns) -> tuple[set[Event], list[Held]]:
    """Bits that are 1 in one cycle of each operation, and the assumed bits that do not follow from that.

    Such a bit is 0 in another cycle where an operation that would have it there came in at a forbidden distance.
    """
    transfers = turns.transfers
    late = {assumed.bit for assumed in turns.held if assumed.cycle >= FEW * transfers.interval}
    found: dict[Bit, int] = {}
    for bit in late:
        cycles = [cycle for cycle, row in enumerate(turns.alone) if row[bit[0]][0] >> bit[1] & 1]
        if len(cycles) == 1:
            found[bit] = cycles[0]
    left = [
        assumed
        for assumed in turns.held
        if assumed.bit not in found
        or assumed.value != int(assumed.cycle == found[assumed.bit])
        or (not assumed.value and abs(assumed.cycle - found[assumed.bit]) not in transfers.forbidden)
    ]
    return {Event(bit, cycle) for bit, cycle in found.items()}, left

# SPDX-License-Identifier: Apache-2.0
"""Memories in which results wait: which of the words that they take they keep, and that no other one is read.

A memory may take a word in every cycle, of an operation or of none, at the place after the last result, and keep it by
a step of the address. So a word is *kept* in a cycle without a reset in which it is written and the address of the next
write is another one. A word that is not kept is there until the next write to its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ..base.store import Store
from .circuit import FALSE, TRUE
from .queue import PUSH, READ, READ_ADDRESS, READY, RESULT, VALID, WRITE_ADDRESS
from .states import Latch, States
from .ternary import KNOWN, initial_bit
from .twins import PAYLOAD, RESET, Copy, Twins, Whole, literal_of, needed

MOST_ADDRESS = 6
"""Most bits of an address of a memory in which results wait."""


@dataclass(frozen=True)
class Queue:
    """Literals of a graph at a memory: its enable, the word that it takes, and both addresses."""

    push: int
    word: list[int]
    write: list[int]
    read: list[int]


class Queued(Whole):
    """The graph of a core with mutations, cut in front of the memories in which results wait, if there are any.

    `strict` has the handshakes, and enables and addresses of these memories.

    Parameters
    ----------
    whole : Whole

    Attributes
    ----------
    queues : list of Queue
    control : set of int
        Latches that no operand reaches.
    watched : list of int
        Literals of the handshakes, and of all inputs of the memories; without memories, of the result.
    """

    def __init__(self, whole: Whole) -> None:
        self.graph, self.inputs, self.latches, self.alone = whole.graph, whole.inputs, whole.latches, whole.alone
        self.outputs, self.first_latch = whole.outputs, whole.first_latch
        outputs, count = self.outputs, sum(name.startswith(PUSH) for name in self.outputs)
        names = (RESULT, WRITE_ADDRESS, READ_ADDRESS)
        self.queues = [
            Queue(outputs[f"{PUSH}_{k}"][0], *(outputs[f"{name}_{k}"] for name in names)) for k in range(count)
        ]
        seen = [*outputs[READY], *outputs[VALID]]
        seen += [bit for queue in self.queues for bit in (queue.push, *queue.write, *queue.read)]
        self.strict = [literal for literal in seen if literal >> 1]
        results = [bit for queue in self.queues for bit in queue.word] if self.queues else outputs["o__payload"]
        self.watched = [*self.strict, *results]
        operands = (k for k, name in enumerate(self.inputs, 1) if name.startswith((PAYLOAD, READ)))
        reached = self.graph.reached(operands)
        self.control = {k for k in range(len(self.latches)) if not reached[self.first_latch + k]}


def counted(twins: Twins[Queued]) -> Iterator[tuple[list[int], int]]:
    """The words that count: literals of the graph, and the literal of the core that is 1 in such a cycle.

    Where no results wait in a memory, it is the result while it is valid.
    """
    design, core = twins.design, twins.symbolic.core
    if not design.queues:
        yield design.outputs["o__payload"], literal_of(core, design.outputs[VALID][0])
    for queue in design.queues:
        yield queue.word, _at_some_address(twins, queue, _kept(twins, queue))


def _kept(twins: Twins[Queued], queue: Queue) -> int:
    """The literal that is 1 where a memory keeps a word."""
    circuit, core = twins.circuit, twins.symbolic.core
    reset = twins.inputs[twins.design.inputs.index(RESET)]
    moved = circuit.any_of(_moved(twins, queue))
    return circuit.both(circuit.both(literal_of(core, queue.push), reset ^ 1), moved)


def _moved(twins: Twins[Queued], queue: Queue) -> Iterator[int]:
    """Literals, one of which is 1 where the address of the next write is another one."""
    following = twins.following(twins.symbolic)
    for before, k in addressing(twins, queue.write):
        assert k is not None
        after, _ = following[k]
        yield twins.circuit.unequal(before, after ^ before & 1)


def addressing(twins: Twins[Queued], address: Sequence[int]) -> Iterator[tuple[int, int | None]]:
    """The bits of an address in the core, each with its latch; None where it comes from elsewhere.

    The graph may have a mutation between register and memory, which the core has not.
    """
    of = {literal: k for k, literal in enumerate(twins.state[Copy.CORE])}
    for bit in address:
        literal = literal_of(twins.symbolic.core, bit)
        yield literal, of.get(literal & ~1)


def _at_some_address(twins: Twins[Queued], queue: Queue, literal: int) -> int:
    """The literal that is 1 where another one is for some address of the next write: where that is not known, it would
    not be known either whether it changes."""
    circuit, core = twins.circuit, twins.symbolic.core
    cone = circuit.cone([literal])
    found = FALSE
    for number in range(1 << len(queue.write)):
        bits = [literal_of(core, bit) for bit in queue.write]
        values = {0: FALSE} | {bit >> 1: bit & 1 ^ number >> k & 1 for k, bit in enumerate(bits)}
        for variable in cone:
            gate = circuit.gate(variable)
            if variable not in values:
                values[variable] = (
                    2 * variable if gate is None else circuit.both(*(_literal(values, bit) for bit in gate))
                )
        found = circuit.either(found, _literal(values, literal))
    return found


def _literal(values: Mapping[int, int], literal: int) -> int:
    return values[literal >> 1] ^ literal & 1


def only_kept_are_read(design: Queued, store: Store) -> bool:
    """Whether `o.valid` is 1 only while each memory reads a word that was kept, by all states of the core's control.

    Raises
    ------
    TooManyError
        When there are too many states.
    """
    return all(_addressed(design, queue) and _only_kept_are_read(design, queue, store) for queue in design.queues)


def _addressed(design: Queued, queue: Queue) -> bool:
    """Whether the addresses are registers of the same width."""
    same = len(queue.write) == len(queue.read) <= MOST_ADDRESS
    return same and all(k is not None for _, k in addressing(Twins(design, 0), queue.write))


def _only_kept_are_read(design: Queued, queue: Queue, store: Store) -> bool:
    """Each place has a bit that says whether its last word was kept."""
    twins = Twins(design, 0)
    circuit, core = twins.circuit, twins.symbolic.core
    push, valid = literal_of(core, queue.push), literal_of(core, design.outputs[VALID][0])
    write, read = ([literal_of(core, bit) for bit in bits] for bits in (queue.write, queue.read))
    counts = _kept(twins, queue)
    places, reads = list[Latch](), list[int]()
    for number in range(1 << len(write)):
        bit = circuit.fresh()
        here = circuit.both(push, _equal(twins, write, number))
        after = circuit.either(circuit.both(here, counts), circuit.both(here ^ 1, bit))
        places.append(Latch(bit, after, KNOWN[0]))
        reads.append(circuit.both(_equal(twins, read, number), bit))
    following = twins.following(twins.symbolic)
    latches = [
        Latch(twins.state[Copy.CORE][k], following[k][Copy.CORE], initial_bit(design.graph.latches[k][1]))
        for k, _ in needed(twins, [push, valid, counts, *write, *read])
    ]
    names = ("i__valid", "o__ready", RESET)
    inputs = [twins.inputs[design.inputs.index(name)] for name in names if name in design.inputs]
    choices = [dict(zip(inputs, values, strict=True)) for values in product(KNOWN, repeat=len(inputs))]
    states = States(circuit, [*latches, *places], (), [(valid, circuit.any_of(reads) ^ 1)], store)
    return states.count(choices) is not None


def _equal(twins: Twins[Queued], bits: list[int], number: int) -> int:
    """The literal that is 1 where a word is a number."""
    found = TRUE
    for k, bit in enumerate(bits):
        found = twins.circuit.both(found, bit ^ (number >> k & 1 ^ 1))
    return found if bits else FALSE

# SPDX-License-Identifier: Apache-2.0
"""A program of field operations: set-up, a step that is repeated, and exit, in control words.

What a step does after its period is in the first words of the next one, and in the first of the exit. In the first step
there is no step before it, and what is marked `tail` does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...schedule import Loop as WordLoop
from ...schedule import Microcode, Schedule, Step, UnitCycles, both, times
from .control import GraphWords, Names, Writer, length_of
from .dataflow import INVERSE, MULTIPLICATIONS, Graph
from .machine import Machine, Placed
from .parameters import FieldParameters
from .placement import Loop, Placer, by_height, left_behind
from .words import Allocator

Parts = tuple[Allocator, Allocator, Allocator]
"""Set-up, step and exit, with their words."""
Writers = tuple[Writer, Writer, Writer]


@dataclass(frozen=True)
class Program:
    """Set-up, step of a loop and exit, placed in time.

    Parameters
    ----------
    microcode : Microcode
        Words of the set-up, a step, and the exit, one after the other; the step is the loop.
    setup, step, exit : int
        Number of words of each.
    placed : mapping of str to tuple of Placed
        Operations of each, in time.
    homes : mapping of str to mapping of str to int
        Word of each value, by graph.
    step_words : int
        Most words in which a step holds something in the same cycle.
    """

    microcode: Microcode
    setup: int
    step: int
    exit: int
    placed: Mapping[str, tuple[Placed, ...]]
    homes: Mapping[str, Mapping[str, int]]
    step_words: int


def place_exit(
    step: Graph,
    graph: Graph,
    machine: Machine,
    loop: Loop,
    state: Iterable[str],
    together: Iterable[tuple[str, ...]] = (),
) -> tuple[Placed, ...]:
    """Place the exit behind the last step's tail.

    Parameters
    ----------
    step, graph : Graph
        Graphs of the loop and of the exit.
    machine : Machine
    loop : Loop
    state : iterable of str
        Values that the step leaves.
    together : iterable of tuple of str
        Groups of values that are exchanged by data: each is valid when all are.
    """
    ready, table = left_behind(Placer(step, machine), loop, {name: f"{name}'" for name in state}, together)
    return Placer(graph, machine, ready=ready, table=table).place_all(by_height(graph, machine))


def write_words(
    names: Names, kinds: Sequence[str], parts: Parts, period: int, setup_cycles: int, *, settled: int = 0
) -> Writers:
    """Write the words of a set-up of `setup_cycles`, of a step and of the exit, with the last step's tail.

    The program ends `settled` cycles after the last operation: with one, what leaves in that one is in its register.
    """
    setup, step, exit_ = parts
    exit_cycles = length_of(exit_.placed.values()) + settled
    writers = (Writer(setup_cycles), Writer(period, period), Writer(exit_cycles))

    def write(part: Allocator, writer: Writer, period: int = 0, shift: int = 0) -> None:
        placed = tuple(part.placed.values())
        GraphWords(names, part.graph, placed, part.homes, writer, kinds, period, shift).write()

    write(setup, writers[0])
    write(step, writers[1], period)
    write(step, writers[2], period, -period)
    write(exit_, writers[2])
    writers[0].set(setup_cycles - 1, begin=1, first_step=1)
    writers[1].set(period - 1, begin=1)
    writers[2].set(exit_cycles - 1, end=1)
    return writers


def finish(writers: Writers, parts: Parts, count: int) -> Program:
    """Make the program whose step runs `count` times."""
    setup_cycles, period, exit_cycles = (len(writer.words) for writer in writers)
    code = tuple(word for writer in writers for word in writer.words)
    # the result is taken before the next operation starts, in the cycle after the last word or later
    interval = len(code) + (count - 1) * period + 2
    labels = ("set-up", "step", "exit")
    return Program(
        Microcode(code, interval, (WordLoop(setup_cycles, period, count),)),
        setup_cycles,
        period,
        exit_cycles,
        {label: tuple(part.placed.values()) for label, part in zip(labels, parts, strict=True)},
        {label: part.homes for label, part in zip(labels, parts, strict=True)},
        parts[1].most(),
    )


def steps_of(
    p: FieldParameters, units: Mapping[str, Schedule], placed: Iterable[Placed], label: str, offset: int
) -> list[Step]:
    """Steps of a schedule for the operations of one part, which begins in cycle `offset`."""
    return [step for placement in placed for step in _steps(p, units, placement, label, offset)]


def work_of(p: FieldParameters, units: Mapping[str, Schedule], program: Program, count: int) -> Iterator[UnitCycles]:
    """Work of set-up, `count` steps and exit: multipliers, the adder with the inversion's sums, and the memory's
    ports."""
    for name, runs in (("set-up", 1), ("step", count), ("exit", 1)):
        placed = program.placed[name]
        for placement in placed:
            if placement.operation.kind in MULTIPLICATIONS:
                unit = f"unit {placement.unit + 1}" if p.macs > 1 else "unit"
                yield times(units[_kind(p, placement)].work, runs, part=unit)
        own = {
            "adder": sum(len(placement.iterations) + (placement.adds is not None) for placement in placed),
            "read port": len({read.cycle for placement in placed for read in placement.reads}),
            "write port": sum(placement.operation.makes_value for placement in placed),
        }
        yield {unit: both(runs * cycles) for unit, cycles in own.items() if cycles}


def _kind(p: FieldParameters, placement: Placed) -> str:
    """Kind of the unit's operation that a multiplication is: a square is a product where there is nothing better."""
    kind = placement.operation.kind
    return kind if kind in p.kinds else p.kinds[0]


def _steps(p: FieldParameters, units: Mapping[str, Schedule], placement: Placed, label: str, offset: int) -> list[Step]:
    """An operation on the multiplier or the adder; reads of a word for a flag are not shown."""
    operation = placement.operation
    name = f"{label}: {operation.text}"
    if operation.kind in MULTIPLICATIONS:
        interval = units[_kind(p, placement)].interval
        resource = f"multiplier {placement.unit + 1}" if p.macs > 1 else "multiplier"
        return [Step(name, resource, offset + placement.start, interval, placement.readable - placement.start)]
    if operation.kind == INVERSE:
        length = placement.written - placement.start
        return [Step(name, "inversion", offset + placement.start, length, length + 1)]
    if placement.adds is not None:
        return [Step(name, "adder", offset + placement.adds, 1, 2)]
    return []

# SPDX-License-Identifier: Apache-2.0
"""Graphs one after the other, as one: parts of a program between which the modulus changes.

A phase begins when nothing of the one before it is in the multipliers, the adder or the inversion, so that the operands
m, q and mu may change in the cycle in which it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .control import length_of
from .dataflow import Graph
from .machine import Placed


@dataclass(frozen=True)
class Phases:
    """Phases as one graph, placed.

    Parameters
    ----------
    graph : Graph
        The operations of all; what a later phase reads of an earlier one is not an input.
    placed : tuple of Placed
        In cycles from the start of the first.
    begins : tuple of int
        First cycle of each.
    """

    graph: Graph
    placed: tuple[Placed, ...]
    begins: tuple[int, ...]


def follow(name: str, parts: Sequence[tuple[Graph, Sequence[Placed]]]) -> Phases:
    """Put graphs, each placed as if it were alone, one after the other."""
    operations = tuple(operation for graph, _ in parts for operation in graph.operations)
    made = {operation.name for operation in operations if operation.makes_value}
    inputs = dict.fromkeys(value for graph, _ in parts for value in graph.inputs if value not in made)
    flags = dict.fromkeys(flag for graph, _ in parts for flag in graph.flags)
    begins, placed = [0], list(parts[0][1])
    for _, later in parts[1:]:
        begins.append(1 + length_of(placed))
        placed += [shifted(placement, begins[-1]) for placement in later]
    return Phases(Graph(name, tuple(inputs), tuple(flags), operations), tuple(placed), tuple(begins))


def shifted(placement: Placed, cycles: int) -> Placed:
    """The same operation, `cycles` later."""
    return replace(
        placement,
        start=placement.start + cycles,
        reads=tuple(replace(read, cycle=read.cycle + cycles) for read in placement.reads),
        iterations=tuple(cycle + cycles for cycle in placement.iterations),
        written=placement.written + cycles,
    )

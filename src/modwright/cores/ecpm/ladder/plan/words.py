# SPDX-License-Identifier: Apache-2.0
"""Words of the operand memory: which value of set-up, step and exit lies where, and until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....engines.ladder.dataflow import Graph
from .....engines.ladder.machine import Placed
from .....engines.ladder.placement import Loop
from .....engines.ladder.words import Allocator
from .homes import FRESH, HOMES, PAIRS, TEMPORARY


def words_of_setup(graph: Graph, placed: Sequence[Placed]) -> Allocator:
    found = Allocator(graph, placed)
    for name, word in HOMES.items():
        found.fix(f"{name}0", word + FRESH)
    found.allocate((*TEMPORARY, *HOMES.values()))
    return found


def words_of_step(graph: Graph, loop: Loop) -> Allocator:
    found = Allocator(graph, loop.placed, loop.period)
    for name, word in HOMES.items():
        # the next step's reads, or with M the exit's, are the last
        last = loop.period + (found.last_read(name) if name in graph.inputs else found.placed[f"{name}'"].written)
        last = max(last, found.span(f"{name}'")[1])
        found.fix(f"{name}'", word, last)
        if word <= PAIRS[-1]:  # which of the two it is follows from the scalar
            found.keep(word ^ 1, found.span(f"{name}'")[0], last)
    found.allocate((*TEMPORARY, 4, 0, 1, 2, 3))
    return found


def words_of_exit(graph: Graph, placed: Sequence[Placed], tail: Mapping[int, int]) -> Allocator:
    found = Allocator(graph, placed)
    for name, word in HOMES.items():
        last = found.last_read(name)
        for bank in (word, word + FRESH):
            found.keep(bank, 0, last)
        if name in graph.inputs:
            found.homes[name] = word
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.allocate((*TEMPORARY, *HOMES.values(), *(word + FRESH for word in HOMES.values())))
    return found

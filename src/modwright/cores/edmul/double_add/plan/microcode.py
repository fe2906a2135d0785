# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 4 to 11 the neutral point and P, a value of each next to the other, 12 a,
the others values in between. From 32 on, operands in the registers that they came into.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.dataflow import Graph
from .....engines.ladder.machine import Placed
from .....engines.ladder.placement import Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import Allocator
from .....schedule import Schedule
from ..parameters import EdmulParameters
from . import formulas
from .orders import ORDERS

WORDS = 32
EXTERNAL = {name: WORDS + number for number, name in enumerate(formulas.GIVEN)}
"""Operands, behind the words."""
ADDED = 4
"""First word of the points that are added: even, so that one bit of the address tells them apart."""
HOMES = {name: number for number, name in enumerate(formulas.STATE)} | {
    name: ADDED + number for number, name in enumerate(formulas.KEPT)
}
TEMPORARY = [word for word in range(WORDS) if word not in HOMES.values()]
FLIPS = ("", "now", "before", "inv_sign")
ZEROS = ("", "on_curve")
NAMES = Names(EXTERNAL, HOMES, -1, FLIPS, ZEROS, dict.fromkeys((*formulas.POINT, *formulas.CURVE), 1))


def make_plan(p: EdmulParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine = machine_of(p, units)
    graphs = (formulas.setup(), formulas.step(), formulas.exit_())
    setup = Placer(graphs[0], machine).place_all(by_height(graphs[0], machine))
    loop = place_loop(graphs[1], machine, ORDERS[p.macs], formulas.CARRIED, ())
    placed_exit = place_exit(graphs[1], graphs[2], machine, loop, formulas.STATE)
    step = Allocator(graphs[1], loop.placed, loop.period, WORDS)
    step.homes |= {f"{name}'": HOMES[name] for name in formulas.STATE}
    step.allocate(TEMPORARY)
    parts = (_words_of_setup(graphs[0], setup), step, _words_of_exit(graphs[2], placed_exit, step.tail()))
    return finish(write_words(NAMES, p.kinds, parts, loop.period, length_of(setup) + 1), parts, p.n)


def _words_of_setup(graph: Graph, placed: Sequence[Placed]) -> Allocator:
    found = Allocator(graph, placed, count=WORDS)
    for name, word in HOMES.items():
        found.fix(f"{name}0", word)
    found.allocate(TEMPORARY)
    return found


def _words_of_exit(graph: Graph, placed: Sequence[Placed], tail: Mapping[int, int]) -> Allocator:
    found = Allocator(graph, placed, count=WORDS)
    found.homes |= {name: HOMES[name] for name in formulas.STATE}
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.allocate(TEMPORARY)
    return found

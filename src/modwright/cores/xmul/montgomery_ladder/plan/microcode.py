# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, ladder step and exit, from the graphs placed in time.

Words, by number: 0 to 3 the state (X2, X3, Z2, Z3), 4 and 5 what all steps read (U, K), 6 to 15 values in between.
From 16 on, operands in the registers that they came into.

The mask of the modulus and the clamped scalar are made in the first cycles, before u is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.dataflow import Graph
from .....engines.ladder.machine import Placed
from .....engines.ladder.placement import Loop, Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import WORDS, Allocator
from .....schedule import Schedule
from ..parameters import XmulParameters
from . import formulas
from .orders import ORDERS

EXTERNAL = {"u": WORDS, "a24": WORDS + 1, "r2": WORDS + 2}
"""Operands, behind the words."""
HOMES = {name: number for number, name in enumerate((*formulas.STATE, *formulas.KEPT))}
TEMPORARY = range(len(HOMES), WORDS)
FLIPS = ("", "now", "before", "inv_sign")
ZEROS = ("", "z_zero")
NAMES = Names(EXTERNAL, HOMES, 2 * len(formulas.EXCHANGED) - 1, FLIPS, ZEROS, {"a24": 1})


def make_plan(p: XmulParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine = machine_of(p, units)
    graphs = (formulas.setup(), formulas.step(), formulas.exit_())
    # the scalar is clamped in the cycle behind those of the mask, and u can be read in it
    ready = {"u": p.mask_cycles}
    setup = Placer(graphs[0], machine, ready=ready).place_all(by_height(graphs[0], machine))
    loop = place_loop(graphs[1], machine, ORDERS[p.macs], formulas.CARRIED, formulas.EXCHANGED)
    placed_exit = place_exit(graphs[1], graphs[2], machine, loop, formulas.STATE, formulas.EXCHANGED)
    step = _words_of_step(graphs[1], loop)
    parts = (_words_of_setup(graphs[0], setup), step, _words_of_exit(graphs[2], placed_exit, step.tail()))
    setup_cycles = length_of(setup) + 1
    writers = write_words(NAMES, p.kinds, parts, loop.period, setup_cycles)
    for cycle in range(p.mask_cycles):
        writers[0].set(cycle, smear=1)
    writers[0].set(p.mask_cycles, decode=1)
    return finish(writers, parts, p.n)


def _words_of_setup(graph: Graph, placed: Sequence[Placed]) -> Allocator:
    found = Allocator(graph, placed)
    for name, word in HOMES.items():
        found.fix(f"{name}0", word)
    found.allocate(TEMPORARY)
    return found


def _words_of_step(graph: Graph, loop: Loop) -> Allocator:
    found = Allocator(graph, loop.placed, loop.period)
    for name in formulas.STATE:
        # what a step has written is read by the next one, or by the exit; which of a pair it is follows from the scalar
        found.homes[f"{name}'"] = HOMES[name]
    found.allocate(TEMPORARY)
    return found


def _words_of_exit(graph: Graph, placed: Sequence[Placed], tail: Mapping[int, int]) -> Allocator:
    found = Allocator(graph, placed)
    for name in formulas.STATE:
        found.homes |= {name: HOMES[name]} if name in graph.inputs else {}
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.allocate(TEMPORARY)
    return found

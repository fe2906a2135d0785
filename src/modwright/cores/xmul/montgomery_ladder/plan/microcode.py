# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, ladder step and exit, from the graphs placed in time.

Words, by number: 0 to 3 the state (X2, X3, Z2, Z3), 4 and 5 what all steps read (U, K), 6 to 15 values in between.
From 16 on, operands in the registers that they came into.

The mask of the modulus and the clamped scalar are made in the first cycles, before u is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.placement import Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import WORDS, Memory
from .....schedule import Schedule
from ..parameters import XmulParameters
from . import formulas
from .orders import ORDERS

EXTERNAL = {"u": WORDS, "a24": WORDS + 1, "r2": WORDS + 2}
"""Operands, behind the words."""
HOMES = {name: number for number, name in enumerate((*formulas.STATE, *formulas.KEPT))}
MEMORY = Memory(HOMES, range(len(HOMES), WORDS))
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
    # what a step has written is read by the next one, or by the exit; which of a pair it is follows from the scalar
    step = MEMORY.of_step(graphs[1], loop.placed, loop.period, formulas.STATE)
    parts = (MEMORY.of_setup(graphs[0], setup), step, MEMORY.of_part(graphs[2], placed_exit, step.tail()))
    setup_cycles = length_of(setup) + 1
    writers = write_words(NAMES, p.kinds, parts, loop.period, setup_cycles)
    for cycle in range(p.mask_cycles):
        writers[0].set(cycle, smear=1)
    writers[0].set(p.mask_cycles, decode=1)
    return finish(writers, parts, p.n)

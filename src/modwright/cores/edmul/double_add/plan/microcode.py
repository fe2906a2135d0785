# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 4 to 11 the neutral point and P, a value of each next to the other, 12 a,
the others values in between. From 32 on, operands in the registers that they came into.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.placement import Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import Memory
from .....schedule import Schedule
from ..parameters import EdmulParameters
from . import formulas
from .orders import ORDERS

WORDS = 32
EXTERNAL = {name: WORDS + number for number, name in enumerate(formulas.GIVEN)}
"""Operands, behind the words."""
ADDED = 4
"""First word of the points that are added: even, so that one bit of the address distinguishes them."""
HOMES = {name: number for number, name in enumerate(formulas.STATE)} | {
    name: ADDED + number for number, name in enumerate(formulas.KEPT)
}
MEMORY = Memory(HOMES, [word for word in range(WORDS) if word not in HOMES.values()], WORDS)
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
    step = MEMORY.of_step(graphs[1], loop.placed, loop.period, formulas.STATE)
    parts = (MEMORY.of_setup(graphs[0], setup), step, MEMORY.of_part(graphs[2], placed_exit, step.tail()))
    return finish(write_words(NAMES, p.kinds, parts, loop.period, length_of(setup) + 1), parts, p.n)

# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), the others values in between. From 16 on, constants of the curve and the
point that is added.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.placement import Loop, Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import WORDS, Memory
from .....schedule import Schedule
from ..parameters import CombParameters
from . import formulas
from .table import FIELDS

EXTERNAL = {name: WORDS + number for number, name in enumerate((*formulas.CONSTANTS, *FIELDS))}
"""Places behind the words that are read where they are."""
HOMES = {name: number for number, name in enumerate(formulas.STATE)}
MEMORY = Memory(HOMES, [word for word in range(WORDS) if word not in HOMES.values()])
NAMES = Names(EXTERNAL, HOMES, -1, ("", "inv_sign"), ("",), {})
ORDER = tuple(operation.name for operation in formulas.step().operations)
"""The order in which the operations of a step are placed."""


def make_plan(p: CombParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words.

    The set-up lasts as long as the look-up for the first step, and a step as long as that for the next one.
    """
    machine = machine_of(p, units)
    graphs = (formulas.setup(), formulas.step(), formulas.exit_())
    setup = Placer(graphs[0], machine).place_all(by_height(graphs[0], machine))
    loop = place_loop(graphs[1], machine, ORDER, formulas.CARRIED, ())
    _require_reads_within(loop)
    placed_exit = place_exit(graphs[1], graphs[2], machine, loop, formulas.STATE)
    step = MEMORY.of_step(graphs[1], loop.placed, loop.period, formulas.STATE)
    parts = (MEMORY.of_setup(graphs[0], setup), step, MEMORY.of_part(graphs[2], placed_exit, step.tail()))
    setup_cycles = max(length_of(setup) + 1, p.look_up)
    return finish(write_words(NAMES, p.kinds, parts, loop.period, setup_cycles), parts, p.columns)


def _require_reads_within(loop: Loop) -> None:
    """Raise an error where a step reads the point that it adds when the next one has begun."""
    for placement in loop.placed:
        for read in placement.reads:
            if placement.operation.operands[read.index].value in FIELDS and read.cycle >= loop.period:
                raise ValueError(f"{placement.operation.text} reads the table in cycle {read.cycle} of {loop.period}")

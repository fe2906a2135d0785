# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 3 a zero, 4 the operand s and later x, 5 S, 6 a, 8 to 27 the points that
are added, four words for each of X, Y, Z, S and T so that two bits of an address choose the point, the others values
in between. From 64 on, operands in the registers that they came into.

`to_field` is set in the last cycle in which the modulus is the order.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.phases import follow
from .....engines.ladder.placement import Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import Allocator
from .....schedule import Schedule
from ..parameters import EddsaParameters
from . import formulas

WORDS = 64
EXTERNAL = {name: WORDS + number for number, name in enumerate(formulas.GIVEN)}
"""Operands, behind the words."""
ADDED = 8
"""First word of the points that are added."""
HOMES = {
    **{name: number for number, name in enumerate((*formulas.STATE, "nil", "x", "S", "K"))},
    "sv": len(formulas.STATE) + 1,
    **{name: ADDED + number for number, name in enumerate(formulas.POINTS)},
}
TEMPORARY = [word for word in range(WORDS) if word not in HOMES.values()]
FLIPS = ("", "now", "before", "inv_sign", "checked", "sign")
ZEROS = ("", "on_curve", "equal")
ALWAYS, SCALAR, COMMITMENT = 1, 2, 3
"""Operands that are compared with the modulus: those that always count, s of a signature, and R of one."""
RANGES = {
    **dict.fromkeys((*formulas.CURVE, *formulas.BASE, *formulas.PUBLIC), ALWAYS),
    "s": SCALAR,
    "ry": COMMITMENT,
}
NAMES = Names(EXTERNAL, HOMES, -1, FLIPS, ZEROS, RANGES, quads=True)


def make_plan(p: EddsaParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine, step, exit_ = machine_of(p, units), formulas.step(), formulas.exit_()
    alone = [(graph, Placer(graph, machine).place_all(by_height(graph, machine))) for graph in formulas.setup()]
    setup = follow("set-up", alone)
    loop = place_loop(step, machine, tuple(step.by_name), formulas.CARRIED, ())
    leaves = place_exit(step, exit_, machine, loop, formulas.STATE)
    first = Allocator(setup.graph, setup.placed, count=WORDS)
    words = Allocator(step, loop.placed, loop.period, WORDS)
    last = Allocator(exit_, leaves, count=WORDS)
    words.homes |= {f"{name}'": HOMES[name] for name in formulas.STATE}
    for part in (first, last):
        known = (*part.graph.inputs, *part.placed)
        part.homes |= {name: HOMES[name] for name in known if name in HOMES}
    first.allocate(TEMPORARY)
    words.allocate(TEMPORARY)
    for word, cycle in words.tail().items():
        last.keep(word, 0, cycle)
    last.allocate(TEMPORARY)
    parts = (first, words, last)
    writers = write_words(NAMES, p.kinds, parts, loop.period, length_of(setup.placed) + 1, settled=1)
    writers[0].set(setup.begins[1] - 1, to_field=1)
    return finish(writers, parts, p.n)

# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 3 a zero, 4 to 11 scalars and results in pairs, 12 and 13 a and 3b, 16 to
43 the points that are added, four words for each of X, Y, Z, T, U, V and W so that two bits of an address choose the
point, the others values in between. From 64 on, operands in the registers that they came into.

`to_field` and `to_order` are set in the last cycle in which the modulus is the other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.dataflow import Graph
from .....engines.ladder.machine import Machine, Placed
from .....engines.ladder.phases import Phases, follow
from .....engines.ladder.placement import Placer, by_height, place_loop
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....engines.ladder.words import Allocator
from .....schedule import Schedule
from ..parameters import EcdsaParameters
from . import formulas

WORDS = 64
EXTERNAL = {name: WORDS + number for number, name in enumerate(formulas.GIVEN)}
"""Operands, behind the words; k is next to s and d next to r, so that one bit of the address tells them apart."""
PAIRED, ADDED = 4, 16
"""First words of the scalars, and of the points that are added."""
HOMES = (
    {name: number for number, name in enumerate(formulas.STATE)}
    | {"nil": len(formulas.STATE)}
    | {name: PAIRED + number for number, name in enumerate((*formulas.SCALARS[:-1], *formulas.AFFINE))}
    | {name: PAIRED + 8 + number for number, name in enumerate(formulas.COEFFICIENTS)}
    | {name: ADDED + number for number, name in enumerate(formulas.POINTS)}
)
TEMPORARY = [word for word in range(WORDS) if word not in HOMES.values()]
FLIPS = ("", "now", "before", "inv_sign", "verify", "sign")
ZEROS = ("", "ks_zero", "dr_zero", "on_curve", "equal", "rr_zero", "ss_zero")
ALWAYS, PUBLIC, SCALAR = 1, 2, 3
"""Operands that are compared with the modulus: those that always count, those of the public key, and scalars."""
RANGES = {
    **dict.fromkeys((*formulas.CURVE, *formulas.BASE), ALWAYS),
    **dict.fromkeys(formulas.PUBLIC, PUBLIC),
    **dict.fromkeys(formulas.NUMBERS, SCALAR),
}
NAMES = Names(EXTERNAL, HOMES, -1, FLIPS, ZEROS, RANGES, quads=True)


def make_plan(p: EcdsaParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine, step = machine_of(p, units), formulas.step()
    setup = follow("set-up", [(graph, _alone(graph, machine)) for graph in formulas.setup()])
    loop = place_loop(step, machine, tuple(step.by_name), formulas.CARRIED, ())
    first, last = formulas.exit_()
    leaves = place_exit(step, first, machine, loop, formulas.STATE)
    exit_ = follow("exit", [(first, leaves), (last, _alone(last, machine))])
    words = Allocator(step, loop.placed, loop.period, WORDS)
    words.homes |= {f"{name}'": HOMES[name] for name in formulas.STATE}
    words.allocate(TEMPORARY)
    parts = (_words_of(setup, {}), words, _words_of(exit_, words.tail()))
    writers = write_words(NAMES, p.kinds, parts, loop.period, length_of(setup.placed) + 1, settled=1)
    writers[0].set(setup.begins[1] - 1, to_field=1)
    writers[2].set(exit_.begins[1] - 1, to_order=1)
    return finish(writers, parts, p.n)


def _alone(graph: Graph, machine: Machine) -> Sequence[Placed]:
    return Placer(graph, machine).place_all(by_height(graph, machine))


def _words_of(phases: Phases, tail: Mapping[int, int]) -> Allocator:
    """Words of a part that runs once; `tail` has the last cycles in which words hold something of the last step."""
    found = Allocator(phases.graph, phases.placed, count=WORDS)
    known = chain(phases.graph.inputs, (one.name for one in phases.graph.operations))
    found.homes |= {name: HOMES[name] for name in known if name in HOMES}
    for word, last in tail.items():
        found.keep(word, 0, last)
    found.allocate(TEMPORARY)
    return found

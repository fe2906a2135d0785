# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, ladder step and exit, from the graphs placed in time.

Words, by number: 0 to 5 the state (XQ, XR, YQ, YR, G, M), 8 to 13 the state that the set-up has left, 6, 7, 14, 15
and those of the others that hold nothing for the rest. From 16 on, operands in the registers that they came into.

A bit of an address may be exchanged by a flag (`FLIPS`): bit 0, so that two words are one by a flag of the data, or
bit 3, where the state is that of the set-up. So no control word depends on a scalar or a point.

What a step does after its period is in the first words of the next one, and in the first of the exit. In the first step
there is no step before it, and what is marked `tail` does not count.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names, length_of, machine_of
from .....engines.ladder.placement import Placer, by_height
from .....engines.ladder.program import Program, finish, place_exit, write_words
from .....schedule import Schedule
from ..parameters import EcpmParameters
from . import formulas
from .homes import HOMES, PAIRS
from .ladder import scalar_steps
from .stored import stored_loop
from .words import words_of_exit, words_of_setup, words_of_step

EXTERNAL = {"x": 16, "y": 17, "a": 19, "b": 20, "r2": 21, formulas.BLIND: 22}
"""Operands; y is at 18 as well, so that it is one of a pair with x, and of one with a."""
Y_NEXT_TO_A = 18
FLIPS = ("", "now", "before", "x_zero", "mirror", "inv_sign", "direct", "negate")
"""Sources that exchange bit 0 of an address: none; the bit of this step or of the one before; a flag of the data."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "g0_zero", "h_zero", "g_zero", "on_curve", "blind_zero")
"""Flags that are set from the read port."""
POINT_RANGE, CURVE_RANGE = 1, 2
"""Operands that are compared with m: x or y, which do not count at infinity; another operand."""
NAMES = Names(
    EXTERNAL,
    HOMES,
    PAIRS[-1],
    FLIPS,
    ZEROS,
    {**dict.fromkeys(formulas.POINT, POINT_RANGE), **dict.fromkeys((*formulas.CURVE, formulas.BLIND), CURVE_RANGE)},
    {frozenset(("y", "a")): Y_NEXT_TO_A},
    fresh=True,
)


def make_plan(p: EcpmParameters, units: Mapping[str, Schedule]) -> Program:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine = machine_of(p, units)
    graphs = (formulas.setup(p.blinding), formulas.step(p.sums), formulas.exit_(p.sums))
    setup = Placer(graphs[0], machine).place_all(by_height(graphs[0], machine))
    loop = stored_loop(p, graphs[1], machine)
    placed_exit = place_exit(graphs[1], graphs[2], machine, loop, formulas.STATE)
    words = (words_of_setup(graphs[0], setup), words_of_step(graphs[1], loop))
    exit_words = words_of_exit(graphs[2], placed_exit, words[1].tail())
    # the scalar is reduced or lifted while the set-up runs
    scalar = scalar_steps(p.order_bits, p.lifts_scalar)
    setup_cycles = max(length_of(setup), len(scalar)) + 1
    writers = write_words(NAMES, p.kinds, (*words, exit_words), loop.period, setup_cycles)
    for cycle, step in enumerate(scalar):
        writers[0].set(cycle, reduce=step)
    writers[0].set(setup_cycles - 2, initial=1)
    return finish(writers, (*words, exit_words), p.order_bits)

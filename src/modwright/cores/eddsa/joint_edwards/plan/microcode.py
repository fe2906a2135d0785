# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 3 a zero, 4 the operand s and later x, 5 S, 6 a, 8 to 27 the points that
are added, four words for each of X, Y, Z, S and T so that two bits of an address choose the point, the others values
in between. From 64 on, operands in the registers that they came into.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names
from .....engines.ladder.joint.microcode import JointProgram
from .....engines.ladder.program import Program
from .....engines.ladder.words import Memory
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
MEMORY = Memory(HOMES, [word for word in range(WORDS) if word not in HOMES.values()], WORDS)
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
    program = JointProgram(NAMES, MEMORY, formulas.setup(), formulas.step(), (formulas.exit_(),), formulas.STATE)
    return program.place(p, units, p.n)

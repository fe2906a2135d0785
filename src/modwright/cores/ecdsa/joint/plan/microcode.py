# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, step and exit, from the graphs placed in time.

Words, by number: 0 to 2 the state (X, Y, Z), 3 a zero, 4 to 11 scalars and results in pairs, 12 and 13 a and 3b, 16 to
43 the points that are added, four words for each of X, Y, Z, T, U, V and W so that two bits of an address choose the
point, the others values in between. From 64 on, operands in the registers that they came into.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....engines.ladder.control import Names
from .....engines.ladder.joint.microcode import JointProgram
from .....engines.ladder.program import Program
from .....engines.ladder.words import Memory
from .....schedule import Schedule
from ..parameters import EcdsaParameters
from . import formulas

WORDS = 64
EXTERNAL = {name: WORDS + number for number, name in enumerate(formulas.GIVEN)}
"""Operands, behind the words; k is next to s and d next to r, so that one bit of the address distinguishes them."""
PAIRED, ADDED = 4, 16
"""First words of the scalars, and of the points that are added."""
HOMES = (
    {name: number for number, name in enumerate(formulas.STATE)}
    | {"nil": len(formulas.STATE)}
    | {name: PAIRED + number for number, name in enumerate((*formulas.SCALARS[:-1], *formulas.AFFINE))}
    | {name: PAIRED + 8 + number for number, name in enumerate(formulas.COEFFICIENTS)}
    | {name: ADDED + number for number, name in enumerate(formulas.POINTS)}
)
MEMORY = Memory(HOMES, [word for word in range(WORDS) if word not in HOMES.values()], WORDS)
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
    program = JointProgram(NAMES, MEMORY, formulas.setup(), formulas.step(), formulas.exit_(), formulas.STATE)
    return program.place(p, units, p.n)

# SPDX-License-Identifier: Apache-2.0
"""The formulas of a comb on an Edwards curve, as data-flow graphs: set-up, step, exit.

Those of Hisil, Wong, Carter and Dawson, "Twisted Edwards curves revisited", ASIACRYPT 2008, sections 3.1 with Z2 = 1
and 3.3, right for all points of a curve with a a square and d not one. All values are in the Montgomery domain.

The state is (X : Y : Z), and begins with the neutral point. A step doubles it and adds a point of the table, of which
it reads x, y, x + y and d·x·y.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph
from .....engines.ladder.formulas import EDWARDS_DOUBLING, EDWARDS_EXIT, EDWARDS_SUM_END
from .table import FIELDS

STATE = ("X", "Y", "Z")
"""Values that a step leaves to the next one, and to the exit."""
CONSTANTS = ("K", "unit")
"""a, and 1, in the Montgomery domain."""
CARRIED = {name: f"{name}'" for name in STATE}

SETUP = """
X0 = unit - unit
Y0 = X0 + unit
Z0 = X0 + unit
"""

STEP = f"""{EDWARDS_DOUBLING}
C    = T1 * TT
A    = X1 * TX
S2   = X1 + Y1
Q    = S2 * TS
B    = Y1 * TY
aA   = A * K
G2   = Z1 + C
F2   = Z1 - C
{EDWARDS_SUM_END}"""


def setup() -> Graph:
    """The neutral point."""
    return parse_graph("set-up", SETUP, CONSTANTS)


def step() -> Graph:
    """Q -> 2Q + T; names with ' are the state after it."""
    return parse_graph("step", STEP, (*STATE, *CONSTANTS, *FIELDS))


def exit_() -> Graph:
    """The affine point."""
    return parse_graph("exit", EDWARDS_EXIT, STATE, ("inv_sign",))

# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication on an Edwards curve, as data-flow graphs: set-up, step, exit.

Hisil, Wong, Carter and Dawson, "Twisted Edwards curves revisited", ASIACRYPT 2008: the sum of section 3.1 with Z2 = 1,
and the doubling of section 3.3. Both hold for all points of a curve with a a square and d not one. All values are in
the Montgomery domain but x, y, a, d, r2 = R² mod m, which come in, and what is multiplied by 1.

The state is (X : Y : Z), and begins with the neutral point. A step doubles it and adds P, or the neutral point where
the bit of the scalar is 0; of either it reads x, y, s = x + y and t = d·x·y.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph
from .....engines.ladder.formulas import EDWARDS_DOUBLING, EDWARDS_EXIT, EDWARDS_SUM_END, edwards_off

STATE = ("X", "Y", "Z")
"""Values that a step leaves to the next one, and to the exit."""
ADDED = (("NX", "PX"), ("NY", "PY"), ("NS", "PS"), ("NT", "PT"))
"""Pairs of values of which a step reads the second one for the bit 1."""
KEPT = (*(name for pair in ADDED for name in pair), "K")
"""Values that all steps read; K is a."""
POINT, CURVE = ("x", "y"), ("a", "d")
GIVEN = (*POINT, *CURVE, "r2")
"""Plain inputs."""
CARRIED = {name: f"{name}'" for name in STATE}

SETUP = f"""
below x as x_below
below y as y_below
below a as a_below
below d as d_below
one = 1
PX0 = x * r2
PY0 = y * r2
K0  = a * r2
d1  = d * r2
NY0 = one * r2
NX0 = NY0 - NY0
NS0 = NX0 + NY0
NT0 = NX0 + NX0
PS0 = PX0 + PY0
t   = PX0 * PY0
PT0 = t * d1
X0  = NX0 + NX0
Y0  = NX0 + NY0
Z0  = NX0 + NY0
{edwards_off("PX0", "PY0", "t", "PT0", "K0", "NY0")}"""

STEP = f"""{EDWARDS_DOUBLING}
C    = T1 * now?NT:PT
A    = X1 * now?NX:PX
S2   = X1 + Y1
Q    = S2 * now?NS:PS
B    = Y1 * now?NY:PY
aA   = A * K
G2   = Z1 + C
F2   = Z1 - C
{EDWARDS_SUM_END}"""


def setup() -> Graph:
    """Checks, the neutral point, and what all steps read."""
    return parse_graph("set-up", SETUP, GIVEN)


def step() -> Graph:
    """Q -> 2Q, or 2Q + P; names with ' are the state after it."""
    return parse_graph("step", STEP, (*STATE, *KEPT), ("now",))


def exit_() -> Graph:
    """The affine point."""
    return parse_graph("exit", EDWARDS_EXIT, STATE, ("inv_sign",))

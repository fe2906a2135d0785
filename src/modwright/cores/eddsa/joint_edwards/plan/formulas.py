# SPDX-License-Identifier: Apache-2.0
"""The formulas of EdDSA, as data-flow graphs: set-up modulo the order and modulo p, step, exit.

Hisil, Wong, Carter and Dawson, "Twisted Edwards curves revisited", ASIACRYPT 2008: the sum of section 3.1 and the
doubling of section 3.3, for all points of a curve with a a square and d not one. A point (X : Y : Z) that is added
comes with S = X + Y and T = d·X·Y/Z.

Every operation computes u1·B + u2·P, a bit of both scalars a step, and adds one of the four points (0, 1), B, P, B + P:

    combining   u1 = k                            u2 = h
    signing     u1 = S = k + h·key mod order      u2 = h, with -P in the place of P
    verifying   u1 = s                            u2 = h, with -P in the place of P

so that the last two find R of the signature. Modulo p values are in the Montgomery domain but the coordinates and
coefficients that come in, and those of the result; modulo the order S is plain.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph
from .....engines.ladder.formulas import EDWARDS_DOUBLING, EDWARDS_SUM_END, TO_AFFINE, edwards_off

STATE = ("X", "Y", "Z")
"""Values that a step leaves to the next one, and to the exit."""
COLUMNS = ("EX", "EY", "EZ", "ES", "ET")
"""X, Y, Z, S and T of the points that are added: (0, 1), B, P and B + P by their number."""
POINTS = tuple(f"{column}{number}" for column in COLUMNS for number in range(4))
NUMBERS = ("key", "k", "h", "s")
"""Plain inputs modulo the order, of any size."""
BASE, PUBLIC, CURVE = ("gx", "gy"), ("px", "py"), ("a", "d")
GIVEN = (*NUMBERS, "order_r2", *BASE, *PUBLIC, *CURVE, "ry", "r2")
"""Plain inputs."""

SETUP_ORDER = """
one_n = 1
nil  = one_n - one_n
hr   = h * order_r2
hk   = hr * key
kr   = k * order_r2
kn   = kr * one_n
S    = kn + hk
below s as s_below
sv   = s + nil
out k as k_out
out h as h_out
out sign?sv:S as s_out after k_out
"""

SETUP_FIELD = f"""
below a as a_below
below d as d_below
below gx as gx_below
below gy as gy_below
below px as px_below
below py as py_below
below ry as ry_below
one  = 1
EY0  = one * r2
EX1  = gx * r2
EY1  = gy * r2
pX   = px * r2
EY2  = py * r2
K    = a * r2
D    = d * r2
EX0  = nil + nil
ET0  = nil + nil
X    = nil + nil
EZ0  = EY0 + nil
ES0  = EY0 + nil
EZ1  = EY0 + nil
EZ2  = EY0 + nil
Y    = EY0 + nil
Z    = EY0 + nil
nX   = nil - pX
EX2  = checked?pX:nX + nil
ES1  = EX1 + EY1
ES2  = EX2 + EY2
t1   = EX1 * EY1
ET1  = t1 * D
t2   = EX2 * EY2
ET2  = t2 * D
{edwards_off("EX2", "EY2", "t2", "ET2", "K", "EY0")}
A    = EX1 * EX2
B    = EY1 * EY2
C    = t1 * ET2
Q    = ES1 * ES2
E1   = Q - A
E    = E1 - B
F    = EY0 - C
G    = EY0 + C
aA   = A * K
H    = B - aA
EX3  = E * F
EY3  = G * H
EZ3  = F * G
t3   = E * H
ET3  = t3 * D
ES3  = EX3 + EY3
"""

STEP = f"""{EDWARDS_DOUBLING}
C    = T1 * now?ET0:ET1:ET2:ET3
A    = X1 * now?EX0:EX1:EX2:EX3
S2   = X1 + Y1
Q    = S2 * now?ES0:ES1:ES2:ES3
B    = Y1 * now?EY0:EY1:EY2:EY3
D    = Z1 * now?EZ0:EZ1:EZ2:EZ3
aA   = A * K
G2   = D + C
F2   = D - C
{EDWARDS_SUM_END}"""

EXIT = f"""{TO_AFFINE}
diff = y - ry
zero diff as equal
out x as x_out
out sign?x:S as first_out
out y as second_out
"""


def setup() -> tuple[Graph, Graph]:
    """Scalars modulo the order; points modulo p. Names of the state are those of the first step."""
    order = parse_graph("set-up", SETUP_ORDER, (*NUMBERS, "order_r2"), ("sign",))
    given = (*BASE, *PUBLIC, *CURVE, "ry", "r2", "nil")
    return order, parse_graph("set-up", SETUP_FIELD, given, ("checked",))


def step() -> Graph:
    """Q -> 2Q and one of the four points; names with ' are the state after it."""
    return parse_graph("step", STEP, (*STATE, *POINTS, "K"), ("now",))


def exit_() -> Graph:
    """The affine point, and whether it is R of the signature."""
    return parse_graph("exit", EXIT, (*STATE, "nil", "ry", "S"), ("inv_sign", "sign"))

# SPDX-License-Identifier: Apache-2.0
"""The formulas of ECDSA, as data-flow graphs: set-up modulo the order and modulo p, step, exit modulo p and the order.

Sum and doubling are those of Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves",
EUROCRYPT 2016, Algorithms 1 and 3: right for all points of a curve without a point of order 2. They are written as sums
of two products, which a multiplier reduces once. A point (X : Y : Z) that is added comes with what is linear in it,

    T = 3X   U = a·Z   V = a·X + 3b·Z   W = 3b·X - a²·Z

so that its sum with (X1 : Y1 : Z1) is

    A = X1·Y + Y1·X        D = X1·U + Z1·V        P = Y1·Y + D        X3 = A·M - B·E
    B = Y1·Z + Z1·Y        E = X1·V + Z1·W        M = Y1·Y - D        Y3 = F·E + P·M
                           F = X1·T + Z1·U                            Z3 = B·P + A·F

Every operation, of any kind, computes u1·G + u2·Q, a bit of both scalars a step, and adds one of the four points
infinity, G, Q, G + Q. With inv the inverse of k, or of s when verifying,

    signing     u1 = k            u2 = 0            w1 = e·inv    w2 = d·inv    r = x mod order    s = w1 + r·w2
    verifying   u1 = w1 = e·inv   u2 = w2 = r·inv   and r = x mod order is compared

modulo the order. A key is made as the point of signing, with d in the place of k. Modulo p values are in the Montgomery
domain but the coordinates and coefficients that come in, and those of the result; modulo the order they are plain but
the inverse.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph
from .....engines.ladder.formulas import TO_AFFINE

STATE = ("X", "Y", "Z")
"""Values that a step leaves to the next one, and to the exit."""
COLUMNS = ("EX", "EY", "EZ", "ET", "EU", "EV", "EW")
"""X, Y, Z, T, U, V and W of the points that are added: infinity, G, Q and G + Q by their number."""
POINTS = tuple(f"{column}{number}" for column in COLUMNS for number in range(4))
COEFFICIENTS = ("K", "B")
"""a and 3b."""
SCALARS = ("kk", "w1", "zero", "w2", "nil")
"""Values of the set-up that stay: k and 0, next to what takes their place when verifying, and 0 for negatives."""
AFFINE = ("x", "rr", "y", "ss")
"""The affine point, next to the signature."""
NUMBERS = ("k", "s", "d", "r", "e")
"""Plain inputs modulo the order."""
BASE, PUBLIC, CURVE = ("gx", "gy"), ("qx", "qy"), ("a", "b")
GIVEN = (*NUMBERS, "order_r2", *BASE, *PUBLIC, *CURVE, "r2")
"""Plain inputs."""

SETUP_ORDER = """
one_n = 1
nil  = one_n - one_n
kd   = verify?k:s * order_r2
below verify?k:s as ks_below
below verify?d:r as dr_below
zero verify?k:s as ks_zero
zero verify?d:r as dr_zero
inv_n = inverse kd
neg_n = nil - inv_n
w1   = e * inv_sign?inv_n:neg_n
w2   = verify?d:r * inv_sign?inv_n:neg_n
kk   = k + nil
zero = nil + nil
out verify?kk:w1 as u1_out
out verify?zero:w2 as u2_out
"""

SETUP_FIELD = """
below a as a_below
below b as b_below
below gx as gx_below
below gy as gy_below
below qx as qx_below
below qy as qy_below
one  = 1
EY0  = one * r2
EX1  = gx * r2
EY1  = gy * r2
EX2  = qx * r2
EY2  = qy * r2
K    = a * r2
b1   = b * r2
b2   = b1 + b1
B    = b2 + b1
KK   = K ^ 2
nKK  = nil - KK
EX0  = nil + nil
EZ0  = nil + nil
ET0  = nil + nil
EU0  = nil + nil
EV0  = nil + nil
EW0  = nil + nil
X    = nil + nil
Y    = EY0 + nil
Z    = nil + nil
EZ1  = EY0 + nil
d1   = EX1 + EX1
ET1  = d1 + EX1
EU1  = K + nil
v1   = K * EX1
EV1  = v1 + B
q1   = B * EX1
EW1  = q1 - KK
EZ2  = EY0 + nil
d2   = EX2 + EX2
ET2  = d2 + EX2
EU2  = K + nil
v2   = K * EX2
EV2  = v2 + B
q2   = B * EX2
EW2  = q2 - KK
xx   = EX2 ^ 2
xa   = xx + K
xb   = xa * EX2
xc   = xb + b1
yy   = EY2 ^ 2
off  = yy - xc
zero off as on_curve
sA   = EX1 * EY2 + EY1 * EX2
A    = reduce sA
Bs   = EY1 + EY2
C    = EY1 * EY2
pD   = EX1 * K
D    = pD + EV2
sE   = EX1 * EV2
E    = sE + EW2
pF   = EX1 * ET2
F    = pF + K
P    = C + D
M    = C - D
nB   = nil - Bs
sX   = A * M + nB * E
EX3  = reduce sX
sY   = F * E + P * M
EY3  = reduce sY
sZ   = Bs * P + A * F
EZ3  = reduce sZ
d3   = EX3 + EX3
ET3  = d3 + EX3
EU3  = K * EZ3
sV   = K * EX3 + B * EZ3
EV3  = reduce sV
sW   = B * EX3 + nKK * EZ3
EW3  = reduce sW
"""

STEP = """
XX   = X ^ 2
ZZ   = Z ^ 2
XZ   = X * Z
aZZ  = K * ZZ
YY   = Y ^ 2
K2   = K + K
B2   = B + B
st   = K2 * XZ + B * ZZ
t    = reduce st
h    = XX - aZZ
sw   = K * h + B2 * XZ
w    = reduce sw
X2   = XX + XX
X3   = X2 + XX
n    = X3 + aZZ
Y2   = Y + Y
XY   = X * Y2
YZ   = Z * Y2
p1   = YY - t
p2   = YY + t
nYZ  = nil - YZ
sdX  = XY * p1 + nYZ * w
dX   = reduce sdX
sdY  = p2 * p1 + n * w
dY   = reduce sdY
Y4   = YY + YY
Y8   = Y4 + Y4
dZ   = Y8 * YZ
sA   = dX * now?EY0:EY1:EY2:EY3 + dY * now?EX0:EX1:EX2:EX3
A    = reduce sA
sB   = dY * now?EZ0:EZ1:EZ2:EZ3 + dZ * now?EY0:EY1:EY2:EY3
Bs   = reduce sB
C    = dY * now?EY0:EY1:EY2:EY3
sD   = dX * now?EU0:EU1:EU2:EU3 + dZ * now?EV0:EV1:EV2:EV3
D    = reduce sD
sE   = dX * now?EV0:EV1:EV2:EV3 + dZ * now?EW0:EW1:EW2:EW3
E    = reduce sE
sF   = dX * now?ET0:ET1:ET2:ET3 + dZ * now?EU0:EU1:EU2:EU3
F    = reduce sF
P    = C + D
M    = C - D
nB   = nil - Bs
sX   = A * M + nB * E
X'   = reduce sX
sY   = F * E + P * M
Y'   = reduce sY
sZ   = Bs * P + A * F
Z'   = reduce sZ
"""

EXIT_ORDER = """
xr   = x * order_r2         # x is below p, and need not be below the order
one_n = 1
rr   = xr * one_n
rd   = xr * w2
ss   = rd + w1
diff = rr - r
zero diff as equal
zero rr as rr_zero
zero ss as ss_zero
out sign?x:rr as first_out
out sign?y:ss as second_out
"""


def setup() -> tuple[Graph, Graph]:
    """Scalars modulo the order; points modulo p. Names of the state are those of the first step."""
    order = parse_graph("set-up", SETUP_ORDER, (*NUMBERS, "order_r2"), ("verify", "inv_sign"))
    return order, parse_graph("set-up", SETUP_FIELD, (*BASE, *PUBLIC, *CURVE, "r2", "nil"))


def step() -> Graph:
    """Q -> 2Q and one of the four points; names with ' are the state after it."""
    return parse_graph("step", STEP, (*STATE, *POINTS, *COEFFICIENTS, "nil"), ("now",))


def exit_() -> tuple[Graph, Graph]:
    """The affine point modulo p; r and s modulo the order."""
    field = parse_graph("exit", TO_AFFINE, (*STATE, "nil"), ("inv_sign",))
    return field, parse_graph("exit", EXIT_ORDER, ("x", "y", "r", "w1", "w2", "order_r2"), ("sign",))

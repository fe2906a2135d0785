# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication over a row multiplier, as data-flow graphs.

Those of `plan.formulas`, but for what follows from sums that are never reduced (`engines.row.parameters`): only
products are subtracted; whether a value is 0 modulo the modulus, a product of it with t says; the inverse is the
power with the exponent M - 2; and all values from x1 on are in the Montgomery domain. A value that is 0 in integers
comes from nowhere: every sum has 4·M~ in it.

    BEGIN   operands below M, whether they are 0, and M~ = mk·2^K - 1; without the lift of sums, which needs M~
    SETUP   the state (Q, R) = (P, 2P), and whether P is on the curve
    STEP    (Q, R) -> (Q + R, 2R)
    EXIT    den and num with num / den = 1 / (2Z), and what becomes x and y with it
    POWER   a digit of M - 2 from the right: S -> S², A -> A·S or A·1
    END     affine x and y, each times t; x leaves
    LAST    y leaves, when x is divided by t
"""

from __future__ import annotations

from ......engines.ladder.dataflow import Graph, parse_graph
from ..formulas import CHECKS, EXIT_PRODUCTS, STATE, STEP_END, STEP_MIDDLE, STEP_PRODUCTS, WITH_PRODUCTS

EXTERNAL: tuple[str, ...] = ("x", "y", "a", "b", "r2", "t", "mK", "m", "one")
"""Operands as they come into words; mK is mk·2^K."""

BEGIN = """
out m as take_m
tilde = mK - one
out tilde as load_tilde
"""

SETUP = """
tR  = t * r2
oneR = r2 * one
x1  = x * r2
y1  = y * r2
Y1  = y * r2                # once more, next to a1
a1  = a * r2
b1  = b * r2
x2  = x1 ^ 2
y2  = y1 ^ 2
u   = x2 + a1
v   = x1 * u
o   = y2 - v
off = o - b1                # y² - (x³ + a·x + b)
offt = t ** off
zero offt as on_curve
d2  = x2 + x2
d3  = d2 + x2
A   = d3 + a1               # 3x² + a
y22 = y1 + y1
B   = y22 ^ 2               # (2y)²
A2  = A ^ 2
c   = x1 * B
e1  = A2 - c
e2  = e1 - c
XR0 = e2 - c                # X of 2P, Z = 2y
YQ0 = B ^ 2
M0  = A + A
T   = M0 * XR0
G0  = XR0 ^ 2
YR0 = T + YQ0
XQ0 = c - c
XRt = t ** XR0
zero XRt as g0_zero
"""

H_ZERO = """
Ht  = t ** H
zero Ht as h_zero
"""

G_ZERO = """
Dt  = t ** D
zero Dt as g_zero after decide
"""

STEP = STEP_PRODUCTS + H_ZERO + STEP_MIDDLE + WITH_PRODUCTS + G_ZERO + STEP_END

EXIT_BEGIN = """
p   = M * XR
YP  = YR - p                # 2y_P·Z³
M2  = M ^ 2
ts  = XQ + XR
tp  = ts * oneR
n1  = M2 - tp
n2  = n1 - tp
n3  = n2 - tp
N1  = n3 - tp               # 12x_P·Z²
q2  = XQ + XQ
"""

EXIT_END = """
f   = mirror?XQ:XR + mirror?XQ:XR
f4  = f + f
g   = mirror?YQ:YR + mirror?YQ:YR
g4  = g + g
s2  = x_zero?x1:y1 + x_zero?x1:y1
s3  = s2 + x_zero?x1:y1
s6  = s3 + s3
s12 = s6 + s6
v2  = YP + YP
v3  = v2 + YP
N2  = v3 + v3               # 6YP
num = x_zero?Y1:a1 * x_zero?N1:N2
S0  = s12 * x_zero?YP:D2    # num / S0 = 1 / (2Z)
A0  = oneR * oneR
"""

EXIT = EXIT_BEGIN + EXIT_PRODUCTS + EXIT_END

POWER = """
S'  = S ^ 2
A'  = A * e_bit?oneR:S
"""

END = """
h   = num * A               # A is the inverse
hh  = h ^ 2
gh  = g4 * h
xf  = f4 * hh
xs  = xf + x1
xd  = x1 * oneR
ys  = gh * hh
yd  = y1 * oneR
yp  = direct?ys:yd * oneR
nil = yp - yp
ym  = nil - yp
xt  = direct?xs:xd * tR
yt  = negate?yp:ym * tR
zx  = xt * one              # t·x, or M~ for 0
zy  = yt * one
zero zx as x_none
zero zy as y_none
out zx as x_out after y_none
"""

LAST = """
out zy as y_out
"""

POWER_CARRIED = {"S": "S'", "A": "A'"}
KEPT = ("oneR", "t", "tR", "one", "x1", "y1", "Y1", "a1")
"""Values that stay in their words from the set-up on."""
ACROSS = ("num", "f4", "g4")
"""Values that stay from the exit to the end."""

GRAPHS: dict[str, Graph] = {
    "begin": parse_graph("begin", CHECKS + BEGIN, EXTERNAL),
    "set-up": parse_graph("set-up", SETUP, EXTERNAL),
    "step": parse_graph("step", STEP, (*STATE[:-1], "t")),
    "exit": parse_graph("exit", EXIT, (*STATE, *KEPT), ("mirror", "x_zero")),
    "power": parse_graph("power", POWER, ("S", "A", "oneR"), ("e_bit",)),
    "end": parse_graph("end", END, (*KEPT, *ACROSS, "A"), ("direct", "negate")),
    "last": parse_graph("last", LAST, ("zy",)),
}
"""In the order in which they are run; `step` and `power` are loops."""

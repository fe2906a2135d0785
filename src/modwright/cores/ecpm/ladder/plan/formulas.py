# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication, as data-flow graphs: set-up, ladder step, exit.

Hamburg, "Faster Montgomery and double-add ladders for short Weierstrass curves", TCHES 2020(4), in the form of Xie et
al. 2023, Algorithm 1, equations (3) and (4), with their misprints corrected (README.md next to this file). All values
are in the Montgomery domain but x, y, a, b, r2 = R² mod m, which come in, and what is multiplied by one of them or by
1.

The state is a pair of points Q, R = Q + P of the curve, with one Z for all coordinates, which is not kept:

    XQ = (x_Q - x_P)·Z²   XR = (x_R - x_P)·Z²   YQ = 2y_Q·Z³   YR = -2y_R·Z³   G = (XR - XQ)²

M = 2·slope·Z is that of the line through the points that the step has added.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph

STATE = ("XQ", "XR", "YQ", "YR", "G", "M")
"""Values that a step leaves to the next one, and to the exit."""
POINT, CURVE = ("x", "y"), ("a", "b")
GIVEN = (*POINT, *CURVE, "r2")
"""Plain inputs."""
BLIND = "blind"

CHECKS = """
below x as x_below
below y as y_below
below a as a_below
below b as b_below
zero x as x_zero
zero y as y_zero
zero a as a_zero
"""

OFF_CURVE = """y2  = y1 ^ 2
u   = x2 + a1
v   = x1 * u
o   = y2 - v
off = o - b1                # y² - (x³ + a·x + b)
"""
"""Difference of both sides of the equation, where sums are not reduced."""

SLOPE = """d2  = x2 + x2
d3  = d2 + x2
A   = d3 + a1               # 3x² + a
"""
"""Numerator of the slope at P."""

DOUBLED = """y22 = y1 + y1
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
"""
"""State of the set-up, P and 2P, where sums are not reduced."""

SETUP = """
y1  = y * r2
x1  = x * r2
a1  = a * r2
y2  = y1 ^ 2
x2  = x1 ^ 2
d2  = x2 + x2
d3  = d2 + x2
A   = d3 + a1               # 3x² + a
y22 = y2 + y2
B   = y22 + y22             # (2y)²
A2  = A ^ 2
c   = x1 * B
c2  = c + c
c3  = c2 + c
"""

STATE_0 = """
XR0 = A2 - c3               # X of 2P, Z = 2y
YQ0 = B ^ 2
M0  = A + A
T   = M0 * XR0
G0  = XR0 ^ 2
YR0 = T + YQ0
XQ0 = XR0 - XR0
zero XR0 as g0_zero
"""

BLINDED_STATE_0 = """
below blind as blind_below
zero blind as blind_zero
f2  = blind ^ 2
f3  = f2 * blind
X   = A2 - c3
XR0 = X * f2                # Z = 2y·blind
Y   = B ^ 2
YQ0 = Y * f3
A4  = A + A
M0  = A4 * blind
T   = M0 * XR0
G0  = XR0 ^ 2
YR0 = T + YQ0
XQ0 = XR0 - XR0
zero XR0 as g0_zero
"""

STEP_PRODUCTS = """
L   = YQ * YR
H   = YR ^ 2
"""

H_ZERO = """
zero H as h_zero
"""

STEP_MIDDLE = """
mark decide after h_zero
XQg = XQ * G
XRg = XR * G
J   = XRg - L
J2  = J + XRg
M'  = J2 - H
XQ' = H * L
K   = J ^ 2
"""

WITH_SUM = """
W   = XRg * J + XQg * H
XR' = reduce W
D   = W - XQ'
"""

WITH_PRODUCTS = """
Za  = XQg * H
Zb  = XRg * J
XR' = Za + Zb
D   = XR' - XQ'
"""

G_ZERO = """
zero D as g_zero after decide
"""

STEP_END = """
E   = D - K
YQ' = E * H
F   = M' * D
YR' = F + YQ'
G'  = D ^ 2
"""

EXIT_BEGIN = """
p   = M * XR
YP  = YR - p                # 2y_P·Z³
t   = XQ + XR
t2  = t + t
t4  = t2 + t2
M2  = M ^ 2
N1  = M2 - t4               # 12x_P·Z²
q2  = XQ + XQ
f   = mirror?XQ:XR + mirror?XQ:XR after t4   # the delays keep the words that hold something few
f4  = f + f
"""

EXIT_SUM = """
Wd  = q2 * XR + M * YP
D2  = reduce Wd             # 2a·Z⁴ where x_P = 0
"""

EXIT_PRODUCTS = """
Wa  = q2 * XR
Wb  = M * YP
D2  = Wa + Wb
"""

EXIT_END = """
s2  = x_zero?x:y + x_zero?x:y after f4
s3  = s2 + x_zero?x:y
s6  = s3 + s3
s12 = s6 + s6
e2  = YP + YP after f4
e3  = e2 + YP
N2  = e3 + e3
den = s12 * x_zero?YP:D2
num = x_zero?y:a * x_zero?N1:N2   # plain, as den: num / den = 1 / (2Z)
g   = mirror?YQ:YR + mirror?YQ:YR after f4
g4  = g + g
one = 1 after D2            # leads out of the Montgomery domain; not sooner, so that it takes no word
fp  = f4 * one
gp  = g4 * one
inv = inverse den
nil = one - one
neg = nil - inv
x1  = x * r2
x2  = x1 * x                # plain, as the rest of the check
u   = x2 + a
v   = x1 * u
w   = v + b
y1  = y * r2
y2  = y1 * y
off = y2 - w
zero off as on_curve
h   = num * inv_sign?inv:neg
hh  = h ^ 2
gh  = gp * h
xf  = fp * hh
xs  = xf + x
xd  = x + nil
ys  = gh * hh
yd  = y + nil
yp  = direct?ys:yd + nil
ym  = nil - yp
out direct?xs:xd as x_out after ym
out negate?yp:ym as y_out after xs
"""


CARRIED = {**{name: f"{name}'" for name in STATE[:-1]}, "decide": "g_zero"}
"""Values that a step reads, and those of the step before among them. The mark `decide` comes before the next G = 0 is
seen."""
EXCHANGED = (("XQ", "XR"), ("YQ", "YR"))
"""Values that a step for the bit 0 exchanges."""


def setup(blinding: bool) -> Graph:
    """Checks, and the state (Q, R) = (P, 2P)."""
    inputs = (*GIVEN, *([BLIND] if blinding else []))
    return parse_graph("set-up", CHECKS + SETUP + (BLINDED_STATE_0 if blinding else STATE_0), inputs)


def step(sums: bool) -> Graph:
    """(Q, R) -> (Q + R, 2R); names with ' are the state after it. `sums` says whether sums of two products are one."""
    products = WITH_SUM if sums else WITH_PRODUCTS
    text = STEP_PRODUCTS + H_ZERO + STEP_MIDDLE + products + G_ZERO + STEP_END
    return parse_graph("step", text, STATE[:-1])


def exit_(sums: bool) -> Graph:
    """Formulas from the state to the affine point Q, or to -R where `mirror` is set (YR has the sign of -R)."""
    text = EXIT_BEGIN + (EXIT_SUM if sums else EXIT_PRODUCTS) + EXIT_END
    inputs = ("XQ", "XR", "YQ", "YR", "M", *GIVEN)
    return parse_graph("exit", text, inputs, ("x_zero", "mirror", "inv_sign", "direct", "negate"))

# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication in residues, as sums of products that share a reduction.

Those of `plan.formulas`, with other values in the state. A sum costs no more than its products, so differences are
never made alone: D = XR - XQ, of which G = D² is the square, comes from four products, and XR = XQ + D is not made.
The state is XQ, D, YQ, YR, G in the frame of the step that has made it. A step that exchanges Q and R against that
frame (`turn`) takes XQ·G for XR·G and YQ for YR, which are next to each other. The exit works in the frame of the last
step, in which y_P comes out alike, and chooses its point with `own`.

Constants are integers: #k stands for k·A mod P, k in the Montgomery domain; #enter is A² mod P, #leave 1 and #lift A·P,
which adds P to what leaves.

    INPUT   the operands and 1, plain
    SETUP   the state (Q, R) = (P, 2P), and whether P is on the curve
    STEP    (Q, R) -> (Q + R, 2R)
    EXIT    den and num with num / den = 1 / (2Z), and what becomes x and y with it
    POWER   a digit of P - 2 from the right: S -> S², A -> A·S or A·1
    END     affine x and y, the first of which leaves
    LAST    y leaves
"""

from __future__ import annotations

from ......engines.rowers.program import Operation, parse

INPUT = """
px
py
pa
pb
unit
"""
"""The operands by their names, with a p in front; in the order of the field `operand`."""

SETUP = """
x1   = px * #enter
y1   = py * #enter
y3   = py * #enter         # next to a1
y4   = py * #enter         # next to z4
a1   = pa * #enter
b1   = pb * #enter
one  = unit * #enter
A    = unit * #enter
z    = unit * #0
z0   = unit * #0
z2   = unit * #0
z4   = unit * #0
u    = x1 * x1 + a1 * #1
off  = y1 * y1 - x1 * u - b1 * #1
s    = x1 * x1 + x1 * x1 + x1 * x1 + a1 * #1
yy   = y1 * #2
B    = yy * yy             # (2y)²
c    = x1 * B
D0   = s * s - c * #3      # X of 2P, Z = 2y
XQ0  = unit * #0
YQ0  = B * B
YR0  = s * D0 + s * D0 + B * B
G0   = D0 * D0
U0   = s * #1              # M is 2·U - L - H
V0   = s * #1
L0   = unit * #0
H0   = unit * #0
"""

STEP = """
U  = XQ * G
V  = XQ * G + D * G
L  = YQ * YR
H  = turn?YR:YQ * turn?YR:YQ
XQ = H * L
K  = turn?V:U * turn?V:U - turn?V:U * L - turn?V:U * L + L * L
D  = turn?V:U * turn?V:U - turn?V:U * L + turn?U:V * H - H * L
G  = D * D
YQ = D * H - K * H
YR = turn?V:U * D + turn?V:U * D - L * D - K * H
"""

EXIT = """
M    = turned?V:U * #2 - L * #1 - H * #1
XR   = XQ * #1 + D * #1
X2   = XQ * #2
YP   = YR * #1 - M * XR    # 2y_P·Z³
N1   = M * M - XQ * #8 - D * #4
D2   = X2 * XR + M * YP    # 2a·Z⁴ where x_P = 0
N2   = YP * #6
s12  = x_zero?x1:y1 * #12
num  = x_zero?y3:a1 * x_zero?N1:N2
f4   = XQ * #4 + own?z:D * #4
g4   = own?YQ:YR * #4
"""

FIRST_POWER = """
A = A * one
S = s12 * x_zero?YP:D2     # num / S = 1 / (2Z)
"""
"""Products that make A and S before the first round, each from one product as in a round."""

POWER = """
A = A * digit?one:S
S = S * S
"""

END = """
h  = num * A               # A is the inverse
hh = h * h
gh = g4 * h
xs = f4 * direct?hh:z2 + x1 * #1
yp = gh * direct?hh:z2 + direct?z4:y4 * #1
ym = - yp * #1
ox = xs * #leave + unit * #lift
"""

LAST = """
oy = negate?yp:ym * #leave + unit * #lift
"""

CONSTANTS = ("0", "1", "2", "3", "4", "6", "8", "12", "enter", "leave", "lift")
MOST = 4
"""Most products in a sum."""
COPIED = ("U", "V", "L", "H", "XQ", "D", "z", "G", "YQ", "YR")
"""Words that the set-up leaves with 0 behind their names, next to those that a step makes."""
TESTS = {"off": "on_curve", "G0": "g0_zero", "H": "h_zero", "G": "g_zero"}
"""Flags that say whether a number is 0 modulo P."""

GRAPHS: dict[str, tuple[Operation, ...]] = {
    "input": parse(INPUT),
    "set-up": parse(SETUP),
    "step": parse(STEP),
    "exit": parse(EXIT),
    "power": parse(POWER),
    "first power": parse(FIRST_POWER),
    "end": parse(END),
    "last": parse(LAST),
}
"""By the parts of the program; `step` and `power` are loops."""


def constants_of(modulus: int, factor: int) -> dict[str, int]:
    """The constants as integers, for a modulus P and the Montgomery factor A."""
    special = {"enter": factor * factor % modulus, "leave": 1, "lift": factor * modulus}
    return {name: special[name] if name in special else int(name) * factor % modulus for name in CONSTANTS}

# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication over a row multiplier, as data-flow graphs.

Those of `plan.formulas`, but for what follows from sums that are never reduced (`engines.row.parameters`): only
products are subtracted; whether a value is 0 modulo the modulus, a product of it with t says; the inverse comes from
divsteps on the lowest K bits of f and g (`engines.row.divsteps`); and all values from x1 on are in the Montgomery
domain. A value that is 0 in integers comes from nowhere: every sum has 4·M~ in it, but for those of the inverse.

    SETUP   operands below M, whether they are 0, and M~ = mk·2^K - 1, without the lift of sums, which needs M~; then
            the state (Q, R) = (P, 2P), and whether P is on the curve
    STEP    (Q, R) -> (Q + R, 2R)
    EXIT    den and num with num / den = 1 / (2Z), and what becomes x and y with it
    PREPARE f = M and g, the first multiple of 2^K in S, S + M, S + 2M, .. divided by 2^K; and whether M is 1 or 3
    BATCH   K divsteps: (f, g), in integers, and (d, e), modulo M~, times their matrix
    END     affine x and y, each times 2^K modulo M~
    LAST    their least remainders, which leave

The inverse. With y = S·2^-K modulo M, f is d·y/w and g is e·y/w modulo M, from f = M, d = 0, g = y, e = w on; where
g is 0, f is ±1 and d is ±w/y. S is den·R and w is R²·2^-K, so that d is ±R/den. f and g are in words as 2^K·f + 2^b
and 2^K·g + 2^b, b the top bit: a product with the lowest K bits of an entry leaves out K bits, which are 0, and what
2^b and the sign of the entry add to it is added in turn (`engines.row.divsteps`). Sums are modulo 2^(b+1). Those of
d and e have 8·M~ in them, and a product reduces them.

The least remainders. Of x·2^K modulo M~ = t·M, a product below (t + 1)·M, one digit of K bits is reduced modulo M as
Montgomery does: its lowest K bits times t = -M^-1 are the q for which 2^K divides x·2^K + q·M. What it leaves is x or
x + M, and the sign of a difference says which. In the same way g is made of S.
"""

from __future__ import annotations

from ......engines.ladder.dataflow import Graph, parse_graph
from ......engines.row.divsteps import MATRIX, SIGNS
from ..formulas import (
    DOUBLED,
    EXIT_PRODUCTS,
    OFF_CURVE,
    STATE,
    STEP_END,
    STEP_MIDDLE,
    STEP_PRODUCTS,
    WITH_PRODUCTS,
)

EXTERNAL: tuple[str, ...] = ("x", "y", "a", "b", "r2", "t", "mK", "m", "one")
"""Operands as they come into words; mK is mk·2^K."""
OFFERED = (*EXTERNAL, "shift")
"""The same, and 2^K."""
GIVEN = (*OFFERED, *MATRIX)
"""All that comes into words."""

SETUP = f"""
below x as x_below
below y as y_below after x_below
below a as a_below after y_below
below b as b_below after a_below
zero x as x_zero
zero y as y_zero
zero a as a_zero
tilde = mK - one
out tilde as load_tilde after b_below
oneR = r2 * one
x1  = x * r2
y1  = y * r2
a1  = a * r2
x2  = x1 ^ 2 after load_tilde   # whose sums are lifted
b1  = b * r2
{OFF_CURVE}offt = t ** off
zero offt as on_curve
d2  = x2 + x2
A   = d2 + u                # 3x² + a
{DOUBLED}XRt = t ** XR0
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
S   = s12 * x_zero?YP:D2    # num / S = 1 / (2Z)
"""

EXIT = EXIT_BEGIN + EXIT_PRODUCTS + EXIT_END

EXIT_COPY = """
nil = x1 - x1
Y1  = nil + y1              # y1 once more, next to a1
"""

PREPARE = """
mark reset_steps
m   = given
one = given
r2  = given
w   = one *~ r2
nu  = given after reset_steps   # 2^K - 1
Eq  = given after reset_steps   # 2^b
Mu  = nu *. m
MK  = Mu + m                # 2^K·M
f   = MK + Eq
Sq  = t *. S                # its lowest K bits: q
Sm  = Sq *. m
SE  = S + Eq
g   = SE + Sm               # 2^K·g, and 2^b
zf  = m - m
zg  = m - m
zd  = m - m
ze  = m - m
d   = m - m
M2  = tilde + tilde
M4  = M2 + M2
M8  = M4 + M4
two = one + one
m1  = m - one
m3  = m1 - two
zero m1 as m_one
zero m3 as m_three
"""

BATCH = """
take f as f_negative
take g as g_taken
run steps after g_taken
nu  = given after steps
nv  = given after steps
nq  = given after steps
nr  = given after steps
Eu  = given after steps
Ev  = given after steps
Eq  = given after steps
Er  = given after steps
uf  = nu *: f
vg  = nv *: g
fa  = neg_u?zf:f + neg_v?zg:g after nu
fb  = Eu + Ev
fc  = fa + fb
fd  = fc - uf
f'  = fd - vg
qf  = nq *: f
rg  = nr *: g
ga  = neg_q?zf:f + neg_r?zg:g after nu
gb  = Eq + Er
gc  = ga + gb
gd  = gc - qf
g'  = gd - rg
ud  = nu *~ d
ve  = nv *~ e
da  = neg_u?zd:d + neg_v?ze:e after nu
db  = da + M8
dc  = db - ud
dd  = dc - ve
d'  = dd * oneR
qd  = nq *~ d
re  = nr *~ e
ea  = neg_q?zd:d + neg_r?ze:e after nu
eb  = ea + M8
ec  = eb - qd
ed  = ec - re
e'  = ed * oneR
"""

END = """
take f as f_negative
out tilde as load_tilde after d
shift = given
nil = x1 - x1 after load_tilde
h   = num * d               # num / S, or its negative
hh  = h ^ 2
gh  = g4 * h after f_negative
xf  = f4 * hh
xd  = nil + x1
xs  = xf + x1 after xd
ys  = gh * hh
yd  = y1 * oneR
yp  = nil + direct?ys:yd
yn  = nil - direct?ys:yd
xw  = direct?xs:xd * shift
yw  = turned?yp:yn * shift after xs
"""


LAST = """
xq  = t *. xw               # its lowest K bits: q
yq  = t *. yw
xc  = xw - MK
yc  = yw - MK
xm  = xq *. m
ym  = yq *. m
xa  = xw + xm               # 2^K·x, or 2^K·(x + M)
xb  = xc + xm               # 2^K·M less
ya  = yw + ym
yb  = yc + ym
take xb as x_over
take yb as y_over
out x_over?xa:xb as x_out
out y_over?ya:yb as y_out
"""

STORED = ("m", "r2")
"""Operands with which the inverse begins."""
BATCH_CARRIED = {name: f"{name}'" for name in "fgde"}
ZEROED = {"f": "zf", "g": "zg", "d": "zd", "e": "ze"}
"""Values that hold 0, by those that they are read next to."""
KEPT = ("oneR", "t", "x1", "y1", "a1")
"""Values that stay in their words from the set-up on."""
ACROSS = ("num", "f4", "g4")
"""Values that stay from the exit to the end."""
MODULI = ("m", "MK")
"""Values that stay from the begin of the inverse to what leaves."""
COORDINATES = ("xw", "yw")
"""Values that stay from the end to what leaves."""

GRAPHS: dict[str, Graph] = {
    "set-up": parse_graph("set-up", SETUP, EXTERNAL),
    "step": parse_graph("step", STEP, (*STATE[:-1], "t")),
    "exit": parse_graph("exit", EXIT_COPY + EXIT, (*STATE, *KEPT), ("mirror", "x_zero")),
    "prepare": parse_graph("prepare", PREPARE, ("S", "tilde", "t")),
    "batch": parse_graph("batch", BATCH, (*"fgde", *ZEROED.values(), "M8", "oneR"), SIGNS),
    "end": parse_graph("end", END, (*KEPT, *ACROSS, "tilde", "f", "d"), ("direct", "turned")),
    "last": parse_graph("last", LAST, (*COORDINATES, *MODULI, "t")),
}
"""In the order in which they are run; `step` and `batch` are loops."""
PREPARE_OF_WORDS = parse_graph(
    "prepare",
    "\n".join(line for line in PREPARE.splitlines() if line not in [f"{name:3} = given" for name in STORED]),
    ("S", "tilde", "t", *STORED),
)
"""The same, where the registers of the operands may have another operation's by then: these are in words."""

# SPDX-License-Identifier: Apache-2.0
"""The formulas of point multiplication on limbs, as data-flow graphs.

Those of `plan.formulas`, but for what follows from values that are never reduced (`engines.word.parameters`): only
products are subtracted, a difference has 4m in it, and what is tested for 0 is a product: G in place of XR - XQ. All
values from x1 on are in the Montgomery domain. A value that is 0 in integers comes from nowhere but operands that are
0: XQ of the set-up is c - c + 4m.

    BEGIN   operands below m, m at least 5, whether operands are 0, and multiples of m
    SETUP   the state (Q, R) = (P, 2P), and whether P is on the curve
    STEP    (Q, R) -> (Q + R, 2R)
    EXIT    S and num with num / S = 1 / (2Z), and what becomes x and y with it
    PREPARE f = m and g = S / R, d = 0 and e = R³
    BATCH   K divsteps: (f, g), in integers, and (d, e), modulo m, times their matrix
    END     affine x and y, out of the domain and below m

The inverse. f is d·g_0/e_0 and g is e·g_0/e_0 modulo m, but that a batch halves d and e; where g is 0 after B batches,
f is 1 or -1, and f·d is 2^-B·R³·R/S. The factor 2^(B-1), and two products, make R²/S of 2·f·d. The inverse of 0 is
not 0, but where S is 0 it does not count. f and d are in three words each: `fi` is f, `fp` 2f + 2^(ws-1), `fn` -2f;
`di` is d, `dp` d + 2^(ws-1), `dn` -d (`engines.word.rows`). Nothing in it chooses an address.
"""

from __future__ import annotations

from ......engines.ladder.dataflow import Graph, parse_graph
from ..formulas import DOUBLED, OFF_CURVE, SLOPE, STATE, STEP_END, STEP_MIDDLE, STEP_PRODUCTS
from ..row.formulas import EXIT as ROW_EXIT

OPERANDS: tuple[str, ...] = ("m", "mu", "q", "x", "y", "a", "b", "r2")
EXTERNAL: tuple[str, ...] = (*OPERANDS, "one", "half", "scale")
"""Operands as they come into words, and behind them constants."""

BEGIN = """
m2    = m + m
m4    = m2 + m2
two   = one + one
four  = two + two
below four as m_wide
below x as x_below
below y as y_below
below a as a_below
below b as b_below
zero x as x_zero after m2
zero y as y_zero after m2
zero a as a_zero after m2
"""

SETUP = f"""
oneR = r2 * one
x1  = x * r2
y1  = y * r2
Y1  = y * r2                # once more, next to a1
a1  = a * r2
b1  = b * r2
x2  = x1 ^ 2
{OFF_CURVE}offR = off * oneR
zero offR as on_curve
{SLOPE}{DOUBLED}zero G0 as g0_zero
"""

H_ZERO = """
zero H as h_zero
"""

WITH_SUM = """
XR' = XRg * J + XQg * H
D   = XR' - XQ'
"""

G_ZERO = """
zero G' as g_zero after decide
"""

STEP = STEP_PRODUCTS + H_ZERO + STEP_MIDDLE + WITH_SUM + STEP_END + G_ZERO

EXIT = ROW_EXIT

PREPARE = """
mark reset_steps
zero = one -. one
ones = zero -. one
gi  = S * one               # S / R, below 2m
fi  = m + zero
fp  = m2 + half
fn  = zero -. m2
gg  = gi + gi
gp  = gg + half
gn  = zero -. gg
dp  = zero + half
dn  = zero + zero
e   = r2 ^ 2                # R³
ep  = e + half
en  = zero -. e
"""

BATCH = """
take fi as f_taken
take gi as g_taken after f_taken
run steps after g_taken
nu  = given after steps
nv  = given after steps
nq  = given after steps
nr  = given after steps
fi' = nu *: fp fn + nv *: gp gn
ff  = fi' + fi'
fp' = ff + half
fn' = zero -. ff
gi' = nq *: fp fn + nr *: gp gn
gg  = gi' + gi'
gp' = gg + half
gn' = zero -. gg
di' = nu *~ dp dn + nv *~ ep en
dp' = di' + half
dn' = zero -. di'
ei  = nq *~ dp dn + nr *~ ep en
ep' = ei + half
en' = zero -. ei
"""

END = """
up  = fi -. ones            # f is 1 or -1: f + 1 is 2 or 0
un  = one -. fi             # 1 - f
dm  = di + m4
nm  = m4 -. di
rs  = up * dm + un * nm     # 2fd / R
acc = rs * scale            # R² / S
h   = num * acc             # num / S
hh  = h ^ 2
gh  = g4 * h
xf  = f4 * hh
xs  = xf + x1
xd  = x1 * oneR
ys  = gh * hh
yd  = y1 * oneR
nil = xd - xd
yp  = nil + direct?ys:yd
ym  = nil - direct?ys:yd
xt  = direct?xs:xd * one
yt  = negate?yp:ym * one
below xt as x_less
below yt as y_less
dx  = reduce xt
dy  = reduce yt
out x_less?dx:xt as x_out after y_less
out y_less?dy:yt as y_out after y_less
"""

BATCH_CARRIED = {name: f"{name}'" for name in ("fi", "gi", "di", "fp", "fn", "gp", "gn", "dp", "dn", "ep", "en")}
KEPT = ("oneR", "one", "x1", "y1", "Y1", "a1")
"""Values that stay in their words from the set-up on."""
ACROSS = ("num", "f4", "g4")
"""Values that stay from the exit to the end."""
STEP_CARRIED = {**{name: f"{name}'" for name in STATE[:-1]}, "decide": "g_zero"}
"""Values that a step reads, and those of the step before among them; the mark `decide` comes before the next G = 0 is
seen."""

GRAPHS: dict[str, Graph] = {
    "begin": parse_graph("begin", BEGIN, EXTERNAL),
    "set-up": parse_graph("set-up", SETUP, EXTERNAL),
    "step": parse_graph("step", STEP, STATE[:-1]),
    "exit": parse_graph("exit", EXIT, (*STATE, *KEPT), ("mirror", "x_zero")),
    "prepare": parse_graph("prepare", PREPARE, ("S", "m", "m2", "one", "half", "r2")),
    "batch": parse_graph("batch", BATCH, (*BATCH_CARRIED, "half", "zero")),
    "end": parse_graph("end", END, (*KEPT, *ACROSS, "fi", "di", "m4", "ones", "scale"), ("direct", "negate")),
}
"""In the order in which they are run; `step` and `batch` are loops."""

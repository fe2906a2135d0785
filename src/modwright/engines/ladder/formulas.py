# SPDX-License-Identifier: Apache-2.0
"""Parts of formulas that several programs have, as text of a data-flow graph."""

from __future__ import annotations

TO_AFFINE = """
inv  = inverse Z
neg  = nil - inv
xm   = X * inv_sign?inv:neg
ym   = Y * inv_sign?inv:neg
one  = 1                    # leads out of the Montgomery domain
x    = xm * one
y    = ym * one
"""
"""From (X : Y : Z) to plain x and y."""

EDWARDS_DOUBLING = """
S1   = X + Y
XX   = X ^ 2
YY   = Y ^ 2
SS   = S1 ^ 2
aX   = XX * K
ZZ   = Z ^ 2
C2   = ZZ + ZZ
Ea   = SS - XX
E    = Ea - YY
G    = aX + YY
H    = aX - YY
F    = G - C2
T1   = E * H
X1   = E * F
Y1   = G * H
Z1   = F * G
"""
"""(X1 : Y1 : Z1) = 2(X : Y : Z) and T1 = X1·Y1/Z1, with K for a: Hisil, Wong, Carter and Dawson, "Twisted Edwards
curves revisited", ASIACRYPT 2008, section 3.3. Right for all points of a curve with a a square and d not one."""

EDWARDS_SUM_END = """
E1   = Q - A
E2   = E1 - B
H2   = B - aA
Z'   = F2 * G2
X'   = E2 * F2
Y'   = G2 * H2
"""
"""The sum of the same paper, section 3.1, from its products: A, B of both x, both y; aA; Q of both x + y; and with C of
d·x·y and D of both z, F2 = D - C and G2 = D + C."""

EDWARDS_EXIT = """
one = 1                     # leads out of the Montgomery domain
x1  = X * one
y1  = Y * one
inv = inverse Z
nil = one - one
neg = nil - inv
xr  = x1 * inv_sign?inv:neg
yr  = y1 * inv_sign?inv:neg
out xr as x_out
out yr as y_out
"""
"""From (X : Y : Z) to plain x and y, which leave."""


def edwards_off(x: str, y: str, t: str, dt: str, k: str, unit: str) -> str:
    """Compute `off`, 0 for a point on the curve: k·x² + y² - (1 + dt·t), with t = x·y, dt = d·t and k for a."""
    return f"""
xx   = {x} ^ 2
yy   = {y} ^ 2
ax   = {k} * xx
l    = ax + yy
dt   = {dt} * {t}
r    = dt + {unit}
off  = l - r
zero off as on_curve
"""

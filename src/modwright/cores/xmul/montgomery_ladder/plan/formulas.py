# SPDX-License-Identifier: Apache-2.0
"""The formulas of the ladder on x-coordinates, as data-flow graphs: set-up, step, exit.

RFC 7748, section 5 (Montgomery, Math. Comp. 48, 1987), with a24 = (A + 2) / 4 and BB in place of (A - 2) / 4 and AA.
All values are in the Montgomery domain but u, a24, r2 = R² mod m, which come in, and what is multiplied by 1.

The state is a pair of points Q, R = Q + P as (X2 : Z2), (X3 : Z3); U is x of P, and K is a24. It begins with the point
at infinity, (1 : 0), and P. u = 0 makes (0 : 0) of R, and (1 : 0) or (0 : 0) of Q: 1/0 is 0, and so is the result.
"""

from __future__ import annotations

from .....engines.ladder.dataflow import Graph, parse_graph

STATE = ("X2", "X3", "Z2", "Z3")
"""Values that a step leaves to the next one, and to the exit."""
KEPT = ("U", "K")
"""Values that all steps read."""
GIVEN = ("u", "a24", "r2")
"""Plain inputs; u is below 2^n."""
CARRIED = {name: f"{name}'" for name in STATE}
EXCHANGED = (("X2", "X3"), ("Z2", "Z3"))
"""Values that a step for the bit 1 exchanges."""

SETUP = """
below a24 as a24_below
one = 1
U0  = u * r2
K0  = a24 * r2
X20 = one * r2
Z20 = X20 - X20
X30 = U0 + Z20
Z30 = X20 + Z20
"""

STEP = """
A   = X2 + Z2
B   = X2 - Z2
C   = X3 + Z3
D   = X3 - Z3
DA  = D * A
CB  = C * B
AA  = A ^ 2
BB  = B ^ 2
E   = AA - BB
S   = DA + CB
T   = DA - CB
F   = E * K
TT  = T ^ 2
X3' = S ^ 2
X2' = AA * BB
G   = F + BB
Z3' = TT * U
Z2' = E * G
"""

EXIT = """
one = 1                     # leads out of the Montgomery domain
x   = X2 * one
inv = inverse Z2
nil = one - one
neg = nil - inv
z   = x * inv_sign?inv:neg
zero z as z_zero
out z as z_out after z_zero
"""


def setup() -> Graph:
    """The state (infinity, P), and what all steps read."""
    return parse_graph("set-up", SETUP, GIVEN)


def step() -> Graph:
    """(Q, R) -> (2Q, Q + R); names with ' are the state after it."""
    return parse_graph("step", STEP, (*STATE, *KEPT))


def exit_() -> Graph:
    """Formulas from Q to its plain x-coordinate."""
    return parse_graph("exit", EXIT, ("X2", "Z2"), ("inv_sign",))

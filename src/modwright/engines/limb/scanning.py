# SPDX-License-Identifier: Apache-2.0
"""The products of r64: s rounds of 2s + 1, and for each pair of a round an addition a cycle after the pair.

Xie et al. 2023, Algorithm 3. A round i adds x_i·y and q·m to z and drops its lowest limb:

    reg1 = x_i·y_0 + z_0;   q = reg1·q' mod 2^w;   c = floor((reg1 + q·m_0) / 2^w)
    for j = 1 .. s - 1:     reg1 = x_i·y_j + z_j;   reg2 = q·m_j + c;   (c, z_(j-1)) = reg1 + reg2

where the last sum of a round is (z_(s-1), z_(s-2)). There are two differences from the paper's table: round 1 reads z
as 0, since z still holds the previous result; and the lowest limb of reg1 + q·m_0, which is 0, is not written to z_0.
"""

from __future__ import annotations

from dataclasses import dataclass

from .operands import Factor, Limb
from .parameters import UnitParameters

REG1, QUOTIENT, CARRY, REG2 = 1, 2, 3, 4
"""Destination of a result of the multiply-accumulate: reg1; q, its lowest limb; c, the limbs above that; reg2."""


@dataclass(frozen=True)
class ScanSlot:
    """A product in its cycle, from 1.

    Parameters
    ----------
    name : str
        The result in symbols.
    cycle : int
    a, b : Factor
    forwarded : bool
        Whether factor a is the lowest limb of the result that leaves the multiply-accumulate in this cycle.
    target : int
        One of `REG1`, `QUOTIENT`, `CARRY`, `REG2`.
    addend : str
        Addend of the product, "", "reg1", "c" or "z", the limb `j` of z.
    j : int
        Limb of y or m.
    """

    name: str
    cycle: int
    a: Factor
    b: Factor
    target: int
    addend: str = ""
    forwarded: bool = False
    j: int = 0


def round_cycles(s: int) -> int:
    """Cycles from a round to the next. With two limbs, z_0 comes from the last sum of a round, and is valid a cycle
    later."""
    return 2 * s + 1 + (s == 2)


def scan(p: UnitParameters) -> tuple[ScanSlot, ...]:
    """Products of one operation, in order."""
    slots = []
    for i in range(p.s):
        slots += _round(p, i, 1 + i * round_cycles(p.s))
    return tuple(slots)


def _round(p: UnitParameters, i: int, start: int) -> list[ScanSlot]:
    quotient = Factor(Limb("t"))
    own = "z" if i else ""
    slots = []
    for j in range(p.s):
        cycle = start + (2 * j + 1 if j else 0)
        plus = f" + z_{j}" if i else ""
        slots.append(ScanSlot(f"x_{i}·y_{j}{plus}", cycle, Factor(Limb("x", i)), Factor(Limb("y", j)), REG1, own, j=j))
        if j == 0:
            slots += [
                ScanSlot(f"q_{i}", cycle + 1, quotient, Factor(Limb("q")), QUOTIENT, forwarded=True),
                ScanSlot(f"q_{i}·m_0 + reg1", cycle + 2, quotient, Factor(Limb("m")), CARRY, "reg1", True),
            ]
        else:
            slots.append(ScanSlot(f"q_{i}·m_{j} + c", cycle + 1, quotient, Factor(Limb("m", j)), REG2, "c", j=j))
    return slots

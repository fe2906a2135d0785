# SPDX-License-Identifier: Apache-2.0
"""Numbers inside inversion by divsteps: counters, f, g, d and e, corrections."""

from __future__ import annotations

from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....engines.inversion.edges import SAMPLE, UNITS, candidates, value_of
from ....schedule import Schedule
from .model import matrix
from .parameters import DivstepParameters


def extremes(p: DivstepParameters, schedule: Schedule) -> Extremes:
    """Extremes of the inverter by divsteps."""
    del schedule
    steps, half, largest = p.rounds * p.k, 1 << (p.k - 1), p.offset
    quantities = (
        Quantity("D", -steps, steps, "between two rounds; its register is for |D| <= divsteps"),
        Quantity("f/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P; |f| <= 2P"),
        Quantity("g/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P; |g| <= 2P"),
        Quantity("c", -half, half - 1, "multiples of P that make d and e divisible by 2^k"),
        Quantity("|u| + |v|", 1, 1 << p.k, "rows of the matrix of a round (Bernstein and Yang 2019, section 5)"),
        Quantity("d, e in P", -largest, largest - 1, "certificate `range-d`"),
    )

    def observe(operands: Operands) -> Values:
        return _rounds(p, value_of(p.base, operands["a"]))

    return Extremes(quantities, observe, lambda: candidates(p.base, p.modulus), SAMPLE)


def _rounds(p: DivstepParameters, a: int) -> Values:
    """The state after each round."""
    P, low, half = p.modulus, (1 << p.k) - 1, 1 << (p.k - 1)
    inverse = -pow(P, -1, 1 << p.k)
    found: dict[str, list[int]] = {name: [] for name in ("D", "f/P", "g/P", "c", "|u| + |v|", "d, e in P")}
    D, f, g, d, e = 0, P, a, 0, 1
    for _ in range(p.rounds):
        D, u, v, q, r = matrix(D, f & low, g & low, p.k)
        f, g = (u * f + v * g) >> p.k, (q * f + r * g) >> p.k
        sums = u * d + v * e, q * d + r * e
        c = [(x * inverse + half) % (2 * half) - half for x in sums]
        d, e = ((x + c_x * P) >> p.k for x, c_x in zip(sums, c, strict=True))
        found["D"].append(D)
        found["f/P"].append(f * UNITS // P)
        found["g/P"].append(g * UNITS // P)
        found["c"] += c
        found["|u| + |v|"] += [abs(u) + abs(v), abs(q) + abs(r)]
        found["d, e in P"] += [d // P, e // P]
    return found

# SPDX-License-Identifier: Apache-2.0
"""Products of one operation of the column units, and the longest chain of dependencies among them.

Both bound the cycles of an operation from below: with k multipliers it takes at least `products` / k cycles, and with
any number of them at least `chain` cycles.
"""

from __future__ import annotations

from .units import SQUARE, SUM, Unit


def products(unit: Unit, s: int, kind: str) -> int:
    """Number of products: the cycles of one multiplier when none is left free."""
    pairs, twice = s * (s - 1) // 2, 2 if kind == SUM else 1
    if unit.karatsuba:
        return twice * (s + pairs) + (s - 1 + (s - 1) * (s - 2) // 2) + (s - 1) + 1 + s
    of_operands = twice * s * s - (pairs if kind == SQUARE else 0)
    return of_operands + (s * (s - 1) + 1 + s if unit.folds else s * s + s)


def chain(unit: Unit, s: int, delay: int, kind: str) -> int:
    """Cycles from the first product to the last that dependencies alone need, d = `delay` cycles of a multiplier.

    The limb of a column is an operand d + 1 cycles after the product that completes the column. A quotient computed
    from it is an operand d cycles later, and one more with Karatsuba's method, which has a subtraction in front. The
    column above needs it. Karatsuba's squares follow each other: E, and then D of each product of operands. Above
    column s, which is the last that needs a quotient of the column below, each column takes a cycle.
    """
    limb = delay + 1
    if unit.karatsuba:
        squares = 2 if kind == SUM else 1
        return squares + (s - 1) * (limb + squares) + 2 * limb + (s - 2)
    quotient = limb + delay
    return 1 + (s - 1) * (limb if unit.folds else quotient) + quotient + (s - 2)


def most_multipliers(unit: Unit, s: int, delay: int) -> int:
    """Number of multipliers above which not even the kind with the most products for its chain has a smaller bound."""
    return max(-(-products(unit, s, kind) // chain(unit, s, delay, kind)) for kind in unit.kinds)

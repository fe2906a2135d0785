# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the lean multiplier: γ, the sum of the cox, the row of the table; and operands that reach their ends.

With s_i = γ_i/m_i, or 1 - γ_i/m_i in a negative channel, Σ s_i is the row of the table plus x·y/M, which is below 1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....rns.lattice import fixed, near
from .model import LeanModel
from .parameters import LeanParameters
from .schedule import make_schedule

DRAWN = 300
"""Random operands among the candidates: at small widths they reach most ends."""


def extremes(p: LeanParameters, limit: int) -> Extremes:
    """The quantities of one multiplier whose operands are below `limit`."""
    model = LeanModel(p, make_schedule(p))

    def observe(operands: Operands) -> Values:
        x, y = operands["x"], operands["y"]
        assert isinstance(x, tuple)
        assert isinstance(y, tuple)
        gammas = model.gammas(x, y)
        cox = model.cox(gammas)
        tops = {f"top of γ_{i}": (g >> (p.n - p.q),) for i, g in enumerate(gammas)}
        return {**tops, "cox": (cox,), "row of α": (cox >> p.q,)}

    return Extremes(_quantities(p, limit), observe, lambda: _candidates(p, limit))


def _quantities(p: LeanParameters, limit: int) -> tuple[Quantity, ...]:
    ones = (1 << p.q) - 1
    product = Fraction((limit - 1) ** 2, p.base.product)
    largest = p.N * ones + p.offset
    possible = min(largest, int((p.largest_index + product + p.alpha_errors[1]) * (1 << p.q)) + p.offset)
    tops = (Quantity(f"top of γ_{i}", 0, ones, f"{p.q} bits of any representative of n bits") for i in range(p.N))
    return (
        *tops,
        Quantity(
            "cox",
            p.offset,
            largest,
            "Σ of the tops, complemented in negative channels, and D",
            (p.offset, possible) if possible < largest else None,
            f"Σ s_i is a whole number, at most {p.largest_index}, plus x·y/M" if possible < largest else "",
        ),
        Quantity("row of α", 0, p.largest_index, "rows of the table of corrections"),
    )


# --- operands


def _candidates(p: LeanParameters, limit: int) -> Iterator[Case]:
    """0·0, once with γ_i = m_i where that makes s_i largest and once where least; s_i alike for each row, by
    lattices; γ_i largest, by the Chinese remainder theorem; random ones."""
    yield {"x": 0, "y": 0}
    one = p.roots if p.rooted else (1,) * p.N
    for negative in (False, True):
        zero = tuple(m if minus is negative else 0 for m, minus in zip(p.base.moduli, p.negative, strict=True))
        yield {PAYLOAD: {"x": zero, "y": one}}  # a fold keeps a multiple of m_i that is not 0 from becoming 0
    moduli = p.base.moduli
    x = next(x for x in range(limit - 1, 0, -1) if math.gcd(x, p.base.product) == 1)
    signed = (-i if minus else i for i, minus in zip(p.base.inverses, p.negative, strict=True))
    factors = [x * inverse % m for inverse, m in zip(signed, moduli, strict=True)]
    share = Fraction(x * limit, 2 * p.base.product * p.N)  # of x·y/M for a middling y
    for targets in _targets(p, share):
        if (y := near(factors, moduli, limit, targets)) is not None:
            yield {"x": x, "y": y}
    for goal in (0, -1):
        yield from ({"x": x, "y": y} for y in fixed(factors, moduli, limit, goal))
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(limit), "y": rng.randrange(limit)}


def _targets(p: LeanParameters, share: Fraction) -> Iterator[list[int]]:
    """γ vectors with Σ s_i = row + N·share: all s_i alike, and all just above the grid of the tops."""
    grid = 1 << p.q
    for row in range(p.largest_index + 1):
        yield _gammas(p, [Fraction(row, p.N) + share] * p.N)
        steps = [grid * row * (i + 1) // p.N - grid * row * i // p.N for i in range(p.N)]
        yield _gammas(p, [Fraction(step, grid) + share for step in steps])


def _gammas(p: LeanParameters, shares: list[Fraction]) -> list[int]:
    """Numerators γ_i of given fractions s_i."""
    found = []
    for share, m, minus in zip(shares, p.base.moduli, p.negative, strict=True):
        value = min(int(share * m), m - 1)
        found.append(m - 1 - value if minus else value)
    return found

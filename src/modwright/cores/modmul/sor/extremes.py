# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a sum-of-residues multiplication: γ, the sum of the cox, α, κ; and operands that reach their ends.

For operands below B, Σ γ_i/m_i = α + x·y/M with x·y ≤ (B-1)². So no operands make every γ_i largest: that would be a
product just below M, which the certificate excludes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....rns.lattice import fixed, near
from .parameters import SorParameters

DRAWN = 300
"""Random operands among the candidates: at small widths they reach most ends."""


def extremes(p: SorParameters, limit: int) -> Extremes:
    """The quantities of one multiplier whose operands are below `limit`."""
    return Extremes(_quantities(p, limit), partial(observe, p), lambda: _candidates(p, limit))


def observe(p: SorParameters, operands: Operands) -> Values:
    """The values of one product."""
    x, y = operands["x"], operands["y"]
    assert isinstance(x, tuple)
    assert isinstance(y, tuple)
    rows = zip(x, y, p.base.inverses, p.base.moduli, strict=True)
    gammas = [a * b * inverse % m for a, b, inverse, m in rows]
    cox = sum(g >> (p.n - p.q) for g in gammas) + p.offset
    total = sum(g * k for g, k in zip(gammas, p.kappa_weights, strict=True))
    shares = ((g << p.q) // m for g, m in zip(gammas, p.base.moduli, strict=True))
    return {
        **{f"γ_{i}": (g,) for i, g in enumerate(gammas)},
        "smallest γ_i/m_i": (min(shares),),
        "cox": (cox,),
        "α": (cox >> p.q,),
        "bits of ΣγK": (total.bit_length(),),
        "bits of κ": ((total >> p.T).bit_length(),),
    }


def _quantities(p: SorParameters, limit: int) -> tuple[Quantity, ...]:
    top = p.cox.largest_alpha + Fraction((limit - 1) ** 2, p.base.product)
    reason = f"Σ γ_i/m_i = α + x·y/M, at most {p.cox.largest_alpha} + (B-1)²/M"
    shares = int(top / p.N * (1 << p.q))
    most_cox = min(p.cox.largest_sum, int(top * (1 << p.q)) + p.offset)
    most_sum = largest_weighted(p.kappa_weights, p.base.moduli, top)
    kappa = (
        (p.kappa_sum.bit_length(), most_sum.bit_length()),
        (
            p.kappa_bound.bit_length(),
            (most_sum >> p.T).bit_length(),
        ),
    )
    return (
        *(Quantity(f"γ_{i}", 0, m - 1, f"canonical modulo m_{i}") for i, m in enumerate(p.base.moduli)),
        _narrowed("smallest γ_i/m_i", 0, (1 << p.q) - 1, shares, f"in 2^-{p.q}, of all channels", reason),
        _narrowed("cox", p.offset, p.cox.largest_sum, most_cox, f"Σ of the top {p.q} bits of the γ_i, and D", reason),
        Quantity("α", 0, p.cox.largest_alpha, "rows of the table of corrections"),
        _narrowed("bits of ΣγK", 0, *kappa[0], "the sum before κ's shift, every γ_i largest", reason),
        _narrowed("bits of κ", 0, *kappa[1], "ΣγK without its T lowest bits", reason),
    )


def _narrowed(name: str, least: int, most: int, possible: int, why: str, reason: str) -> Quantity:
    """A quantity whose maximum cannot be reached where `possible` is less."""
    if possible >= most:
        return Quantity(name, least, most, why)
    return Quantity(name, least, most, why, (least, possible), reason)


def shares_of_most(weights: Sequence[int], moduli: Sequence[int], top: Fraction) -> list[Fraction]:
    """γ_i/m_i that make Σ γ_i·weight_i largest where Σ γ_i/m_i ≤ top: the heaviest channels are filled first."""
    heaviest = sorted(range(len(moduli)), key=lambda i: weights[i] * moduli[i], reverse=True)
    found, rest = [Fraction(0)] * len(moduli), top
    for i in heaviest:
        found[i] = min(rest, Fraction(moduli[i] - 1, moduli[i]))
        rest -= found[i]
    return found


def largest_weighted(weights: Sequence[int], moduli: Sequence[int], top: Fraction) -> int:
    """Largest Σ γ_i·weight_i where Σ γ_i/m_i ≤ top."""
    shares = shares_of_most(weights, moduli, top)
    return int(sum((s * m * w for s, m, w in zip(shares, moduli, weights, strict=True)), Fraction(0)))


# --- operands


def _candidates(p: SorParameters, limit: int) -> Iterator[Case]:
    """0·0; γ vectors near targets, by lattices; each γ_i largest, by the Chinese remainder theorem; random ones."""
    yield {"x": 0, "y": 0}
    x = next(x for x in range(limit - 1, 0, -1) if math.gcd(x, p.base.product) == 1)
    factors = [x * inverse % m for inverse, m in zip(p.base.inverses, p.base.moduli, strict=True)]
    share = Fraction(x * limit, 2 * p.base.product * p.N)  # of x·y/M for a middling y
    for targets in _targets(p, share):
        if (y := near(factors, p.base.moduli, limit, targets)) is not None:
            yield {"x": x, "y": y}
    for goal in (0, -1):
        yield from ({"x": x, "y": y} for y in fixed(factors, p.base.moduli, limit, goal))
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(limit), "y": rng.randrange(limit)}


def _targets(p: SorParameters, share: Fraction) -> Iterator[list[int]]:
    """γ vectors with Σ γ_i/m_i = α + N·share: all alike, the largest ΣγK, and all just above the grid of the cox."""
    most, grid = p.cox.largest_alpha, 1 << p.q
    for alpha in range(1, most + 1):
        yield _gammas(p, [Fraction(alpha, p.N) + share] * p.N)
        steps = [grid * alpha * (i + 1) // p.N - grid * alpha * i // p.N for i in range(p.N)]
        yield _gammas(p, [Fraction(step, grid) + share for step in steps])
    yield _gammas(p, [s + share for s in shares_of_most(p.kappa_weights, p.base.moduli, Fraction(most))])


def _gammas(p: SorParameters, shares: Sequence[Fraction]) -> list[int]:
    """Numerators γ_i of given fractions γ_i/m_i."""
    return [min(int(share * m), m - 1) for share, m in zip(shares, p.base.moduli, strict=True)]

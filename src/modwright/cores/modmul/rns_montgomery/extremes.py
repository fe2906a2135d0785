# SPDX-License-Identifier: Apache-2.0
"""Numbers inside RNS Montgomery products: those of both extensions, and operands that reach their ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from ....contract import PayloadValue
from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Values
from ....engines.coxrower.extremes import DRAWN, quantities, values
from ....rns.lattice import fixed, near
from ....schedule import Schedule
from .codec import product_codec
from .parameters import MultiplierParameters

SAMPLE = 2000
"""Products of a run that are observed: each takes about as long as in the model, some milliseconds for long
rows."""


def multiplier_extremes(p: MultiplierParameters, schedule: Schedule) -> Extremes:
    """Extremes of a multiplier: of Q, and of S where it is extended."""
    del schedule
    first, second = p.reduction.first, p.reduction.second

    def observe(operands: Operands) -> Values:
        q, s = p.hats(operands)
        back = {} if p.exact else values("S", second, s, "B")
        return {**values("Q", first, q, "A"), **back}

    rows = quantities("Q", first, p.A.product - 1, "A")
    if not p.exact:
        rows += quantities("S", second, p.bound - 1, "B")
    return Extremes(rows, observe, lambda: _of_multiplier(p), SAMPLE)


# --- operands


def _of_multiplier(p: MultiplierParameters) -> Iterator[Case]:
    """The edges; 0 in its other representation; Q and S of hats that are all alike, by lattices; random ones."""
    codec = product_codec(p)
    for edge in codec.edges().values():
        yield codec.fit(edge)

    def stored(x: PayloadValue, y: PayloadValue) -> Case:
        zero = (0,) * (2 * p.n)
        rest = {name: zero for pair in p.pairs[1:] for name in pair}
        return {PAYLOAD: {"x": x, "y": y, **rest}}

    yield stored(p.base.moduli, codec.store(1))
    for x, y in (*_for_q(p), *_for_s(p)):
        yield stored(codec.store(x), codec.store(y))
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield codec.fit({"x": rng.randrange(p.modulus), "y": rng.randrange(p.modulus)})


def _for_q(p: MultiplierParameters) -> Iterator[tuple[int, int]]:
    """x, y with hats of Q = -x·y/P modulo A near their ends, and all alike in between."""
    A = p.A
    x = next(x for x in range(p.bound - 1, 0, -1) if all(x % a for a in A.moduli))
    units = zip(A.inverses, p.reduction.minus_inverse, A.moduli, strict=True)
    factors = [x * t * k % a for t, k, a in units]
    for h in range(p.n + 1):
        share = Fraction(h, p.n)
        y = near(factors, A.moduli, p.bound, [min(int(share * a), a - 1) for a in A.moduli])
        if y is not None:
            yield x, y


def _for_s(p: MultiplierParameters) -> Iterator[tuple[int, int]]:
    """x, 1 with S = x/A modulo P: hats of 0 and of m - 1, and hats all alike, for each h."""
    B, P = p.B, p.modulus
    share = Fraction(P, 2 * B.product * p.n)  # of a middling S/B
    for goal in (0, -1):
        yield from ((s * p.A.product % P, 1) for s in fixed(B.inverses, B.moduli, P, goal))
    for h in range(p.n + 1):
        targets = [min(int((Fraction(h, p.n) + share) * b), b - 1) for b in B.moduli]
        s = near(B.inverses, B.moduli, P, targets)
        if s is not None:
            yield s * p.A.product % P, 1

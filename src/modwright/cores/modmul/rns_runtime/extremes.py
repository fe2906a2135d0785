# SPDX-License-Identifier: Apache-2.0
"""Numbers inside products with a runtime modulus: those of both extensions, and operands that reach their ends."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from ....contract import PayloadValue
from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Values
from ....engines.coxrower.extremes import DRAWN, quantities, values
from ....rns.lattice import fixed, near
from ....schedule import Schedule
from .codec import runtime_codec
from .parameters import LIMIT, RuntimeParameters

SAMPLE = 2000
"""Products of a run that are observed: each takes about as long as the model's, some milliseconds where rows are
long."""


def runtime_extremes(p: RuntimeParameters, schedule: Schedule) -> Extremes:
    """Extremes of a multiplier: of Q, and of S."""
    del schedule

    def observe(operands: Operands) -> Values:
        m = operands["m"]
        assert isinstance(m, int)
        if m % 2 == 0 or m < p.modulus_role.least:
            return {}
        q, s = p.hats(operands)
        return {**values("Q", p.into_b, q, "A"), **values("S", p.into_a, s, "B")}

    rows = quantities("Q", p.into_b, p.A.product - 1, "A")
    rows += quantities("S", p.into_a, LIMIT * p.largest - 1, "B")
    return Extremes(rows, observe, lambda: _candidates(p), SAMPLE)


# --- operands


def _candidates(p: RuntimeParameters) -> Iterator[Case]:
    """For the example and for the largest modulus that has constants: 0 in its other representation; Q and S of hats
    that are all alike, by lattices; random operands."""
    codec, odd = runtime_codec(p), range(p.largest - 1, 0, -2)
    largest = next(m for m in odd if math.gcd(m, p.A.product) == 1)
    for m in dict.fromkeys((p.example or largest, largest)):
        constants = codec.constants(m)

        def stored(x: PayloadValue, y: PayloadValue, constants: dict[str, PayloadValue] = constants) -> Case:
            return {PAYLOAD: {"x": x, "y": y, **constants}}

        yield stored(p.base.moduli, codec.store(1))
        for x, y in (*_for_q(p, m), *_for_s(p, m)):
            yield stored(codec.store(x), codec.store(y))
        rng = random.Random(m)
        for _ in range(DRAWN):
            yield {"x": rng.randrange(m), "y": rng.randrange(m), "modulus": m}


def _for_q(p: RuntimeParameters, m: int) -> Iterator[tuple[int, int]]:
    """x, y with hats of Q = -x·y/P modulo A near their ends, and all alike in between."""
    A, bound = p.A, LIMIT * m
    x = next(x for x in range(bound - 1, 0, -1) if all(x % a for a in A.moduli))
    factors = [-x * t * pow(m, -1, a) % a for t, a in zip(A.inverses, A.moduli, strict=True)]
    for h in range(p.n + 1):
        share = Fraction(h, p.n)
        y = near(factors, A.moduli, bound, [min(int(share * a), a - 1) for a in A.moduli])
        if y is not None:
            yield x, y


def _for_s(p: RuntimeParameters, m: int) -> Iterator[tuple[int, int]]:
    """x, 1 with S = x/A modulo P: hats of 0 and of b - 1, and hats all alike, for each h."""
    B = p.B
    share = Fraction(m, 2 * B.product * p.n)  # of a middling S/B
    for goal in (0, -1):
        yield from ((s * p.A.product % m, 1) for s in fixed(B.inverses, B.moduli, m, goal))
    for h in range(p.n + 1):
        targets = [min(int((Fraction(h, p.n) + share) * b), b - 1) for b in B.moduli]
        s = near(B.inverses, B.moduli, m, targets)
        if s is not None:
            yield s * p.A.product % m, 1

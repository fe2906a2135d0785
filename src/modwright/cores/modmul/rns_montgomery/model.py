# SPDX-License-Identifier: Apache-2.0
"""Golden model: what the core outputs, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import MultiplierParameters


class MultiplierModel:
    """Algorithm 3, reordered: operands and result in both bases, as hats in B."""

    def __init__(self, p: MultiplierParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product, or sum of products."""
        p = self.p
        _, s = self.hats(operands)
        if p.exact:
            return Outcome({"z": p.conversion.apply(s), "error": 0}, self.schedule.latency)
        return Outcome({"z": (*p.engine.extend(1, s), *s), "error": 0}, self.schedule.latency)

    def hats(self, operands: Mapping[str, PayloadValue]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Residues of Q in A and of S in B, any representatives."""
        p = self.p
        engine, n = p.engine, p.n
        to_q, to_s = engine.factors
        sums = [0] * (2 * n)
        for first, second in p.pairs:
            x, y = operands[first], operands[second]
            assert isinstance(x, tuple)
            assert isinstance(y, tuple)
            sums = [total + a * b for total, a, b in zip(sums, x, y, strict=True)]
        in_a, in_b = engine.reduce(0, sums[:n]), engine.reduce(1, sums[n:])
        q = engine.reduce(0, [a * k for a, k in zip(in_a, to_q, strict=True)])
        return q, engine.extend(0, q, [b * k for b, k in zip(in_b, to_s, strict=True)])

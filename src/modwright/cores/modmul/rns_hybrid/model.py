# SPDX-License-Identifier: Apache-2.0
"""Golden model: outputs of the core, bit for bit, with the folds of the cox-rower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import BETA, HybridParameters

Row = tuple[int, ...]
"""A value for each channel of a base."""
Residues = tuple[tuple[int, ...], ...]
"""Residues in A, times 2^s, and in B."""


class HybridModel:
    """Golden model: products of polynomials in M, with residues in both bases."""

    def __init__(self, p: HybridParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        p = self.p
        d, engine = p.degree, p.engine
        sums, _, q = self.positions(operands)
        back = [engine.extend(1, q_k) for q_k in q]
        t = [self.carry(q_k) for q_k in q]
        z = []
        for k in range(d):
            one, two = (1 if k >= step else BETA for step in (1, 2))
            in_a = [
                self._times(sums[0][k], "α"),
                self._times(back[k - 1], f"p·{one}"),
                self._times([t[k - 2]] * p.n, f"t·{two} in A"),
                p.constants[f"e{k} in A"],
            ]
            in_b = [
                sums[1][k],
                self._times(q[k], "q"),
                self._times(q[k - 1], f"q'·{one}"),
                self._times([t[k - 1]] * p.n, f"tM·{one}"),
                self._times([t[k - 2]] * p.n, f"t·{two} in B"),
                p.constants[f"e{k} in B"],
            ]
            z.append(
                [
                    engine.reduce(base, [sum(c) for c in zip(*rows, strict=True)])
                    for base, rows in enumerate((in_a, in_b))
                ]
            )
        return Outcome(
            {
                "z_a": tuple(value >> p.spare for coefficient in z for value in coefficient[0]),
                "z_b": tuple(value for coefficient in z for value in coefficient[1]),
                "error": 0,
            },
            self.schedule.latency,
        )

    def positions(self, operands: Mapping[str, PayloadValue]) -> tuple[list[list[Row]], list[Row], list[Row]]:
        """The sums z_k in both bases, and of each position the hats of r in A and of q in B."""
        x, y = self._coefficients(operands, "x"), self._coefficients(operands, "y")
        d, engine = self.p.degree, self.p.engine
        sums = [[self._sum(x, y, k, base) for k in range(d)] for base in (0, 1)]
        hats = [engine.reduce(0, self._times(sums[0][k], "T")) for k in range(d)]
        return sums, hats, [engine.extend(0, hats[k], self._times(sums[1][k], "T/M")) for k in range(d)]

    def _coefficients(self, operands: Mapping[str, PayloadValue], name: str) -> list[Residues]:
        p = self.p
        in_a, in_b = operands[f"{name}_a"], operands[f"{name}_b"]
        assert isinstance(in_a, tuple)
        assert isinstance(in_b, tuple)
        cuts = [slice(k * p.n, (k + 1) * p.n) for k in range(p.degree)]
        return [(tuple(value << p.spare for value in in_a[cut]), in_b[cut]) for cut in cuts]

    def _sum(self, x: list[Residues], y: list[Residues], k: int, base: int) -> tuple[int, ...]:
        """z_k, reduced; products that have passed position d count twice."""
        d = self.p.degree
        sums = [0] * self.p.n
        for i in range(d):
            times = 1 if i <= k else BETA
            pairs = zip(x[i][base], y[(k - i) % d][base], strict=True)
            sums = [total + times * a * b for total, (a, b) in zip(sums, pairs, strict=True)]
        return self.p.engine.reduce(base, sums)

    def _times(self, values: Sequence[int], name: str) -> list[int]:
        return [value * constant for value, constant in zip(values, self.p.constants[name], strict=True)]

    def carry(self, q: Sequence[int]) -> int:
        """t, from the cox of the second extension."""
        second, g = self.p.engine.extensions[1], self.p.hybrid.headroom
        units = sum(second.tops(q)) - (second.estimate(q) << second.f)
        return max(0, units >> (second.f - g))

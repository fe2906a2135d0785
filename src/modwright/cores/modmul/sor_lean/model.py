# SPDX-License-Identifier: Apache-2.0
"""Golden model of the lean multiplier with its folds, so that a result is the same representative as in hardware."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import LeanParameters


class LeanModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: LeanParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        self._mask = (1 << p.n) - 1
        self._folds = [(p.base.u[j], len(p.rest_plan(j).folds)) for j in range(p.N)]
        self._weights = [tuple(p.stored(w, j) for w in p.weights) for j in range(p.N)]
        self._corrections = [tuple(p.stored(c, j) for c in p.corrections) for j in range(p.N)]

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; operands x and y are N stored residues each."""
        x, y = operands["x"], operands["y"]
        assert isinstance(x, tuple)
        assert isinstance(y, tuple)
        gammas = self.gammas(x, y)
        row = self.cox(gammas) >> self.p.q
        z = tuple(
            [
                self._reduce(j, sum([g * w for g, w in zip(gammas, weights, strict=True)]), corrections[row])
                for j, (weights, corrections) in enumerate(zip(self._weights, self._corrections, strict=True))
            ]
        )
        return Outcome({"z": z, "error": 0}, self.schedule.latency)

    def gammas(self, x: tuple[int, ...], y: tuple[int, ...]) -> list[int]:
        """Values γ_i = ±x·y·M_i^-1, in the channels' representatives."""
        if not self.p.rooted:
            x = tuple(
                self._reduce(j, a * inverse, 0)
                for j, (a, inverse) in enumerate(zip(x, self.p.base.inverses, strict=True))
            )
        return [self._reduce(j, a * b, 0) for j, (a, b) in enumerate(zip(x, y, strict=True))]

    def cox(self, gammas: list[int]) -> int:
        """The sum whose top bits are the row of the table of corrections."""
        p = self.p
        shift, ones = p.n - p.q, (1 << p.q) - 1
        tops = [g >> shift for g in gammas]
        return sum(ones - t if minus else t for t, minus in zip(tops, p.negative, strict=True)) + p.offset

    def _reduce(self, channel: int, value: int, correction: int) -> int:
        n, mask = self.p.n, self._mask
        u, folds = self._folds[channel]
        value = (value & mask) + (value >> n) * u + correction
        for _ in range(folds):
            value = (value & mask) + (value >> n) * u
        return value

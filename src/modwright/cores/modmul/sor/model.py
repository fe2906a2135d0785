# SPDX-License-Identifier: Apache-2.0
"""Golden model of sum-of-residues multiplication: Algorithm 2 of Mehrabi 2019 on residues."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....rns.bounds import estimate
from ....schedule import Schedule
from .parameters import SorParameters


class SorModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: SorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        base = p.base
        self._channels = tuple(zip(base.inverses, base.moduli, strict=True))
        self._scale = tuple(p.stored(1, channel) for channel in range(p.N))
        self._terms = tuple(zip(p.weights, p.kappa_weights, strict=True))

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; operands x and y are N residues each."""
        x, y = operands["x"], operands["y"]
        assert isinstance(x, tuple)
        assert isinstance(y, tuple)
        p = self.p
        xi = [(a * b % m) * inverse % m for a, b, (inverse, m) in zip(x, y, self._channels, strict=True)]
        alpha = estimate(p.n, p.q, p.offset, xi)
        total = kappa = 0
        for gamma, (weight, kappa_weight) in zip(xi, self._terms, strict=True):
            total += gamma * weight
            kappa += gamma * kappa_weight
        z = total + p.correction(alpha) - (kappa >> p.T) * p.modulus
        residues = [z * scale % m for scale, m in zip(self._scale, p.base.moduli, strict=True)]
        return Outcome({"z": tuple(residues), "error": 0}, self.schedule.latency)

# SPDX-License-Identifier: Apache-2.0
"""Inversion of constant latency in plain integers: rounds of divsteps, with d and e unreduced as in the rowers."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....engines.divsteps import matrix
from ....engines.inversion.parameters import NOT_INVERTIBLE
from ....schedule import Schedule
from .parameters import DivstepParameters


class DivstepModel:
    """Golden model."""

    def __init__(self, p: DivstepParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        self._minus_inverse = -pow(p.modulus, -1, 1 << p.k)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One inversion."""
        residues = operands["a"]
        assert isinstance(residues, tuple)
        z = self.invert(self.p.base.from_residues(residues))
        if z is None:
            return Outcome({"z": (0,) * self.p.n, "error": NOT_INVERTIBLE}, self.schedule.latency)
        return Outcome({"z": self.p.base.to_residues(z), "error": 0}, self.schedule.latency)

    def invert(self, a: int) -> int | None:
        """Result ±d + κP for an operand below 2P; None when it has no inverse."""
        p = self.p
        low = (1 << p.k) - 1
        D, f, g, d, e = 0, p.modulus, a, 0, 1
        for _ in range(p.rounds):
            D, u, v, q, r = matrix(D, f & low, g & low, p.k)
            f, g = (u * f + v * g) >> p.k, (q * f + r * g) >> p.k
            d, e = self._divided(u * d + v * e), self._divided(q * d + r * e)
        if f not in (1, -1):
            return None
        return f * d + p.offset * p.modulus

    def _divided(self, x: int) -> int:
        """Quotient (x + cP)/2^k with the centred c of k bits that makes it an integer."""
        half = 1 << (self.p.k - 1)
        c = (x * self._minus_inverse + half) % (2 * half) - half
        return (x + c * self.p.modulus) >> self.p.k

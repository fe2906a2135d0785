# SPDX-License-Identifier: Apache-2.0
"""Conversion between plain values and residues where the operand is blinded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from random import Random

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.drawing import draw_residues
from ....contract.operands import Reading, Residues, residues_of
from .parameters import PassParameters


class BlindedCodec(FieldCodec):
    """Codec that multiplies the operand by an r derived from it, so that a case is always encoded alike.

    In use, a new r is drawn for every operand, and r·a is the one multiplication that blinding costs.
    """

    def __init__(self, p: PassParameters) -> None:
        super().__init__(p)
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of r·a mod P and of r."""
        super().encode(case)  # refuses what is not below 2P
        r = self._unit(Random(case["a"]))
        return {"a": self.p.base.to_residues(r * case["a"] % self.p.modulus), "r": self.p.base.to_residues(r)}

    def _unit(self, rng: Random) -> int:
        """A random r that has an inverse."""
        P = self.p.modulus
        return next(r for r in iter(lambda: rng.randrange(1, P), 0) if gcd(r, P) == 1)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """An integer below 2P times r^-1, where r is at most P and has an inverse."""
        P, found, r = self.p.modulus, super().read(payload), self.restore(payload["r"])
        if found is None or not 0 < r <= P or gcd(r, P) > 1:
            return None
        return found if found.error else Reading({"a": found.case["a"] * pow(r, -1, P) % P})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any integer below 2P as r·a, and any r."""
        r = rng.choice((1, self.p.modulus - 1, self._unit(rng), self._unit(rng)))
        ones = [1] * self.p.base.count
        return super().draw(rng, case) | {"r": draw_residues(rng, self.p.base, r, r, r + 1, ones)}

    def residues(self) -> list[Residues]:
        """The operand and r, where r may lack an inverse."""
        return [*super().residues(), residues_of("r", self.p.base.moduli, self.p.modulus + 1, least=1)]

    def feedback(self) -> Sequence[tuple[str, str]]:
        """No feedback, as every operand needs its own r."""
        return []

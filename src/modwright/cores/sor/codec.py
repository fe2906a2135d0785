# SPDX-License-Identifier: Apache-2.0
"""Between integers and residue vectors: plain values in, the reduced product out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from ...contract import PayloadValue
from .parameters import SorParameters


class SorCodec:
    """Operands below the bound to residues; a result to its class modulo p."""

    def __init__(self, p: SorParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of x and y; ValueError when one is not below the bound."""
        for name in "xy":
            if not 0 <= case[name] < self.p.bound:
                raise ValueError(f"{name} = {case[name]:#x} is not below {self.p.bound:#x}")
        return {name: self.p.base.to_residues(case[name]) for name in "xy"}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The product modulo p; `representative` is the integer that the residues stand for."""
        residues = payload["z"]
        assert isinstance(residues, tuple)
        z = self.p.base.from_residues(residues)
        error = None if z < self.p.bound else "bound"
        return {"z": z % self.p.modulus, "representative": z, "error": error}

    def edges(self) -> dict[str, dict[str, int]]:
        """The must-test values: identities, extremes, every γ_i largest, x·y just below what α allows."""
        p = self.p.modulus
        top = self.p.bound - 1
        inverse = pow(3, -1, p) if p % 3 else pow(2, -1, p)
        cases = {
            "0·0": (0, 0),
            "0·(p-1)": (0, p - 1),
            "1·1": (1, 1),
            "1·(p-1)": (1, p - 1),
            "(p-1)·(p-1)": (p - 1, p - 1),
            "x·x^-1": (3 if p % 3 else 2, inverse),
            "p·p": (p % (top + 1), p % (top + 1)),
            "largest operands": (top, top),
            "largest times one": (top, 1),
        }
        cases |= self._extreme_gamma()
        return {name: {"x": x, "y": y} for name, (x, y) in cases.items()}

    def _extreme_gamma(self) -> dict[str, tuple[int, int]]:
        """Products close to a Z with every γ_i = m_i - 1 (Z ≡ -Σ M_i mod M), and near M's fractions."""
        base, top = self.p.base, self.p.bound - 1
        largest = -sum(base.cofactors) % base.product
        targets = {"every γ largest": largest} | {
            f"Z near {k}/8 of the range": (top * top * k) // 8 for k in range(1, 8)
        }
        chooser = random.Random(self.p.modulus)
        cases = {}
        for name, target in targets.items():
            x = chooser.randrange(max(1, top // 2), top + 1)
            cases[name] = (x, min(target // x, top))
        return cases

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x, uncorrected."""
        return [("z", "x")]

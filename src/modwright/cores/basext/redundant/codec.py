# SPDX-License-Identifier: Apache-2.0
"""Codec and edge cases of extensions by a redundant residue."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from ....contract.roles import Errors
from .parameters import RedundantParameters


class RedundantCodec(FieldCodec):
    """Codec of a base extension: an integer in A and modulo 2^w, and the same in B."""

    def __init__(self, p: RedundantParameters) -> None:
        super().__init__(p, lambda _: redundant_edges(p))
        self.p = p

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """X, which may be above the modulus of the request."""
        residues = payload["z"]
        assert isinstance(residues, tuple)
        z = self.p.B.from_residues(residues)
        return {"z": z, "representative": z, "error": None if z < self.p.limit else Errors.BOUND}


def redundant_edges(p: RedundantParameters) -> dict[str, dict[str, int]]:
    """Multiples of the cofactors, the largest hats, and eighths of the range."""
    product = p.A.product
    cases = {f"{k}/8 of the range": p.limit * k // 8 for k in range(1, 8)}
    cases["every hat largest"] = -sum(p.A.cofactors) % product
    cases |= {f"A/a_{k}": cofactor for k, cofactor in enumerate(p.A.cofactors)}
    return {name: {"x": x} for name, x in cases.items() if x < p.limit}

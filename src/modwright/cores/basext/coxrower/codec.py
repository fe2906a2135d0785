# SPDX-License-Identifier: Apache-2.0
"""Edge cases of extensions, and results of an extension that may be X + A."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import PayloadValue
from ....contract.codec import FieldCodec
from .parameters import ExtensionParameters


class ExtensionCodec(FieldCodec):
    """Codec of a base extension: an integer in A, and the same in B or the next one modulo A."""

    def __init__(self, p: ExtensionParameters) -> None:
        super().__init__(p, lambda _: extension_edges(p))
        self.p = p

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """X; `representative` is the integer in B, which may be X + A."""
        residues, p = payload["z"], self.p
        assert isinstance(residues, tuple)
        found = p.B.from_residues(residues)
        if not p.exact:
            z = found if found < p.modulus else (found - p.A.product) % p.B.product
            return {"z": z, "representative": z if z == found else z + p.A.product, "error": None}
        z = found if found < p.limit else found - p.B.product
        return {"z": z, "representative": z, "error": None}


def extension_edges(p: ExtensionParameters) -> dict[str, dict[str, int]]:
    """Multiples of the super-moduli's cofactors, the largest hats, E·A, and eighths of the range."""
    product = p.A.product
    at = int(p.extension.error * product)
    cases = {f"E·A{d:+}": at + d for d in (-1, 0, 1)}
    cases |= {f"{k}/8 of the range": p.limit * k // 8 for k in range(1, 8)}
    cases["every hat largest"] = -sum(p.A.cofactors) % product
    cases |= {f"A/a_{k}": cofactor for k, cofactor in enumerate(p.A.cofactors)}
    return {name: {"x": x} for name, x in cases.items() if p.least <= x < p.limit}

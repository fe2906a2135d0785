# SPDX-License-Identifier: Apache-2.0
"""Edge cases of products."""

from __future__ import annotations

from ....contract.codec import FieldCodec
from .parameters import MultiplierParameters


def product_codec(p: MultiplierParameters) -> FieldCodec:
    """Codec of RNS Montgomery multiplication, with cases that make Q small, so that its extension gives Q + A."""
    factor = p.A.product % p.modulus

    def edges(m: int) -> dict[str, dict[str, int]]:
        small = {f"x·y·A = {k}": {"x": k * pow(factor, -2, m) % m, "y": 1} for k in (1, 2)}
        one = pow(factor, -1, m)
        return small | {f"Q = {k}": {"x": -k * one % m, "y": one} for k in (1, 2, 3)}

    return FieldCodec(p, edges)

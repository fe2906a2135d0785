# SPDX-License-Identifier: Apache-2.0
"""Edge cases of products with a runtime modulus."""

from __future__ import annotations

from ....contract.codec import FieldCodec
from .parameters import RuntimeParameters


def runtime_codec(p: RuntimeParameters) -> FieldCodec:
    """Codec of RNS Montgomery multiplication, with cases that make Q small, so that its extension gives Q + A."""

    def edges(m: int) -> dict[str, dict[str, int]]:
        one = pow(p.A.product, -1, m)
        small = {f"x·y·A = {k}": {"x": k * one * one % m, "y": 1} for k in (1, 2)}
        return small | {f"Q = {k}": {"x": -k * one % m, "y": one} for k in (1, 2, 3)}

    return FieldCodec(p, edges, p.example)

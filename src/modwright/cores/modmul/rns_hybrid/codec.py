# SPDX-License-Identifier: Apache-2.0
"""Edge cases of hybrid products, next to those that follow from the roles of the fields."""

from __future__ import annotations

from ....contract.polynomial import PolynomialCodec
from .parameters import HybridParameters


def hybrid_codec(p: HybridParameters) -> PolynomialCodec:
    """Codec of a hybrid multiplication, with an edge case whose product is 1.

    M + 1 has an inverse, as M^d - 2 is -1 modulo M + 1.
    """
    near = p.hybrid.radix + 1
    return PolynomialCodec(p, {"x·x^-1": {"x": near, "y": pow(near, -1, p.modulus)}})

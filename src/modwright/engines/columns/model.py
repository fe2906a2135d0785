# SPDX-License-Identifier: Apache-2.0
"""Reduction of a product by its columns, in integers."""

from __future__ import annotations

from .parameters import ColumnParameters


def reduced(p: ColumnParameters, total: int, m: int, mu: int, q: int) -> int:
    """Result of the columns of a product, or of a sum of products, before it is cut to its limbs.

    Like the hardware, this takes the limb that the quotient removes, with q·m_0, for the next multiple of 2^w above
    q·m_0, so that the result equals the hardware's for any q and mu.
    """
    w, mask = p.w, (1 << p.w) - 1
    for _ in range(p.s - 1):
        total = (total >> w) + (total & mask) * mu
    quotient = (total & mask) * q & mask
    return (total >> w) + (mask + quotient * (m & mask) >> w) + quotient * (m >> w)

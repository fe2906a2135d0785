# SPDX-License-Identifier: Apache-2.0
"""Numbers that the rowers of this engine have, and the error of an operand without an inverse."""

from __future__ import annotations

from dataclasses import dataclass

from ...rns import Base

NOT_INVERTIBLE = 1
"""Error code: the operand is 0 modulo P, or has a factor in common with it."""


@dataclass(frozen=True, kw_only=True)
class RowerParameters:
    """Parameters of rowers and cox, to be derived from.

    Parameters
    ----------
    base : Base
        The moduli m_i; M is their product.
    top_bits : int
        t, bits of a hat that the cox adds.
    target : str
        What the multiplier blocks are written for.
    latency : int
        L, cycles of a multiply-accumulate, from operands to the readable sum; at least 2, and 3 where rowers are local.
    local : bool
        Whether rowers have copies of the control fields and coefficients next to them, a register in front of the
        multiplier block, and one within the last fold; then a multiply-accumulate takes L + 1 cycles, a reduction
        F + 1.
    """

    base: Base
    top_bits: int
    target: str
    latency: int
    local: bool = False

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.base.width

    @property
    def n(self) -> int:
        """Moduli."""
        return self.base.count

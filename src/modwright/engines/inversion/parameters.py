# SPDX-License-Identifier: Apache-2.0
"""Common parameters of inverters on the rowers of this engine."""

from __future__ import annotations

from dataclasses import dataclass

from ...rns import Base

NOT_INVERTIBLE = 1
"""Error code: the operand is 0 modulo P, or has a factor in common with it."""


@dataclass(frozen=True, kw_only=True)
class InverterParameters:
    """Parameters of an inverter, to be derived from.

    Parameters
    ----------
    base : Base
        The moduli.
    top_bits : int
        Bits of a hat that the cox adds.
    target : str
        Device family of the multiplier blocks.
    latency : int
        Cycles of a multiply-accumulate, L.
    local : bool
        Whether rowers have copies of common signals; then a multiply-accumulate takes L + 1 cycles, a reduction F + 1.
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
        """Number of moduli, n."""
        return self.base.count

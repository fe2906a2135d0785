# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from ...contract import PayloadValue
from ..runtime_modulus import MontgomeryCodec
from .parameters import OrupParameters


class OrupCodec(MontgomeryCodec):
    """`m` is 2^-K mod M; M goes in and comes out as `modulus`."""

    def __init__(self, p: OrupParameters) -> None:
        super().__init__(p, "modulus")
        self.p = p

    def constants(self, m: int) -> dict[str, PayloadValue]:
        """2^-K mod M, and M."""
        return {"m": pow(1 << self.p.K, -1, m), "modulus": m}

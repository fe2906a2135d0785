# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ....contract.operands import draw
from ....contract.runtime_modulus import MontgomeryCodec
from .parameters.ahead import OrupParameters


class OrupCodec(MontgomeryCodec):
    """`m` is 2^-K mod M; M goes in and comes out as `modulus`."""

    def __init__(self, p: OrupParameters) -> None:
        super().__init__(p, "modulus", checked="modulus")
        self.p = p

    def constants(self, m: int) -> dict[str, int]:
        """2^-K mod M, and M."""
        return {"m": pow(1 << self.p.K, -1, m), "modulus": m}

    def limit(self, fields: Mapping[str, int]) -> int:
        """2^(K+1)·m, whatever M is."""
        return fields["m"] << (self.p.K + 1)

    def result_limit(self, fields: Mapping[str, int]) -> int:
        """That of the operands."""
        return self.limit(fields)

    def bad(self, fields: Mapping[str, int]) -> bool:
        """m is checked too: it is not 0."""
        return super().bad(fields) or fields["m"] == 0

    def repeated(self, fields: Mapping[str, int]) -> dict[str, int]:
        """Both m and M."""
        return {name: fields[name] for name in ("m", "modulus")}

    def draw_bad(self, rng: Random) -> dict[str, int]:
        """A bad M next to any m, or m = 0."""
        return {"m": 0} if rng.randrange(3) == 0 else super().draw_bad(rng) | {"m": draw(rng, 1 << self.p.n)}

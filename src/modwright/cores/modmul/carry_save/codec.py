# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract.runtime_modulus import MontgomeryCodec
from .parameters import CarrySaveParameters


class CarrySaveCodec(MontgomeryCodec):
    """M goes in and comes out as `m`."""

    def __init__(self, p: CarrySaveParameters) -> None:
        super().__init__(p, "m")
        self.p = p

    def limit(self, fields: Mapping[str, int]) -> int:
        """M in domain 1, else 2M."""
        return self.p.domain * fields["m"]

    def result_limit(self, fields: Mapping[str, int]) -> int:
        """That of the operands."""
        return self.limit(fields)

# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....contract.runtime_modulus import MontgomeryCodec
from .parameters import LimbParameters


class LimbCodec(MontgomeryCodec):
    """m goes in with its constants, and comes out as `modulus`."""

    def __init__(self, p: LimbParameters) -> None:
        super().__init__(p, "modulus", p.operands)
        self.p = p

    def constants(self, m: int) -> dict[str, int]:
        """The fields that belong to an odd modulus."""
        base = 1 << self.p.w
        values = {"m": m, "q": -pow(m, -1, base) % base, "mu": pow(base, -1, m)}
        return {field.name: values[field.name] for field in self.p.i.fields if field.name in values}

    def result_limit(self, fields: Mapping[str, int]) -> int:
        """A small multiple of m."""
        return self.p.multiple(self.p.kind) * fields["modulus"]

    def stored(self, m: int) -> dict[str, int]:
        """Full limbs beside the usual values."""
        ones, limb = (1 << (m.bit_length() - 1)) - 1, (1 << self.p.w) - 1
        return super().stored(m) | {"lowest limb full": limb % m, "all but the lowest limb": (ones - limb) % m}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: a result is below a small multiple of m, and operands are below m."""
        return []

# SPDX-License-Identifier: Apache-2.0
"""Constants of interleaved multiplication: the width of the sum and the number of subtractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Inequality
from ....contract.fixed_modulus import FixedModulus, modulus_of
from ....contract.request import Request


@dataclass(frozen=True)
class BlakleyParameters(FixedModulus):
    """Constants for one modulus p of n bits, the steps of a product."""

    @property
    def most(self) -> int:
        """Largest 2s + x_i·y, with s and y below p."""
        return 3 * (self.modulus - 1)

    @property
    def sum_width(self) -> int:
        """w, bits of 2s + x_i·y."""
        return self.most.bit_length()

    @property
    def subtractions(self) -> int:
        """J: s becomes 2s + x_i·y less 0, p, ... or J·p."""
        return 2

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate that no bit of the sum is lost, and s stays below p."""
        below = (self.subtractions + 1) * self.modulus
        return Certificate(
            (
                Inequality("sum", "3·(p-1) < 2^w", self.most, "<", 1 << self.sum_width, "2s + x_i·y fits w bits"),
                Inequality("subtractions", "3·(p-1) < (J+1)·p", self.most, "<", below, "s is below p after each step"),
            )
        )

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        own = {"sum_bits": self.sum_width, "subtractions": self.subtractions}
        return {"modulus": self.modulus, "bits": self.width, **own}


def derive(request: Request) -> BlakleyParameters:
    """Parameters of a request; UsageError without a modulus, ParameterError for one that is too wide."""
    return BlakleyParameters(modulus_of(request))

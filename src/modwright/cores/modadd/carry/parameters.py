# SPDX-License-Identifier: Apache-2.0
"""Constants of the modular adder: the width of the sum and the number of subtractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Inequality
from ....contract.fixed_modulus import FixedModulus, modulus_of
from ....contract.request import Request


@dataclass(frozen=True)
class AdderParameters(FixedModulus):
    """Constants for one modulus."""

    formula = "x + y"

    @property
    def most(self) -> int:
        """Largest x + y, with x and y below p."""
        return 2 * (self.modulus - 1)

    @property
    def sum_width(self) -> int:
        """w, bits of x + y."""
        return self.most.bit_length()

    @property
    def subtractions(self) -> int:
        """J: z is x + y less 0, p, ... or J·p."""
        return 1

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate that no bit of the sum is lost, and z is below p."""
        below = (self.subtractions + 1) * self.modulus
        return Certificate(
            (
                Inequality("sum", "2·(p-1) < 2^w", self.most, "<", 1 << self.sum_width, "x + y fits w bits"),
                Inequality("subtractions", "2·(p-1) < (J+1)·p", self.most, "<", below, "z is below p"),
            )
        )

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {"modulus": self.modulus, "sum_bits": self.sum_width, "subtractions": self.subtractions}


def derive(request: Request) -> AdderParameters:
    """Parameters of a request; UsageError without a modulus, ParameterError for one that is too wide."""
    return AdderParameters(modulus_of(request))

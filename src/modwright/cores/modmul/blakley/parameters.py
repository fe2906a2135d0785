# SPDX-License-Identifier: Apache-2.0
"""Constants of interleaved multiplication: the width of the sum and the number of subtractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import NO_CHANNEL, Certificate, Inequality, Obligations, Payload
from ....contract.fixed_modulus import modulus_of, operands_below, result_below
from ....contract.request import Request


@dataclass(frozen=True)
class BlakleyParameters:
    """Constants for one modulus.

    Parameters
    ----------
    modulus : int
        p, at least 3.
    """

    modulus: int

    @property
    def width(self) -> int:
        """n, bits of p and steps of a product."""
        return self.modulus.bit_length()

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

    @cached_property
    def i(self) -> Payload:
        """x and y."""
        return operands_below(self.modulus, "x", "y")

    @cached_property
    def o(self) -> Payload:
        """z and error."""
        return result_below(self.modulus, "x·y mod p")

    def obligations(self) -> Obligations:
        """None: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {"p": self.modulus, "bits": self.width, "sum bits": self.sum_width, "subtractions": self.subtractions}


def derive(request: Request) -> BlakleyParameters:
    """Parameters of a request; UsageError without a modulus, ParameterError for one that is too wide."""
    return BlakleyParameters(modulus_of(request))
